// A root folder of libraries on disk, for the real ldconfig, and the same tree as a layer.
#pragma once

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "facts/ld_so_cache.h"
#include "support/layer_builder.h"
#include "support/made_library.h"
#include "support/tar_writer.h"

namespace ocilint::test {

namespace fs = std::filesystem;

inline constexpr const char* real_ldconfig = "/sbin/ldconfig";

using Links = std::map<std::string, std::string>;

/// A root folder on disk that the real program and the simulation both get.
class LibraryRoot {
 public:
  LibraryRoot() {
    // ldconfig flushes what it writes: in memory that costs nothing.
    const fs::path folder = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string name = (folder / "ocilint-ldconfig-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    for (const char* const made : {"etc", "lib", "usr/lib", "usr/lib/x86_64-linux-gnu"})
      fs::create_directories(root_ / made);
  }
  ~LibraryRoot() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  LibraryRoot(const LibraryRoot&) = delete;
  LibraryRoot& operator=(const LibraryRoot&) = delete;

  fs::path at(const std::string& path) const { return root_ / path.substr(1); }
  void file(const std::string& path, const std::string& content) const {
    fs::create_directories(at(path).parent_path());
    std::ofstream(at(path), std::ios::binary) << content;
  }
  void library(const std::string& path, const std::string& soname, const std::string& variant = "") const {
    file(path, made_library({.soname = soname, .variant = variant}));
  }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories(at(path).parent_path());
    fs::create_symlink(target, at(path));
  }
  void hard_link(const std::string& path, const std::string& target) const {
    fs::create_hard_link(at(target), at(path));
  }

  /// False when the program itself failed.
  bool run(const std::string& options = "") const {
    return std::system(
               (std::string(real_ldconfig) + " -r " + root_.string() + " " + options + " >/dev/null 2>&1").c_str()) ==
           0;
  }
  Links links() const {
    Links out;
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.is_symlink())
        out["/" + fs::relative(entry.path().parent_path(), root_).string() + "/" + entry.path().filename().string()] =
            fs::read_symlink(entry.path()).string();
    return out;
  }
  std::vector<LdSoCache::Entry> cache() const {
    const std::string bytes = read(at("/etc/ld.so.cache"));
    return LdSoCache::parse(as_bytes(bytes)).entries;
  }

  LayerIndex layer() const {
    LayerBuilder builder;
    std::map<ino_t, std::string> inodes;
    add(builder, inodes, "", root_);
    return builder.build();
  }

  /// The tree as a layer's archive.
  std::string tar() const {
    TarWriter tar;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      const std::string name = fs::relative(entry.path().parent_path(), root_).lexically_normal().string() + "/" +
                               entry.path().filename().string();
      const std::string path = name.starts_with("./") ? name.substr(2) : name;
      if (entry.is_symlink())
        tar.symlink(path, fs::read_symlink(entry.path()).string());
      else if (entry.is_directory())
        tar.directory(path);
      else
        tar.file(path, read(entry.path()));
    }
    return tar.finish();
  }

 private:
  static std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  static void add(LayerBuilder& builder, std::map<ino_t, std::string>& inodes, const std::string& path,
                  const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = path + "/" + entry.path().filename().string();
      if (entry.is_symlink()) {
        builder.symlink(name, fs::read_symlink(entry.path()).string());
      } else if (entry.is_directory()) {
        builder.dir(name);
        add(builder, inodes, name, entry.path());
      } else {
        struct stat status;
        REQUIRE(stat(entry.path().c_str(), &status) == 0);
        if (const auto [first, fresh] = inodes.emplace(status.st_ino, name); !fresh) {
          builder.hardlink(name, first->second);
          continue;
        }
        const std::string bytes = read(entry.path());
        builder.file(name, bytes);
        builder.elf(std::make_shared<ElfFacts>(read_elf(as_bytes(bytes), {})));
      }
    }
  }

  fs::path root_;
};

}  // namespace ocilint::test
