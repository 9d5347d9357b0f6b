// One repository of a registry (OCI distribution-spec, pull): documents and blobs, read only.
//
// A tag is asked for once; everything after is by digest, so that what is read is what was resolved. Every document is
// hashed before it is understood; Docker-Content-Digest, Content-Type and Content-Length must agree with it. Nothing
// is ever asked of another host than the registry names in a redirect; `urls` of descriptors are not. Throws
// Error{not_found, auth, network, corrupt, limit}. find() and the streams of blobs: any thread. Must outlive those.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oci/registry_name.h"
#include "source/http.h"
#include "source/registry_auth.h"
#include "source/registry_options.h"
#include "source/stored_blob.h"

namespace ocilint {

class Registry final : public BlobStore {
 public:
  struct Root {
    std::string text, media_type;
    Digest digest;
  };

  Registry(const RegistryName& name, const RegistryOptions& options);

  /// The document that the name stands for now, verified.
  Root root();
  /// What is not there is seen when it is read.
  std::optional<StoredBlob> find(const Descriptor& descriptor, Kind kind) const override;
  /// Every tag of the repository, as the registry lists them, over all pages.
  std::vector<std::string> tags() const;
  /// The index of what refers to a manifest: the referrers API, else the tag that stands in for it. nullopt: none.
  std::optional<std::string> referrers(const Digest& manifest) const;

 private:
  std::unique_ptr<HttpExchange> get(const std::string& path, const std::string& accept, std::uint64_t from,
                                    Backoff& backoff) const;
  /// A document whose size nobody has stated.
  std::string document(const std::string& path, const std::string& accept, HttpReply& reply) const;

  RegistryName name_;
  RegistryOptions options_;
  HttpClient client_;
  Url address_;
  std::string base_;
  mutable RegistryAuth auth_;
};

}  // namespace ocilint
