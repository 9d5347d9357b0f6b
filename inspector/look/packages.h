// `ocilint packages`: what the databases of dpkg and apt, apk, rpm, Python and Node say, beside what stands in the
// image: owners and their files, which differ, what was installed by hand, and what keeps the rest.
//
// Ownership is check/package_db.h's and check/installed_packages.h's, comparison check/package_comparison.h's and
// check/installed_comparison.h's, what keeps a package check/apt_autoremove.h's. A package that is gone is looked for
// in the layers below (`why`). What cannot be told stands in `unread`. Throws what reading throws, Error{usage} for a
// package that nobody knows. Strings are raw bytes without secrets. Cost: digests of every owned file, unless the
// question is only why, or which there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/rule.h"
#include "look/open_image.h"

namespace ocilint {

struct PackagesQuestion {
  std::string why;         // a package, "name" or "name:arch"
  std::string files;       // a package whose files shall all be listed
  bool inventory = false;  // which there are, nothing compared
};

struct PackageFileRow {
  std::string path;   // canonical
  std::string state;  // same, modified, missing, …
  bool differs = false, missing = false;
  std::optional<std::uint32_t> layer;  // that touched it last
  std::string text;                    // "a symbolic link to x"
};

struct PackageRow {
  std::string name, architecture, version, source, source_version;
  std::string status;  // "installed", "config-files"
  std::string mark;    // manual, automatic; "" when nothing records it
  std::string keeps;   // what apt autoremove does with it
  bool removable = false;
  std::string chain;  // "setup (manual) -> libdw1 (Depends)", "" when it needs none
  std::size_t files = 0, compared = 0;
  std::vector<PackageFileRow> differing;  // and missing ones
  std::vector<PackageFileRow> all;        // of the package that was asked for
  std::string unusable;                   // why its files cannot be compared
  std::string license{}, vendor{};        // as recorded, "" when not
  std::string path{};                     // of Python and Node: its own metadata
  std::string owner{};                    // of Python: the operating system's package that brought it

  std::size_t missing() const;
};

/// The packages of one manager that is not dpkg.
struct ManagerLook {
  std::string manager;   // "apk"
  std::string database;  // its path; of Python and Node the first of many
  bool compared = false;
  std::vector<PackageRow> packages;
};

struct PackageUser {
  std::string name, field, relation, keeps;
};

/// Why a package is kept, or how it went; how one that is gone went is known of dpkg's alone.
struct PackageReason {
  std::string name;  // as its manager names it
  bool installed = false;
  std::string version, mark, keeps, chain;
  std::vector<std::string> keepers;  // a purge of any of them lets it go
  std::vector<PackageUser> users;    // everybody who asks for it

  std::optional<std::uint32_t> removed_in;
  std::string removed_by;               // the layer's history line
  std::vector<std::string> gone_along;  // links of the chain that the same layer removed
  std::string before_problem;           // why the database below cannot be judged

  // Where nothing kept it any more before it was removed: the layer that let it go, and what kept it up to then.
  std::optional<std::uint32_t> let_go_in = {};
  std::string let_go_by = {};  // history line
  std::string keeps_before = {}, chain_before = {};

  std::string manager = "dpkg";
  std::string place = {};   // of Python and Node: its own metadata, or whose search found it
  std::string owner = {};   // of Python: the operating system's package that brought it
  std::string remedy = {};  // how its manager is told to keep it
  std::string limits = {};  // what this manager does not record
};

struct PackagesLook {
  LookedAt image;
  std::string presence;  // where dpkg's database is, or why there is none
  bool found = false;
  bool compared = false;
  std::vector<PackageRow> packages;    // dpkg's
  std::vector<ManagerLook> others;     // apk, rpm, python, node, as far as they are there
  std::vector<PackageReason> reasons;  // one a manager, architecture and place
  std::string states_problem;          // why nothing is known of marks
  std::vector<std::string> unread;

  // What an inventory says of the image itself.
  std::string os_id, os_version, os_name;  // of os-release, "" when it has none
  std::string created;                     // of the configuration
};

PackagesLook look_at_packages(const RunOptions& options, const PackagesQuestion& question);

// Its parts, for who looks at more than packages in one pass: what the question needs, the answer of a view (image
// apart, raw), and the end of secrets in it.
void plan_packages(const PackagesQuestion& question, Plan& plan);
PackagesLook survey_packages(const ImageView& view, const PackagesQuestion& question);
void redact_packages(const RedactText& redact, PackagesLook& look);

}  // namespace ocilint
