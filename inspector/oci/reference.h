// What a user writes to name an image: `transport:details` (containers-transports(5)), or a bare path.
//
// oci:DIR[:ref|@index]   oci-archive:FILE[:ref|@index]   docker-archive:FILE[:ref|@index]   dir:PATH   -
// docker://HOST/NAME[:tag][@digest] (registry_name.h takes it apart)   docker-daemon:NAME
// A bare path is sniffed by source/open.h. The path of a transport ends at its first colon. Spellings of
// other tools (docker-archive://, oci-dir:) are answered with ours. Throws Error{usage}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ocilint {

enum class Transport { oci, oci_archive, docker_archive, dir, standard_input, registry, docker_daemon, bare };

std::string_view to_string(Transport);

struct Reference {
  Transport transport = Transport::bare;
  std::string path;                  // or registry name
  std::string name;                  // tag or ref name, "" when not given
  std::optional<std::size_t> index;  // @index

  static Reference parse(std::string_view text);
  std::string text() const;
};

}  // namespace ocilint
