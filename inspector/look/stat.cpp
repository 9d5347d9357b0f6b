#include "look/stat.h"

#include <algorithm>

#include "base/path.h"
#include "check/package_db.h"
#include "look/ask.h"
#include "look/installed_rows.h"
#include "look/question.h"

namespace ocilint {
namespace {

class Teller {
 public:
  Teller(const ImageView& view, const RedactText& redact) : view_(view), tree_(view.tree()), redact_(redact) {}

  void tell(FileStory& out, const StatOptions& wanted) {
    const Last last = wanted.follow ? Last::follow : Last::keep;
    const NodeId node = find_path(view_.scanned(), tree_, wanted.path, last);
    out.links.clear();
    for (const Hop& hop : view_.resolve(normalise(wanted.path).path, last).hops)
      out.links.emplace_back(safe(hop.path), safe(hop.target));
    out.file = describe_file(tree_, node, redact_);
    const Node& shown = tree_[node];
    tell_inode(out, shown, node);
    tell_packages(out, node);
    if (shown.type == EntryType::file && shown.inode.created()) out.sha256 = view_.sha256(shown.inode).text();
  }

 private:
  void tell_inode(FileStory& out, const Node& shown, NodeId node) {
    out.names.clear();
    out.attributes.clear();
    if (!shown.inode.created()) {
      out.names.push_back(safe(tree_.path(node)));
      return;
    }
    for (const NodeId name : tree_.names_of(shown.inode)) out.names.push_back(safe(tree_.path(name)));
    out.layer_title = safe(layer_title(view_.scanned(), shown.inode.layer));
    for (const EntryAttribute& attribute : view_.scanned().facts.layers().at(shown.inode.layer).attributes)
      if (attribute.ordinal == shown.inode.ordinal) out.attributes.push_back(safe(attribute.name));
  }

  void tell_packages(FileStory& out, NodeId node) {
    out.packages.clear();
    out.packages_problem.clear();
    out.packages_unread = false;
    try {
      const PackageDb& packages = view_.packages();
      const std::vector<InstalledPackages> others = read_installed(view_, owning_managers);
      const std::string path = tree_.path(node);
      if (const OwnedPath* const owned = packages.found() ? packages.find(path) : nullptr)
        for (const PackageFile& file : packages.files(*owned))
          out.packages.push_back(safe(packages.packages()[file.package].title()));
      for (const InstalledPackages& read : others)
        for (const Installed& package : read.packages)
          if (package.owner.empty() &&
              std::ranges::find(package.files, path, &InstalledFile::path) != package.files.end())
            out.packages.push_back(safe(package.title()) + " (" + std::string(to_string(read.manager)) + ")");
      std::ranges::sort(out.packages);
      if (!out.packages.empty()) return;
      if (!packages.found() && others.empty()) out.packages_problem = safe(packages.presence_text());
      for (const InstalledPackages& read : others)
        if (!read.problems.empty()) unread(out, read.problems.front());
    } catch (const Error& error) {
      // The file is there whatever its package says.
      if (error.kind() == ErrorKind::internal) throw;
      unread(out, error.what());
    }
  }

  void unread(FileStory& out, std::string why) {
    out.packages_problem = safe(std::move(why));
    out.packages_unread = true;
  }

  std::string safe(std::string text) const {
    redact_(text);
    return text;
  }

  const ImageView& view_;
  const MergedTree& tree_;
  const RedactText& redact_;
};

}  // namespace

FileStory look_at_file(const RunOptions& options, const StatOptions& wanted) {
  FileStory out;
  out.asked = wanted.path;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    out.image = describe_image(options, read.image(), redact);
    const auto declare = [](Plan& plan) {
      plan_installed(plan, owning_managers);
      plan.on_demand(FactKind::sha256);
    };
    ask_image(read, options, declare, [&](const ImageView& view) { Teller(view, redact).tell(out, wanted); });
  });
  return out;
}

}  // namespace ocilint
