#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "check/canonical_paths.h"
#include "check/installed_readers.h"
#include "check/python_dists.h"

namespace ocilint {
namespace {

/// A digest of RECORD; what has none (RECORD itself, compiled files) is not compared.
std::optional<RecordedDigest> digest_of_row(const PythonRecord::Row& row) {
  if (!row.algorithm.empty()) return RecordedDigest{Algorithm::sha256, "", row.algorithm};
  if (!row.digest) return std::nullopt;
  if (row.digest->algorithm() != Algorithm::sha256) return RecordedDigest{Algorithm::sha256, "", "sha512"};
  return RecordedDigest{Algorithm::sha256, std::string(as_text(row.digest->raw())), ""};
}

std::string license_of(const PythonMetadata& metadata) {
  std::string expression, free;
  for (const PythonMetadata::Field& field : metadata.fields) {
    if (field.name == "License-Expression") expression = field.value;
    // Some packages have the whole text here.
    if (field.name == "License" && field.value.size() < 100 && field.value != "UNKNOWN") free = field.value;
  }
  return expression.empty() ? free : expression;
}

void read_files(const ImageView& image, const PythonDist& dist, CanonicalPaths& canonical, Installed& to) {
  const auto record = read_record(image, dist);
  if (!record) return;
  if (record->refused != 0)
    corrupt(
        fmt::format("{}: {} lines that cannot be used, {}", dist.record_path, record->refused, record->notes.front()));
  for (const PythonRecord::Row& row : record->rows) {
    const auto path = path_of_row(dist, row);
    if (!path) corrupt(fmt::format("{}: a path that leads above the root", dist.record_path));
    InstalledFile& file = to.files.emplace_back();
    file.path = canonical.of(*path);
    file.recorded = row.path;
    file.digest = digest_of_row(row);
    if (!file.digest) file.type = InstalledFile::Type::other;
  }
}

}  // namespace

std::optional<InstalledPackages> read_python(const ImageView& image, const OwnerOf& owner) {
  InstalledPackages out{.manager = Manager::python, .path = {}, .problems = {}, .packages = {}};
  CanonicalPaths canonical(image.tree());
  std::set<std::string> seen;
  for (PythonPath& path : find_python_paths(image, {}))
    for (const PythonDist& dist : PythonDists::read(image, std::move(path)).all) {
      // One folder may be in the search of several interpreters.
      if (!seen.insert(canonical.of(dist.path)).second) continue;
      Installed& to = out.packages.emplace_back();
      to.manager = Manager::python;
      to.name = dist.name;
      to.version = dist.version;
      to.license = license_of(dist.metadata);
      if (dist.requested || dist.installer == "pip") to.manual = dist.requested;
      to.path = dist.metadata_path.empty() ? dist.path : dist.metadata_path;
      to.owner = owner(canonical.of(to.path));
      to.unusable = dist.problem;
      out.without_digests += dist.record_path.empty();
      if (!to.unusable.empty() || !to.owner.empty()) continue;
      try {
        read_files(image, dist, canonical, to);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        to.unusable = error.what();
        to.files.clear();
      }
    }
  if (out.packages.empty()) return std::nullopt;
  out.path = out.packages.front().path;
  return out;
}

}  // namespace ocilint
