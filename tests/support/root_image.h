// A directory of the machine as an image of one layer, for tests that compare with what real tools say of it.
//
//   RootImage image(folder, {"LD_LIBRARY_PATH=/x"});
//   Loader loader(image.view());
//
// ELF facts of every regular file; contents only of what a loader itself reads. Other file systems are left out.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check/image_view.h"
#include "facts/elf.h"
#include "support/layer_builder.h"
#include "tree/merged_tree.h"

namespace ocilint::test {

class RootImage {
 public:
  using Skip = std::function<bool(const std::string& path)>;

  explicit RootImage(const std::filesystem::path& root, std::vector<std::string> env = {}, Skip skip = {},
                     std::vector<std::string> symbol_patterns = {})
      : root_(root), skip_(std::move(skip)), patterns_(std::move(symbol_patterns)) {
    struct stat of_root {};
    stat(root.c_str(), &of_root);
    device_ = of_root.st_dev;
    add_below("");
    layers_.push_back(builder_.build());
    facts_ = std::make_unique<FactStore>(std::move(layers_));
    tree_ = std::make_unique<MergedTree>(MergedTree::build(facts_->indexes(), View::overlay));
    image_.config.env = std::move(env);
    scanned_ = std::unique_ptr<Scanned>(new Scanned{image_, {}, tree_.get(), nullptr, {}, *facts_, nullptr});
    scanned_->layers.emplace_back();
    Wants all;
    for (const FactKind kind : {FactKind::content, FactKind::md5, FactKind::sha256, FactKind::elf}) all.add(kind);
    view_ = std::make_unique<ImageView>(*scanned_, all);
  }

  const ImageView& view() const { return *view_; }
  /// Regular files that are ELF, in the image's spelling; each inode once.
  const std::vector<std::string>& elf_files() const { return elf_files_; }

 private:
  static constexpr std::uint64_t content_most = 1U << 20U;

  void add_below(const std::string& folder) {
    std::vector<std::filesystem::directory_entry> entries;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(root_ / folder.substr(folder.empty() ? 0 : 1), failed), end; at != end;
         at.increment(failed)) {
      entries.push_back(*at);
    }
    for (const auto& entry : entries) add(folder + "/" + entry.path().filename().string(), entry.path());
  }

  void add(const std::string& path, const std::filesystem::path& real) {
    struct stat status {};
    if (lstat(real.c_str(), &status) != 0 || (skip_ && skip_(path))) return;
    EntryMeta meta;
    meta.mode = status.st_mode & 07777;
    if (S_ISLNK(status.st_mode)) {
      builder_.symlink(path, std::filesystem::read_symlink(real).string());
    } else if (S_ISDIR(status.st_mode)) {
      builder_.dir(path, meta);
      if (status.st_dev == device_) add_below(path);
    } else if (S_ISREG(status.st_mode)) {
      const auto [first, fresh] = inodes_.emplace(std::pair(status.st_dev, status.st_ino), path);
      if (fresh)
        add_file(path, real, meta, static_cast<std::uint64_t>(status.st_size));
      else
        builder_.hardlink(path, first->second);
    } else {
      builder_.other(path, EntryType::fifo, meta);
    }
  }

  void add_file(const std::string& path, const std::filesystem::path& real, EntryMeta meta, std::uint64_t size) {
    std::ifstream in(real, std::ios::binary);
    char magic[4] = {};
    in.read(magic, 4);
    const bool elf = in.gcount() == 4 && std::string_view(magic, 4) == "\177ELF";
    const std::string name = real.filename().string();
    const bool kept =
        size <= content_most && (path.starts_with("/etc/ld") || name.starts_with("ld-") || name.starts_with("ld64"));
    std::string text(magic, static_cast<std::size_t>(in.gcount()));
    if (elf || kept) {
      in.clear();
      in.seekg(0);
      text.resize(size);
      in.read(text.data(), static_cast<std::streamsize>(size));
      text.resize(static_cast<std::size_t>(in.gcount()));
    }
    builder_.file(path, kept ? std::string_view(text) : std::string_view(), meta);
    builder_.last_index().entries.back().size = size;
    builder_.elf(std::make_shared<const ElfFacts>(read_elf(as_bytes(text), ElfRequest{{}, patterns_, patterns_})));
    if (elf) elf_files_.push_back(path);
  }

  std::filesystem::path root_;
  Skip skip_;
  std::vector<std::string> patterns_;
  dev_t device_ = 0;
  std::map<std::pair<dev_t, ino_t>, std::string> inodes_;
  std::vector<std::string> elf_files_;
  LayerBuilder builder_;
  std::deque<LayerIndex> layers_;
  Image image_;
  std::unique_ptr<FactStore> facts_;
  std::unique_ptr<MergedTree> tree_;
  std::unique_ptr<Scanned> scanned_;
  std::unique_ptr<ImageView> view_;
};

}  // namespace ocilint::test
