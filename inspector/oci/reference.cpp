#include "oci/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"

namespace ocilint {
namespace {

struct Spelling {
  std::string_view theirs, ours;
};

// Spellings of dive, syft, buildx and crane. Longer ones first.
constexpr std::array foreign{
    Spelling{"docker-archive://", "docker-archive:"},
    Spelling{"oci-archive://", "oci-archive:"},
    Spelling{"oci-layout://", "oci:"},
    Spelling{"oci-dir://", "oci:"},
    Spelling{"oci-dir:", "oci:"},
    Spelling{"oci://", "oci:"},
    Spelling{"dir://", "dir:"},
    Spelling{"file://", ""},
    Spelling{"docker-daemon://", "docker-daemon:"},
    Spelling{"registry://", "docker://"},
    Spelling{"registry:", "docker://"},
};

[[noreturn]] void usage(std::string message) { throw Error(ErrorKind::usage, std::move(message)); }

/// Splits "path[:name|:@index]" at the first colon.
void parse_details(Reference& out, std::string_view details) {
  const std::size_t colon = details.find(':');
  out.path = details.substr(0, colon);
  if (colon == std::string_view::npos) return;
  const std::string_view rest = details.substr(colon + 1);
  if (rest.empty()) usage(fmt::format("'{}': nothing follows the colon", details));
  if (rest[0] != '@') {
    out.name = rest;
    return;
  }
  std::size_t index = 0;
  const char* const end = rest.data() + rest.size();
  const auto [at, problem] = std::from_chars(rest.data() + 1, end, index);
  if (problem != std::errc() || at != end) usage(fmt::format("'{}' is not an index: @0, @1, …", rest));
  out.index = index;
}

}  // namespace

std::string_view to_string(Transport transport) {
  switch (transport) {
    case Transport::oci: return "oci";
    case Transport::oci_archive: return "oci-archive";
    case Transport::docker_archive: return "docker-archive";
    case Transport::dir: return "dir";
    case Transport::standard_input: return "-";
    case Transport::registry: return "docker";
    case Transport::docker_daemon: return "docker-daemon";
    case Transport::bare: return "";
  }
  return "";
}

Reference Reference::parse(std::string_view text) {
  Reference out;
  if (text.empty()) usage("an empty image reference");
  if (text.find('\0') != std::string_view::npos) usage("an image reference with a NUL byte");
  if (text == "-") {
    out.transport = Transport::standard_input;
    out.path = "-";
    return out;
  }
  for (const Spelling& spelling : foreign)
    if (text.starts_with(spelling.theirs))
      usage(fmt::format("'{}' is spelt '{}{}' here", text, spelling.ours, text.substr(spelling.theirs.size())));
  if (text.starts_with("containers-storage:"))
    usage(fmt::format("local storage is not read; copy the image first: skopeo copy {} oci:DIR", text));

  if (text.starts_with("docker://")) {
    out.transport = Transport::registry;
    out.path = text.substr(9);
  } else if (text.starts_with("docker-daemon:")) {
    out.transport = Transport::docker_daemon;
    out.path = text.substr(14);
  } else if (text.starts_with("dir:")) {
    out.transport = Transport::dir;
    out.path = text.substr(4);
  } else {
    out.path = text;
    for (const Transport transport : {Transport::oci, Transport::oci_archive, Transport::docker_archive}) {
      const std::string prefix = std::string(to_string(transport)) + ":";
      if (!text.starts_with(prefix)) continue;
      out.transport = transport;
      parse_details(out, text.substr(prefix.size()));
      break;
    }
  }
  if (out.path.empty()) usage(fmt::format("'{}' names no path", text));
  return out;
}

std::string Reference::text() const {
  if (transport == Transport::standard_input) return "-";
  std::string out(to_string(transport));
  if (transport == Transport::registry)
    out += "://";
  else if (transport != Transport::bare)
    out += ":";
  out += path;
  if (!name.empty()) out += ":" + name;
  if (index) out += fmt::format(":@{}", *index);
  return out;
}

}  // namespace ocilint
