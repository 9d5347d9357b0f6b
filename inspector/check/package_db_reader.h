// Reads PackageDb from an image. Used by PackageDb::read() alone: one reader, one database, one thread.
//
// Every file is looked for through the links of the image. What a placeholder gave (ImageView::pending) is
// marked provisional; an empty text is then not an error.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "check/canonical_paths.h"
#include "check/image_view.h"
#include "check/package_db.h"

namespace ocilint {

class PackageDbReader {
 public:
  explicit PackageDbReader(const ImageView& image) : image_(image), canonical_(image.tree()) {}
  PackageDb read();

 private:
  /// A regular file behind a path; nullptr when there is none. Anything else there is Error{corrupt}.
  const std::string* text(std::string_view path);
  std::vector<std::string> names_in(std::string_view directory);

  bool find_presence();
  void read_status();
  void read_journal();
  void read_distroless();
  void add(DpkgPackage control, bool distroless);
  void read_native_architecture();
  void read_architectures();
  void read_diversions();
  void read_filter();
  void read_states();
  void read_lists();
  void read_list(Package& package, int info_format);
  void read_digests(Package& package);
  std::string info_path(const Package& package, int info_format, std::string_view extension);
  void index_files();
  void add_files(std::uint32_t index);
  void place(PackageFile file);
  void group_files();
  void problem(std::string_view path, const std::exception& error);

  const ImageView& image_;
  CanonicalPaths canonical_;
  PackageDb db_;
  std::unordered_map<std::string, std::uint32_t> known_;  // "name arch" -> package
  std::unordered_map<std::string, const DpkgDiversion*> diverted_;
  std::vector<std::pair<std::string, PackageFile>> diverted_files_;
  std::vector<std::uint32_t> path_of_file_;
  std::unordered_map<std::string, std::string> distroless_names_;  // package -> name of its file in status.d
};

}  // namespace ocilint
