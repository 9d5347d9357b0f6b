#include "look/blame.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/mode.h"
#include "base/path.h"
#include "check/canonical_paths.h"
#include "look/ask.h"
#include "look/question.h"

namespace ocilint {
namespace {

class StoryTeller {
 public:
  StoryTeller(const Scanned& scanned, const RedactText& redact) : scanned_(scanned), redact_(redact) {}

  /// Everything but digests, and what follows from them.
  void tell(Blame& out) {
    const std::string normal = normalise(out.asked).path;
    path_ = CanonicalPaths(*scanned_.tree).of(normal);
    const std::vector<Event> story = scanned_.tree->story(path_);
    if (story.empty()) throw Error(ErrorKind::usage, path_ + ": no layer ever had it");
    out.path = safe(path_);
    for (std::size_t i = 0; i < story.size();) {
      BlameRow& row = out.rows.emplace_back();
      row.layer = story[i].layer;
      for (; i < story.size() && story[i].layer == row.layer; ++i) row.deeds.push_back(story[i].deed);
      describe(row, out.rows.size());
      out.history_certain = out.history_certain && scanned_.layers.at(row.layer).history_certain;
    }
  }

  /// Asks for the digests, and compares each row with the one before.
  void compare(Blame& out, const ImageView& view) const {
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
      BlameRow& row = out.rows[i];
      if (inodes_[i]) row.sha256 = view.sha256(*inodes_[i]).text();
      row.changes.clear();
      if (i > 0 && out.rows[i - 1].after && row.after) row.changes = changes(out.rows[i - 1], row);
    }
  }

 private:
  void describe(BlameRow& row, std::size_t number) {
    const LayerInfo& layer = scanned_.layers.at(row.layer);
    row.layer_name = safe(layer.name);
    row.created_by = safe(layer.created_by);
    row.command = parse_command(row.created_by);
    std::optional<InodeId>& inode = inodes_.emplace_back();
    if (number > most_blamed_layers) return;
    const TreeUpTo tree(scanned_, row.layer);
    const auto node = tree->find(path_);
    if (!node) return;
    row.after = describe_file(*tree, *node, redact_);
    const Node& shown = (*tree)[*node];
    if (!shown.inode.created()) return;
    if (shown.type == EntryType::file) inode = shown.inode;
    for (const NodeId name : tree->names_of(shown.inode))
      if (name != *node) row.shared.push_back(safe(tree->path(name)));
  }

  static std::vector<std::string> changes(const BlameRow& before, const BlameRow& after) {
    const FileRow &was = *before.after, &is = *after.after;
    std::vector<std::string> out;
    if (was.type != is.type) {
      out.push_back(fmt::format("{} -> {}", to_string(was.type), to_string(is.type)));
    } else if (is.type == EntryType::file && before.sha256 != after.sha256) {
      out.push_back(fmt::format("content, {} -> {} bytes", was.size, is.size));
    } else if (is.type == EntryType::symlink && was.link != is.link) {
      out.push_back(fmt::format("target {} -> {}", was.link, is.link));
    } else if (was.device_major != is.device_major || was.device_minor != is.device_minor) {
      out.push_back("device");
    }
    // The mode of a link means nothing.
    if (was.mode != is.mode && is.type != EntryType::symlink)
      out.push_back(fmt::format("mode {} -> {}", mode_text(was.mode), mode_text(is.mode)));
    if (was.uid != is.uid || was.gid != is.gid)
      out.push_back(fmt::format("owner {}:{} -> {}:{}", was.uid, was.gid, is.uid, is.gid));
    if (was.mtime != is.mtime) out.push_back("time");
    if (before.shared != after.shared) out.push_back("names");
    return out;
  }

  std::string safe(std::string text) const {
    redact_(text);
    return text;
  }

  const Scanned& scanned_;
  const RedactText& redact_;
  std::string path_;
  std::vector<std::optional<InodeId>> inodes_;  // of regular files, by row
};

}  // namespace

Blame look_at_story(const RunOptions& options, const std::string& path) {
  Blame out;
  out.asked = path;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    std::optional<StoryTeller> teller;
    ask_image(
        read, options, [](Plan& plan) { plan.on_demand(FactKind::sha256); },
        [&](const ImageView& view) {
          // What the trees say does not change; only the digests come later.
          if (!teller) teller.emplace(view.scanned(), redact).tell(out);
          teller->compare(out, view);
        });
    out.image = describe_image(options, read.image(), redact);
  });
  return out;
}

}  // namespace ocilint
