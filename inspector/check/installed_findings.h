// Findings and evidence of package-files about packages of apk, rpm and Python, in the kinds that dpkg's have.
//
// The selections are the rule's. Python's findings are warnings unless they are about a shared library: no installer
// reads RECORD again, and some wheels ship a wrong one. Files that are gone are folded as dpkg's are (missing_files.h):
// many of one package below one folder are one finding, documentation is a note. One thread; throws what the view
// throws.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/finding.h"
#include "check/installed_comparison.h"
#include "check/path_selection.h"

namespace ocilint {

/// What the policy says of the files: see the parameters of package-files.
struct InstalledScope {
  const PathSelection& under;
  const PathSelection& must_differ;
  const PathSelection& may_differ;
  const PathSelection& exclude;
};

class InstalledFindings {
 public:
  InstalledFindings(const ImageView& image, const InstalledScope& scope, Answer& answer)
      : image_(image), scope_(scope), answer_(answer) {}

  /// One manager's database: what is wrong with it, then each of its paths.
  void report(const InstalledPackages& packages);

  std::size_t compared() const { return compared_; }      // with a digest or a recorded target
  std::size_t must_owned() const { return must_owned_; }  // of must_differ, with a digest
  std::size_t must_differ() const { return must_differ_; }

 private:
  struct Counts {
    std::size_t compared = 0, same = 0, excluded = 0, replaced = 0, allowed = 0, left_out = 0, links = 0;
    std::set<const Installed*> packages;
    std::map<const Installed*, std::size_t> unverifiable;
  };
  struct Missing {
    const Installed* package;
    std::string path, what;
    std::optional<std::uint32_t> layer;
    bool alone;
  };

  bool concerns(const Installed& package) const;
  void report_packages(const InstalledPackages& packages);
  void take(const InstalledVerdict& verdict, std::string_view path, bool must, Counts& counts);
  void take_must_differ(const InstalledIndex::Path& path, const InstalledIndex& index);
  void report_changed(const InstalledVerdict& verdict, std::string_view path);
  void report_missing();
  void report_evidence(const InstalledPackages& packages, const Counts& counts);
  Finding finding(std::string kind, std::string_view path, const Installed& package, std::string message) const;
  void add(Finding finding, const Installed& package, std::string_view path);
  void note(Finding finding);

  const ImageView& image_;
  InstalledScope scope_;
  Answer& answer_;
  std::vector<Missing> missing_;
  std::size_t compared_ = 0, must_owned_ = 0, must_differ_ = 0;
};

}  // namespace ocilint
