#include "source/open.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/nearest.h"
#include "oci/registry_name.h"
#include "source/transports.h"

namespace ocilint {
namespace {

namespace fs = std::filesystem;

fs::file_status status_of(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found) throw Error(ErrorKind::not_found, path + ": no such file or folder");
  if (problem) corrupt(fmt::format("{}: {}", path, problem.message()));
  return status;
}

bool there(const std::string& folder, const char* name) {
  std::error_code problem;
  return fs::exists(fs::symlink_status(folder + "/" + name, problem));
}

std::unique_ptr<ImageStore> open_folder(Reference reference) {
  const std::string& path = reference.path;
  if (there(path, "index.json") || there(path, "oci-layout")) {
    reference.transport = Transport::oci;
    return make_oci_layout(reference);
  }
  if (there(path, "manifest.json") && there(path, "version")) {
    reference.transport = Transport::dir;
    return make_dir(reference);
  }
  throw Error(ErrorKind::not_found, path +
                                        ": a folder, but no image: neither an OCI layout (index.json) nor what "
                                        "skopeo writes (manifest.json and version)");
}

/// "docker-archve:x.tar" is no path: the word before the colon was to be a transport. "" when none is near.
std::string nearest_reference(const std::string& path) {
  std::vector<std::string> names = {"containers-storage"};
  for (const Transport transport : {Transport::oci, Transport::oci_archive, Transport::docker_archive, Transport::dir,
                                    Transport::registry, Transport::docker_daemon})
    names.emplace_back(to_string(transport));
  const std::size_t colon = path.find(':');
  const auto meant = nearest(path.substr(0, colon), names);
  if (!meant) return "";
  std::string rest = path.substr(colon + 1);
  if (*meant != to_string(Transport::registry)) return *meant + ":" + rest;
  rest.erase(0, rest.find_first_not_of('/'));
  return *meant + "://" + rest;
}

std::unique_ptr<ImageStore> open_bare(const Reference& reference, const RegistryOptions& options) {
  std::error_code problem;
  const bool absent = !fs::exists(reference.path, problem);
  if (absent && RegistryName::has_host(reference.path)) {
    Reference named = reference;
    named.transport = Transport::registry;
    return make_registry(named, options);
  }
  if (absent && reference.path.find(':') != std::string::npos) {
    const std::string meant = nearest_reference(reference.path);
    throw Error(ErrorKind::not_found,
                fmt::format("'{}' is no file or folder; {}", reference.path,
                            meant.empty() ? "a path with a name needs its transport, as in oci:DIR:NAME, "
                                            "oci-archive:FILE:NAME or docker-archive:FILE:NAME; an image of a registry "
                                            "is docker://" +
                                                reference.path
                                          : "did you mean '" + meant + "'?"));
  }
  if (fs::is_directory(status_of(reference.path))) return open_folder(reference);
  return make_archive(reference, open_seekable(reference.path));
}

}  // namespace

std::unique_ptr<ImageStore> open_source(const Reference& reference, const RegistryOptions& options) {
  const std::string& path = reference.path;
  switch (reference.transport) {
    case Transport::bare: return open_bare(reference, options);
    case Transport::standard_input: return make_archive(reference, open_seekable("-"));
    case Transport::oci:
    case Transport::dir:
      if (!fs::is_directory(status_of(path)))
        throw Error(
            ErrorKind::usage,
            fmt::format("{}: {} is no folder; archives are oci-archive: or docker-archive:", reference.text(), path));
      return reference.transport == Transport::oci ? make_oci_layout(reference) : make_dir(reference);
    case Transport::oci_archive:
    case Transport::docker_archive:
      if (path != "-" && fs::is_directory(status_of(path)))
        throw Error(ErrorKind::usage, fmt::format("{}: {} is a folder; layouts are oci:", reference.text(), path));
      return make_archive(reference, open_seekable(path));
    case Transport::registry: return make_registry(reference, options);
    case Transport::docker_daemon: return make_daemon(reference, options);
  }
  throw Error(ErrorKind::internal, "a transport that is not known");
}

}  // namespace ocilint
