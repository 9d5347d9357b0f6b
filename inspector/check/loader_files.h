// What the loader finds at one path: the tests that glibc's open_verify() and musl's map_library() make.
//
// Paths are as the loader spells them, absolute, perhaps with `..`; where they lead is remembered. Nothing
// throws. One thread; the view must outlive it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "check/loader.h"

namespace ocilint {

/// A path in the image, links followed.
struct LoaderFile {
  Tried result = Tried::absent;  // taken: a regular file is there
  std::string why;
  std::string canonical;
  InodeId inode;
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
};

/// What a program of this loader, class and machine takes of a file.
struct LoaderTaste {
  LoaderKind kind = LoaderKind::glibc;
  const ElfFacts* root = nullptr;
};

struct Judgement {
  Tried result = Tried::unknown;
  std::string why;
  bool maps = true;  // false: the header is fine, but it is no library: taken only when it is loaded already
};

class LoaderFiles {
 public:
  explicit LoaderFiles(const ImageView& view) : view_(view) {}

  const LoaderFile& at(const std::string& path);
  bool is_directory(const std::string& path);
  /// nullptr while the facts are still to come.
  const ElfFacts* facts_of(InodeId inode) const;
  Judgement judge(const LoaderFile& file, const LoaderTaste& taste) const;

 private:
  LoaderFile look(const std::string& path) const;

  const ImageView& view_;
  std::unordered_map<std::string, LoaderFile> files_;
  std::unordered_map<std::string, bool> directories_;
};

}  // namespace ocilint
