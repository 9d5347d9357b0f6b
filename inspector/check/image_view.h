// What one check may see of an image: the merged tree, the documents, and the facts that it declared.
//
// Asking for a kind of fact that plan() did not declare is Error{internal}, so the first unit test catches it.
// A declared fact that the pass did not bring (a link led to a name that no pattern foresaw) is *pending*: the
// view answers with an empty placeholder, notes what is missing, and the runner throws the answer of this
// check away, reads the missing facts and asks again. A rule need not know: it must only be a pure function of
// the view. One view a check, one thread; the store behind it is shared.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/fact_store.h"
#include "check/params.h"
#include "source/source.h"
#include "tree/match.h"
#include "tree/merged_tree.h"
#include "tree/resolve.h"

namespace ocilint {

class PackageDb;

struct LayerInfo {
  std::string name;  // digest text, or the path in a docker archive
  Digest diff_id;
  std::string created_by;  // "" when the history has no line for it
  bool history_certain = true;
  std::uint64_t stored_bytes = 0;
};

/// Everything of one image, after the merge. Owned by the runner; const from then on.
struct Scanned {
  const Image& image;
  std::vector<LayerInfo> layers;
  const MergedTree* tree = nullptr;   // the view that rules see; null when no check needed a layer
  const MergedTree* other = nullptr;  // the other view, for engine-divergence
  Oddities oddities;                  // of source, layers and trees together
  FactStore& facts;
  mutable std::shared_ptr<const PackageDb> packages;               // made on first use
  std::map<std::string, const Scanned*, std::less<>> others = {};  // further images of the run, by their names
  unsigned jobs = 1;                                               // threads that a check may use

  const MergedTree& overlay() const { return tree->view() == View::overlay ? *tree : *other; }
  const MergedTree& cumulative() const { return tree->view() == View::spec ? *tree : *other; }
};

class ImageView {
 public:
  ImageView(const Scanned& scanned, Wants declared) : scanned_(scanned), declared_(declared) {}

  const Scanned& scanned() const { return scanned_; }
  const MergedTree& tree() const;  // Error{internal} when the plan did not ask for layers
  const Config& config() const { return scanned_.image.config; }
  std::span<const LayerInfo> layers() const { return scanned_.layers; }

  /// Files of the set, links in parent folders followed, the last component not. Sorted by path, each once.
  std::vector<Match> match(const PathSet& set) const;
  Resolution resolve(std::string_view path, Last last = Last::follow) const;

  // Facts of an inode of a regular file, hidden versions included; another type throws Error{corrupt}. A file
  // beyond content_limit throws Error{limit}. A malformed ELF file is an ElfFacts that says so; tables of a big
  // one that the pass did not capture come with a second, targeted read, and what is unread then stays unread.
  const std::string& content(InodeId inode) const;
  Md5 md5(InodeId inode) const;
  const Digest& sha1(InodeId inode) const;
  const Digest& sha256(InodeId inode) const;
  const ElfFacts& elf(InodeId inode) const;
  /// What the search for secrets found in it (Plan::scan).
  const FileSecrets& secrets(InodeId inode) const;

  /// Content behind a path, links followed; nullopt when there is no such file. A directory or a dangling link
  /// throws Error{corrupt}.
  std::optional<std::string> text_of(std::string_view path) const;

  /// dpkg's and apt's databases of the merged tree. Declared by Plan::packages().
  const PackageDb& packages() const;

  /// The image that was given under this name (--with NAME=REF), with what the check declared. Error{usage} when
  /// none was: a comparison with nothing is no pass. Lives as long as this view.
  const ImageView& other(std::string_view name) const;

  /// Some fact was asked for that is not there yet: this answer does not count.
  bool pending() const;

 private:
  /// The entry of a regular file; asserts that the plan declared `kind`.
  const LayerEntry& file(InodeId inode, FactKind kind) const;

  const Scanned& scanned_;
  Wants declared_;
  mutable bool pending_ = false;
  mutable std::map<std::string, std::unique_ptr<const ImageView>, std::less<>> others_;
};

}  // namespace ocilint
