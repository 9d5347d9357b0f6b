#include "check/unowned_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ocilint {
namespace {

class Finder {
 public:
  explicit Finder(const ImageView& image) : image_(image), db_(image.packages()), loader_(image) {}

  UnownedNeeds find(const std::vector<Selected>& roots) {
    for (const Selected& root : roots) {
      if (!root.end.found() || image_.tree()[root.end.node].type != EntryType::file) continue;
      if (!seen_roots_.insert(root.end.path).second) continue;
      if (!owners(root.end.path).empty()) {
        ++out_.owned;
        continue;
      }
      take(root.match.path);
    }
    return std::move(out_);
  }

 private:
  std::vector<std::uint32_t> owners(std::string_view canonical) const {
    std::vector<std::uint32_t> out;
    if (const OwnedPath* const path = db_.find(canonical))
      for (const PackageFile& file : db_.files(*path)) out.push_back(file.package);
    return out;
  }

  void take(const std::string& root) {
    const Closure closure = loader_.closure_of(root);
    switch (closure.state) {
      case RootState::loadable: break;
      case RootState::unknown: out_.problems.push_back(fmt::format("{}: {}", root, closure.problem)); return;
      default: ++out_.not_elf; return;
    }
    ++out_.roots;
    for (const LoadEdge& edge : closure.edges) {
      const LoadedObject& requester = closure.objects[edge.requester];
      if (edge.kind != EdgeKind::needed || !owners(requester.canonical).empty()) continue;
      if (!seen_needs_.emplace(requester.canonical, edge.name).second) continue;
      UnownedNeed need{
          .file = requester.canonical, .needed = edge.name, .provider = {}, .owners = {}, .chain = {}, .search = {}};
      if (edge.requester != 0) need.chain = closure.chain(edge.requester);
      if (edge.state == EdgeState::unknown) {
        out_.problems.push_back(fmt::format("{} needs {}: {}", need.file, need.needed, edge.reason));
        continue;
      }
      if (edge.provider) {
        need.provider = closure.objects[*edge.provider].canonical;
        need.owners = owners(need.provider);
      } else {
        need.search = describe_search(closure, edge);
        if (!edge.reason.empty()) need.search.insert(need.search.begin(), edge.reason);
      }
      out_.needs.push_back(std::move(need));
    }
  }

  const ImageView& image_;
  const PackageDb& db_;
  Loader loader_;
  UnownedNeeds out_;
  std::set<std::string> seen_roots_;
  std::set<std::pair<std::string, std::string>> seen_needs_;
};

}  // namespace

UnownedNeeds find_unowned_needs(const ImageView& image, const std::vector<Selected>& roots) {
  return Finder(image).find(roots);
}

}  // namespace ocilint
