// Distributions of Python in the merged tree: what .dist-info, .egg-info and .egg say in the folders of a path.
//
// One whose metadata cannot be read is there too, with the name and version of its folder and `problem`: no
// question may pass it over. Left out: names that begin with ~ (pip's own leftovers). RECORD is read when it is
// asked for. Values that copy what they need; pure functions of the view; throw what the view throws.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/image_view.h"
#include "check/python_path.h"
#include "check/rule.h"
#include "facts/python_metadata.h"
#include "facts/python_record.h"

namespace ocilint {

struct PythonDist {
  enum class Kind : std::uint8_t { dist_info, egg_info, egg, egg_link };

  Kind kind = Kind::dist_info;
  std::string name, normal, version;  // normal: PEP 503
  std::string site;                   // the folder that it is in, and RECORD's paths start from
  std::string path;                   // of its own .dist-info, .egg-info, …
  std::string metadata_path;          // "" when there is none
  std::string record_path;            // "" when there is none
  PythonMetadata metadata;
  std::vector<std::string> requirements;  // texts; of an egg those of requires.txt too
  std::string installer;                  // "pip"
  bool requested = false;                 // by name, not as a requirement of another
  std::string url;                        // where direct_url.json says that it came from
  bool editable = false;                  // its files are elsewhere, RECORD does not cover them
  std::string problem;                    // why its metadata cannot be read
  std::optional<std::uint32_t> layer;     // that last touched it

  std::string title() const { return name + " " + version; }
};

struct PythonDists {
  PythonPath path;
  std::vector<PythonDist> all;         // in the order of the search, in one folder by name
  std::vector<std::string> leftovers;  // paths of ~…

  /// What `import` finds: the first of that name; nullptr when there is none.
  const PythonDist* find(std::string_view normal) const;
  /// Of every name the first, in the order of the search.
  std::vector<const PythonDist*> visible() const;

  static PythonDists read(const ImageView& image, PythonPath path);

 private:
  std::map<std::string, std::size_t, std::less<>> first_;
};

/// Contents that find_python_paths() and PythonDists::read() read.
void plan_python_dists(Plan& plan);
/// Those that read_record() and native_files() read, beside these.
void plan_python_records(Plan& plan);

/// nullopt when the distribution has no RECORD. Error{corrupt} when it is no regular file.
std::optional<PythonRecord> read_record(const ImageView& image, const PythonDist& dist);
/// Where a row of RECORD leads in the image, lexically; nullopt when it leads above the root.
std::optional<std::string> path_of_row(const PythonDist& dist, const PythonRecord::Row& row);

/// The paths of shared objects (.so, .so.1) that RECORD lists, there or not, sorted. Error{corrupt} when the
/// distribution has no RECORD, or one with rows that cannot be read.
std::vector<std::string> native_files(const ImageView& image, const PythonDist& dist);

/// Does a name with wildcards ("nvidia-*", "Foo_Bar") mean the normal name?
bool is_python_name(std::string_view pattern, std::string_view normal);

/// A glob of exactly these bytes.
std::string escape_glob(std::string_view path);

}  // namespace ocilint
