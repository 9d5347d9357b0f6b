// Files of packages that are not there, told in few findings.
//
// `rm -rf /usr/share/doc` deletes thousands of files in one step: a package of which nine parts in ten of its
// documentation are gone is *pruned* (a note; pkgdb.md 1.4), and more than `folded` files of one package that
// one layer took from one folder are one finding. Filled path by path, then report() once. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/finding.h"
#include "check/image_view.h"
#include "check/package_comparison.h"
#include "check/package_db.h"

namespace ocilint {

class MissingFiles {
 public:
  static constexpr std::size_t folded = 20;  // more files or packages than this become one finding
  static constexpr std::size_t shown = 5;    // of them that the details name

  MissingFiles(const ImageView& image, const PackageDb& db) : image_(image), db_(db) {}

  /// Every compared path, there or not: what is pruned is a share.
  void count(const OwnedPath& path, const FileVerdict& verdict);
  /// `alone`: the policy names the path, it is neither pruned nor folded.
  void add(const OwnedPath& path, const FileVerdict& verdict, bool alone);
  void report(Answer& answer) const;

 private:
  struct Missing {
    std::string_view path;
    const PackageFile* file;
    std::optional<std::uint32_t> layer;
    std::string what;  // "file", "link"
    bool alone;
  };
  /// Of one package in one area of documentation.
  struct Share {
    std::size_t all = 0, gone = 0;
    bool pruned() const { return gone * 10 >= all * 9; }
  };
  using Layer = std::optional<std::uint32_t>;
  struct Pruned {
    std::set<std::string_view> areas;
    std::map<std::uint32_t, std::size_t> packages;  // files of each
  };

  bool is_pruned(const Missing& missing) const;
  void report_one(const Missing& missing, Answer& answer) const;
  void report_many(const std::vector<const Missing*>& files, Answer& answer) const;
  void report_pruned(Layer layer, const Pruned& pruned, Answer& answer) const;
  void finish(Finding finding, const PackageFile& file, Answer& answer) const;
  std::string owners(std::string_view path) const;

  const ImageView& image_;
  const PackageDb& db_;
  std::vector<Missing> missing_;
  std::map<std::pair<std::uint32_t, std::string_view>, Share> shares_;  // package, area
};

}  // namespace ocilint
