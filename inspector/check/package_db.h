// dpkg's and apt's databases of one merged tree: which packages there are, and who owns which path.
//
// Read from status, updates/ (a journal that dpkg did not finish: merged over status), info/*.list and
// *.md5sums, diversions, statoverride, dpkg.cfg's path-exclude, extended_states, and status.d of distroless
// images. Paths are canonical (check/canonical_paths.h) before any ownership is decided; the recorded spelling
// is kept beside. One malformed list makes one package unusable, the others stay. read() throws Error{corrupt,
// limit} when status itself cannot be read. Owns everything it hands out; const from then on, any thread.
// Cost: about 200 bytes a recorded path, 150,000 paths in less than 0.3 s.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "facts/apt_extended_states.h"
#include "facts/dpkg_diversions.h"
#include "facts/dpkg_md5sums.h"
#include "facts/dpkg_path_filter.h"
#include "facts/dpkg_statoverride.h"
#include "facts/dpkg_status.h"
#include "tree/merged_tree.h"

namespace ocilint {

class ImageView;

struct Package {
  DpkgPackage control;
  bool distroless = false;          // from status.d: it has no list of its own
  bool has_list = false;            // a .list was there and could be read
  bool has_digest_file = false;     // an .md5sums was there
  std::string list_path;            // canonical; where it should be when there is none
  std::string digests_path;         // likewise
  std::vector<std::string> listed;  // as recorded
  std::vector<DpkgMd5sums::Entry> digests;
  std::size_t refused_lines = 0;  // of list and digests: what they stand for is not covered
  std::string unusable;           // why its files cannot be checked; empty when they can
  Notes notes;

  /// "libdw1", or "libdw1:amd64" when it is co-installable.
  std::string name() const;
  std::string title() const;  // "libdw1:amd64 0.188-2.1"
};

/// What one package says of one path.
struct PackageFile {
  std::uint32_t package = 0;                 // index into packages()
  bool has_children = false;                 // another path of the package is below: a directory
  std::string_view recorded;                 // as the list spells it
  const Digest* digest = nullptr;            // of md5sums
  const Conffile* conffile = nullptr;        // of the status file; its digest goes before that of md5sums
  const DpkgDiversion* diversion = nullptr;  // it stands at this diversion's target
};

struct OwnedPath {
  std::string_view path;  // canonical, where the file is expected
  std::uint32_t first = 0, count = 0;
};

class PackageDb {
 public:
  enum class Presence : std::uint8_t {
    found,
    none,     // no layer ever held a database that this program knows of
    removed,  // some layer had dpkg's database, the image has not
    foreign,  // rpm's, apk's or pacman's
  };

  static std::shared_ptr<const PackageDb> read(const ImageView& image);
  PackageDb(PackageDb&&) = default;  // not to be copied: its parts point at each other
  PackageDb& operator=(PackageDb&&) = default;

  bool found() const { return presence_ == Presence::found; }
  Presence presence() const { return presence_; }
  const std::string& presence_text() const { return presence_text_; }
  /// Some text was not there yet when this was read (ImageView::pending).
  bool provisional() const { return provisional_; }

  std::span<const Package> packages() const { return packages_; }
  /// Of this name, every architecture and state.
  std::vector<const Package*> named(std::string_view name) const;
  std::size_t index_of(const Package& package) const { return static_cast<std::size_t>(&package - packages_.data()); }

  std::span<const OwnedPath> paths() const { return paths_; }
  std::span<const PackageFile> files(const OwnedPath& path) const {
    return std::span(files_).subspan(path.first, path.count);
  }
  const OwnedPath* find(std::string_view canonical) const;
  /// Files that would stand at this canonical path if it were not diverted.
  std::vector<const PackageFile*> diverted_from(std::string_view canonical) const;

  const DpkgDiversions& diversions() const { return diversions_; }
  const DpkgStatOverride& stat_overrides() const { return stat_overrides_; }
  const DpkgPathFilter& filter() const { return filter_; }
  /// Names of the journal files that were merged over status.
  const std::vector<std::string>& journal() const { return journal_; }
  /// Why no statement on files can be made at all: diversions, statoverride or dpkg.cfg cannot be read.
  const std::vector<std::string>& problems() const { return problems_; }

  const std::string& native_architecture() const { return native_architecture_; }
  /// The native one, then those that dpkg was told of (var/lib/dpkg/arch).
  const std::vector<std::string>& architectures() const { return architectures_; }
  /// Marked as automatically installed; nullopt when nothing records it.
  std::optional<bool> automatic(const Package& package) const;
  /// Why automatic() cannot say.
  const std::string& states_problem() const { return states_problem_; }

  const std::string& status_path() const { return status_path_; }

 private:
  friend class PackageDbReader;
  PackageDb() = default;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  Presence presence_ = Presence::none;
  std::string presence_text_;
  bool provisional_ = false;
  std::vector<Package> packages_;
  std::unordered_multimap<std::string_view, std::uint32_t> by_name_;
  std::vector<PackageFile> files_;  // those of one path side by side
  std::vector<OwnedPath> paths_;
  std::deque<std::string> spellings_;  // canonical paths that no list spells
  std::unordered_map<std::string_view, std::uint32_t> by_path_;
  std::unordered_multimap<std::string, std::uint32_t, Hash, std::equal_to<>> diverted_;  // original -> file
  DpkgDiversions diversions_;
  DpkgStatOverride stat_overrides_;
  DpkgPathFilter filter_;
  std::optional<AptExtendedStates> states_;
  std::string states_problem_;
  std::vector<std::string> journal_, problems_;
  std::string native_architecture_;
  std::vector<std::string> architectures_;
  std::string status_path_;
};

}  // namespace ocilint
