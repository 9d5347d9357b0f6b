#include "check/loader_walk.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"

namespace ocilint {
namespace {

constexpr std::uint32_t set_id_bits = 06000;

std::string beside(const std::string& directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  return directory.ends_with('/') ? directory + std::string(name) : directory + "/" + std::string(name);
}

/// musl takes these names for itself, whatever follows the dot (ldso/dynlink.c, load_library).
bool is_musl_itself(std::string_view name) {
  if (!name.starts_with("lib")) return false;
  name.remove_prefix(3);
  for (const std::string_view own : {"c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet."})
    if (name.starts_with(own)) return true;
  return false;
}

}  // namespace

Closure LoaderWalk::run(std::string_view root, bool preloads) {
  if (begin(root)) {
    check_interpreter();
    preload_of_image();
    if (preloads) {
      // What a program loads early comes with all its needs before the root does.
      preload_of_options();
      next_ = 1;
      drain();
      needs_of(0);
    }
    drain();
    if (!musl()) check_versions();
  }
  return std::move(closure_);
}

bool LoaderWalk::begin(std::string_view root) {
  const LoaderFile& file = files_.at(std::string(root));
  if (file.result != Tried::taken) {
    closure_.state = RootState::no_file;
    closure_.problem = file.result == Tried::absent ? "no such file" : file.why;
    return false;
  }
  const ElfFacts* const facts = files_.facts_of(file.inode);
  if (facts == nullptr) {
    closure_.problem = "its ELF header is still to be read";
    return false;
  }
  if (facts->kind != ElfKind::elf) {
    closure_.state = RootState::not_elf;
    closure_.problem = to_string(facts->kind);
    return false;
  }
  if (!facts->malformed.empty() || !facts->was_read(ElfPart::headers)) {
    closure_.problem = facts->malformed.empty() ? "its ELF header could not be read" : "malformed: " + facts->malformed;
    return false;
  }
  if (!facts->is_loadable()) {
    closure_.state = RootState::not_loadable;
    closure_.problem = fmt::format("ELF type {}, machine {}", facts->type, facts->machine);
    return false;
  }
  closure_.state = RootState::loadable;
  loader_ = &system_.loader_for(*facts);
  closure_.loader = loader_->kind;
  taste_ = {loader_->kind, facts};
  // The kernel hands over a program by its real path; a library keeps the one it is opened by.
  const bool program = facts->interp || facts->type == ET_EXEC;
  closure_.secure = program && (file.mode & set_id_bits) != 0;
  std::string path = program && !options_.origin_as_given ? file.canonical : std::string(root);
  add_object({std::move(path), file.canonical, file.inode, facts, std::nullopt, LoadPlace::root});
  return true;
}

void LoaderWalk::check_interpreter() {
  const ElfFacts& root = *closure_.objects[0].facts;
  if (!root.interp) return;
  closure_.interpreter = *root.interp;
  const std::string path = absolute(*root.interp);
  const LoaderFile& file = files_.at(path);
  std::string& problem = closure_.interpreter_problem;
  if (file.result == Tried::absent) {
    problem = "no such file";
  } else if (file.result != Tried::taken) {
    problem = file.why;
  } else if (const ElfFacts* const facts = files_.facts_of(file.inode)) {
    if (facts->kind != ElfKind::elf)
      problem = fmt::format("no ELF file: {}", to_string(facts->kind));
    else if (facts->elf_class != root.elf_class || facts->machine != root.machine)
      problem = "built for another processor";
    else if ((file.mode & 0111) == 0)
      problem = "not executable";
  }
}

std::size_t LoaderWalk::add_object(LoadedObject object) {
  const std::size_t index = closure_.objects.size();
  by_inode_.emplace(object.inode, index);
  if (!musl()) {
    add_name(index, object.path);
    if (object.facts != nullptr && object.facts->soname) add_name(index, *object.facts->soname);
  }
  closure_.objects.push_back(std::move(object));
  return index;
}

void LoaderWalk::preload_of_image() {
  if (!closure_.secure)
    for (const std::string& name : system_.environment_preloads()) ask(0, EdgeKind::preload, name);
  if (musl()) return;
  for (const std::string& name : system_.file_preloads()) ask(0, EdgeKind::preload, name);
  if (!system_.file_preloads_problem().empty())
    closure_.edges.push_back(
        {0, EdgeKind::preload, "/etc/ld.so.preload", EdgeState::unknown, {}, system_.file_preloads_problem(), {}});
}

void LoaderWalk::preload_of_options() {
  for (const std::string& name : options_.preloads) ask(std::nullopt, EdgeKind::preload, name);
}

void LoaderWalk::drain() {
  for (; next_ < closure_.objects.size() && !stopped_; ++next_) needs_of(next_);
}

void LoaderWalk::needs_of(std::size_t object) {
  // The table of objects grows while this runs: no reference into it.
  const ElfFacts* const facts = closure_.objects[object].facts;
  if (facts == nullptr) return;
  if (!facts->was_read(ElfPart::dynamic)) {
    closure_.edges.push_back(
        {object, EdgeKind::needed, "", EdgeState::unknown, {}, "what it needs could not be read", {}});
    return;
  }
  for (const std::string& name : facts->needed) ask(object, EdgeKind::needed, name);
  if (musl()) return;
  for (const std::string& name : facts->filter) ask(object, EdgeKind::filter, name);
  for (const std::string& name : facts->auxiliary) ask(object, EdgeKind::auxiliary, name);
}

void LoaderWalk::ask(std::optional<std::size_t> requester, EdgeKind kind, std::string_view written) {
  if (stopped_) return;
  LoadEdge edge;
  edge.requester = requester.value_or(0);
  edge.kind = kind;
  edge.name = !musl() && requester ? expand(*requester, written) : std::string(written);
  if (closure_.edges.size() >= loader_edges_limit || closure_.objects.size() >= loader_objects_limit) {
    stopped_ = true;
    edge.reason = fmt::format("more than {} objects or {} names", loader_objects_limit, loader_edges_limit);
    closure_.edges.push_back(std::move(edge));
    return;
  }
  if (const auto loaded = loaded_as(edge.name)) {
    edge.state = EdgeState::resolved;
    edge.provider = loaded;
    edge.trail.push_back({LoadPlace::loaded, Tried::taken, closure_.objects[*loaded].path, {}});
    closure_.edges.push_back(std::move(edge));
    return;
  }
  Found found = search(requester, edge.name, edge.trail);
  settle(std::move(edge), std::move(found), requester);
}

std::optional<std::size_t> LoaderWalk::loaded_as(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  // The loader itself is always there: under the name of PT_INTERP and its own SONAME; in musl it is libc too.
  const bool soname = !musl() && loader_->facts != nullptr && loader_->facts->soname == name;
  const bool itself = soname || (!loader_->path.empty() && name == loader_->path) || (musl() && is_musl_itself(name));
  if (!itself || loader_->facts == nullptr) return std::nullopt;
  if (!interpreter_) {
    const LoaderFile& file = files_.at(absolute(loader_->path));
    if (file.result != Tried::taken) return std::nullopt;
    interpreter_ =
        add_object({loader_->path, file.canonical, file.inode, loader_->facts, std::nullopt, LoadPlace::loaded});
  }
  add_name(*interpreter_, name);
  return interpreter_;
}

void LoaderWalk::settle(LoadEdge edge, Found found, std::optional<std::size_t> requester) {
  switch (found.judgement.result) {
    case Tried::taken: take(edge, found, requester); break;
    case Tried::fatal:
      edge.state = EdgeState::fatal;
      edge.reason = fmt::format("{}: {}", found.path, found.judgement.why);
      break;
    case Tried::unknown:
      edge.state = EdgeState::unknown;
      edge.reason = fmt::format("{}: {}", found.path, found.judgement.why);
      break;
    default:
      edge.state = EdgeState::missing;
      edge.reason = "nowhere in the search path";
      if (std::ranges::any_of(edge.trail, [](const Try& one) { return one.result == Tried::other_class; }))
        edge.reason = "only of another class";
      break;
  }
  closure_.edges.push_back(std::move(edge));
}

void LoaderWalk::take(LoadEdge& edge, const Found& found, std::optional<std::size_t> requester) {
  edge.state = EdgeState::resolved;
  if (const auto known = by_inode_.find(found.file.inode); known != by_inode_.end()) {
    edge.provider = known->second;
    add_name(known->second, edge.name);
    return;
  }
  edge.provider = add_object(
      {found.path, found.file.canonical, found.file.inode, files_.facts_of(found.file.inode), requester, found.place});
  if (!musl() || edge.name.find('/') == std::string::npos) add_name(*edge.provider, edge.name);
}

bool LoaderWalk::try_path(LoadPlace place, std::string path, std::vector<Try>& trail, Found& found) {
  const LoaderFile& file = files_.at(absolute(path));
  Judgement judgement = files_.judge(file, taste_);
  // An object that is mapped already is recognised before it is asked whether it is a library at all.
  if (!judgement.maps && by_inode_.contains(file.inode)) judgement = {Tried::taken, {}, true};
  trail.push_back({place, judgement.result, path, judgement.why});
  const Tried result = judgement.result;
  if (result != Tried::taken && result != Tried::fatal && result != Tried::unknown) return false;
  found = {std::move(judgement), std::move(path), file, place};
  return true;
}

bool LoaderWalk::search_list(const Search& list, const std::string& name, std::vector<Try>& trail, Found& found) {
  for (const std::string& directory : *list.directories) {
    if (!directory.empty() && !files_.is_directory(absolute(directory))) {
      trail.push_back({list.place, Tried::no_directory, directory, {}});
      continue;
    }
    for (const std::string& folder : loader_->subdirectories) {
      const std::string inside = folder.empty() ? directory : beside(directory, folder);
      if (!folder.empty() && !files_.is_directory(absolute(inside))) continue;
      if (try_path(list.place, beside(inside, name), trail, found)) return true;
    }
    // Any error but ENOENT and EACCES of the last try ends the list in glibc, and the whole search in musl.
    if (!trail.empty() && trail.back().result == Tried::loop) return false;
  }
  return false;
}

bool LoaderWalk::search_cache(const std::string& name, bool no_default, std::vector<Try>& trail, Found& found) {
  const LdSoCache* const cache = system_.cache();
  if (cache == nullptr) {
    if (system_.cache_problem().empty()) return false;
    trail.push_back({LoadPlace::cache, Tried::unknown, "/etc/ld.so.cache", system_.cache_problem()});
    found = {{Tried::unknown, system_.cache_problem(), true}, "/etc/ld.so.cache", {}, LoadPlace::cache};
    return true;
  }
  const LoaderMachine* const machine = find_machine(taste_.root->machine, taste_.root->elf_class);
  const LdSoCache::Entry* const best = system_.cached(name, *loader_, machine);
  if (best == nullptr) {
    trail.push_back({LoadPlace::cache, Tried::absent, "/etc/ld.so.cache", {}});
    return false;
  }
  if (no_default && std::ranges::any_of(loader_->directories, [&](const std::string& directory) {
        return best->path.starts_with(directory + "/");
      })) {
    trail.push_back({LoadPlace::cache, Tried::not_allowed, best->path, {}});
    return false;
  }
  return try_path(LoadPlace::cache, best->path, trail, found);
}

LoaderWalk::Found LoaderWalk::search_written(const std::string& name, std::vector<Try>& trail) {
  Found found;
  try_path(LoadPlace::written, name, trail, found);
  return found;
}

LoaderWalk::Found LoaderWalk::search(std::optional<std::size_t> requester, const std::string& name,
                                     std::vector<Try>& trail) {
  Found found;
  if (name.empty()) return found;
  if (name.find('/') != std::string::npos) return search_written(name, trail);
  for (const Search& list : lists_for(requester)) {
    if (search_list(list, name, trail, found)) return found;
    if (musl() && !trail.empty() && trail.back().result == Tried::loop) return found;
  }
  if (musl()) {
    if (search_list({LoadPlace::system, &loader_->directories}, name, trail, found)) return found;
    if (!loader_->problem.empty()) found.judgement = {Tried::unknown, loader_->problem, true};
    return found;
  }
  const std::uint64_t flags = requester ? closure_.objects[*requester].facts->flags_1 : 0;
  const bool no_default = (flags & DF_1_NODEFLIB) != 0;
  if (search_cache(name, no_default, trail, found)) return found;
  if (no_default) {
    trail.push_back({LoadPlace::system, Tried::not_allowed, "the default directories", {}});
  } else if (!loader_->problem.empty()) {
    found.judgement = {Tried::unknown, loader_->problem, true};
  } else {
    search_list({LoadPlace::system, &loader_->directories}, name, trail, found);
  }
  return found;
}

}  // namespace ocilint
