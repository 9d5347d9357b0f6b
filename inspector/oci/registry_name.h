// The name of an image in a registry: host[:port]/repository[:tag][@digest] (OCI distribution-spec, "Pulling
// manifests"; the reference grammar of Docker).
//
// Without a host it is Docker Hub's, where a repository of one word is `library/…`; without tag and digest it is
// `latest`. The exact grammar only: nothing else ever becomes part of a URL. Throws Error{usage}. Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"

namespace ocilint {

struct RegistryName {
  std::string host;  // as written, with its port; docker.io for Docker Hub
  std::string repository;
  std::string tag;  // "" when there is a digest only
  std::optional<Digest> digest;

  static RegistryName parse(std::string_view text);
  /// Whether the text begins with a host that can be nothing else: a name with a dot or a port, or localhost.
  static bool has_host(std::string_view text);
  static bool is_tag(std::string_view text);
  std::string text() const;
  std::string image() const { return host + "/" + repository; }
  std::string address() const;  // host and port to connect to
};

}  // namespace ocilint
