#include "check/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/path.h"
#include "check/loader_files.h"
#include "check/loader_system.h"
#include "check/loader_walk.h"
#include "check/rule.h"

namespace ocilint {

std::string_view to_string(LoaderKind kind) { return kind == LoaderKind::glibc ? "glibc" : "musl"; }

std::string_view to_string(LoadPlace place) {
  constexpr std::array<std::string_view, 8> names = {"already loaded",    "as written", "RPATH",
                                                     "LD_LIBRARY_PATH",   "RUNPATH",    "ld.so.cache",
                                                     "default directory", "root"};
  return names.at(static_cast<std::size_t>(place));
}

std::string_view to_string(Tried tried) {
  constexpr std::array<std::string_view, 10> names = {"taken",
                                                      "no such file",
                                                      "no such directory",
                                                      "a link to nothing",
                                                      "links in a circle",
                                                      "another class, skipped",
                                                      "another machine, skipped",
                                                      "not used (DF_1_NODEFLIB)",
                                                      "the loader fails here",
                                                      "cannot be told"};
  return names.at(static_cast<std::size_t>(tried));
}

std::string_view to_string(EdgeState state) {
  constexpr std::array<std::string_view, 5> names = {"resolved", "only through a preload", "missing", "fatal",
                                                     "unknown"};
  return names.at(static_cast<std::size_t>(state));
}

std::string_view to_string(EdgeKind kind) {
  constexpr std::array<std::string_view, 4> names = {"NEEDED", "FILTER", "AUXILIARY", "preload"};
  return names.at(static_cast<std::size_t>(kind));
}

bool Closure::complete() const {
  if (state != RootState::loadable || !interpreter_problem.empty() || !version_faults.empty()) return false;
  return std::ranges::all_of(edges, [](const LoadEdge& edge) {
    return edge.state == EdgeState::resolved || edge.state == EdgeState::through_preload ||
           (edge.kind == EdgeKind::auxiliary && edge.state == EdgeState::missing);
  });
}

std::string Closure::chain(std::size_t object) const {
  // The name by which each object came in; loader indexes fall, so this ends.
  std::string out;
  for (std::optional<std::size_t> at = object; at;) {
    const std::optional<std::size_t> from = objects[*at].loader;
    const auto edge =
        std::ranges::find_if(edges, [&](const LoadEdge& one) { return one.provider == at && from == one.requester; });
    const std::string& name = from && edge != edges.end() ? edge->name : objects[*at].path;
    out = out.empty() ? name : name + " -> " + out;
    at = from;
  }
  return out;
}

std::optional<std::size_t> Closure::provider_of(std::string_view name) const {
  for (const LoadEdge& edge : edges)
    if (edge.name == name && edge.provider) return edge.provider;
  return std::nullopt;
}

class Loader::State {
 public:
  State(const ImageView& image, LoaderOptions wanted)
      : view(image), options(std::move(wanted)), system(view, options), files(view) {}

  const ImageView& view;
  LoaderOptions options;
  LoaderSystem system;
  LoaderFiles files;
};

Loader::Loader(const ImageView& view, LoaderOptions options)
    : state_(std::make_unique<State>(view, std::move(options))) {}
Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;

void Loader::plan(Plan& plan) {
  for (const char* const glob : {"**/*.so*", "**/ld-linux*", "**/ld64.so*", "**/ld-musl-*"})
    plan.elf(std::string_view(glob));
  // The loader's own bytes say where it looks; some 200 kB each.
  for (const char* const glob : {"**/ld-linux*.so*", "**/ld-2.*.so", "**/ld64.so*", "/etc/ld.so.cache",
                                 "/etc/ld.so.preload", "/etc/ld-musl-*.path"})
    plan.content(std::string_view(glob));
}

const ElfFacts* Loader::facts_of(InodeId inode) const { return state_->files.facts_of(inode); }

std::vector<std::string> Loader::basis() const { return state_->system.basis(); }

Closure Loader::closure_of(std::string_view root) {
  const auto walk = [&](bool preloads) {
    return LoaderWalk(state_->system, state_->files, state_->options).run(root, preloads);
  };
  Closure cold = walk(false);
  if (state_->options.preloads.empty() || cold.state != RootState::loadable) return cold;
  Closure warm = walk(true);
  // What the same object found under the same name without help.
  std::map<std::pair<InodeId, std::string_view>, EdgeState> before;
  for (const LoadEdge& edge : cold.edges) before[{cold.objects[edge.requester].inode, edge.name}] = edge.state;
  for (LoadEdge& edge : warm.edges) {
    if (edge.state != EdgeState::resolved || edge.kind == EdgeKind::preload) continue;
    const auto was = before.find({warm.objects[edge.requester].inode, edge.name});
    if (was != before.end() && (was->second == EdgeState::missing || was->second == EdgeState::fatal))
      edge.state = EdgeState::through_preload;
  }
  return warm;
}

std::vector<unsigned> Loader::levels_of(const ImageView& view) {
  struct Folder {
    const char* glob;
    unsigned level;
  };
  // The names of other machines' levels fall into the same numbers: the best is tried with all below it.
  constexpr std::array<Folder, 10> folders = {{{"**/glibc-hwcaps/x86-64-v2", 2},
                                               {"**/glibc-hwcaps/x86-64-v3", 3},
                                               {"**/glibc-hwcaps/x86-64-v4", 4},
                                               {"**/haswell", 3},
                                               {"**/avx512_1", 4},
                                               {"**/glibc-hwcaps/power9", 2},
                                               {"**/glibc-hwcaps/power10", 3},
                                               {"**/glibc-hwcaps/z13", 2},
                                               {"**/glibc-hwcaps/z14", 3},
                                               {"**/glibc-hwcaps/z1[56]", 5}}};
  std::set<unsigned> levels;
  for (const Folder& folder : folders)
    for (const Match& match : ocilint::match(view.tree(), Glob::parse(folder.glob)))
      if (view.tree()[match.node].type == EntryType::directory) levels.insert(folder.level);
  return {levels.begin(), levels.end()};
}

std::vector<std::string> describe_search(const Closure& closure, const LoadEdge& edge) {
  constexpr std::size_t most = 40;
  std::vector<std::string> out;
  for (const Try& one : edge.trail) {
    if (out.size() == most) {
      out.push_back(fmt::format("… and {} more places", edge.trail.size() - most));
      break;
    }
    out.push_back(fmt::format("{}: {}: {}{}{}", to_string(one.place),
                              one.path.empty() ? "(working directory)" : one.path, to_string(one.result),
                              one.why.empty() ? "" : ": ", one.why));
  }
  if (closure.secure) out.push_back("LD_LIBRARY_PATH is not used: the program is set-user-ID or set-group-ID");
  if (out.empty()) out.push_back("no place to look in");
  return out;
}

}  // namespace ocilint
