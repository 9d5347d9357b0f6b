#include "look/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/path.h"
#include "check/loader.h"
#include "facts/elf_machine.h"
#include "look/question.h"

namespace ocilint {
namespace {

std::string machine_text(const ElfFacts& facts) {
  const std::string width = facts.elf_class == ElfClass::elf32   ? "32-bit "
                            : facts.elf_class == ElfClass::elf64 ? "64-bit "
                                                                 : "";
  return width + elf_machine_text(facts.machine);
}

std::string type_text(const ElfFacts& facts) {
  switch (facts.type) {
    case ET_EXEC: return "program at a fixed address";
    case ET_DYN:
      if ((facts.flags_1 & DF_1_PIE) != 0) return "program";
      return facts.interp ? "program or library" : "shared object";
    case ET_REL: return "object file";
    case ET_CORE: return "core dump";
    default: return fmt::format("ELF file of type {}", facts.type);
  }
}

std::string_view binding_text(SymbolBinding binding) {
  switch (binding) {
    case SymbolBinding::local: return "local";
    case SymbolBinding::global: return "global";
    case SymbolBinding::weak: return "weak";
    case SymbolBinding::unique: return "unique";
    case SymbolBinding::other: break;
  }
  return "other";
}

std::optional<std::uint32_t> layer_of(InodeId inode) {
  return inode.created() ? std::optional(inode.layer) : std::nullopt;
}

void take_facts(const ElfFacts& facts, bool symbols_asked, ElfLook& out) {
  out.elf = facts.kind == ElfKind::elf;
  if (!out.elf) {
    out.what = to_string(facts.kind);
    return;
  }
  if (!facts.malformed.empty()) {
    out.what = "ELF file, malformed";
    out.unread.push_back("malformed: " + facts.malformed);
    return;
  }
  out.what = type_text(facts) + ", " + machine_text(facts);
  out.soname = facts.soname.value_or("");
  out.interpreter = facts.interp.value_or("");
  out.rpath = facts.rpath.value_or("");
  out.runpath = facts.runpath.value_or("");
  out.build_id = facts.build_id;
  out.versions_defined = facts.verdef;
  std::set<std::string> unread;
  for (const ElfUnread& one : facts.unread)
    if (one.part != ElfPart::symbols || symbols_asked)
      unread.insert(fmt::format("{} ({}) could not be read", to_string(one.part), one.what));
  out.unread.assign(unread.begin(), unread.end());
  if (!symbols_asked) return;
  for (const ElfSymbol& symbol : facts.matches)
    out.symbols.push_back({symbol.text(), symbol.name, symbol.version, std::string(to_string(symbol.type)),
                           std::string(binding_text(symbol.binding)), symbol.defined, symbol.exported(),
                           symbol.version_file});
  std::ranges::sort(out.symbols, [](const ElfSymbolRow& a, const ElfSymbolRow& b) {
    return std::tie(b.defined, a.text) < std::tie(a.defined, b.text);
  });
}

/// Versions that the requester needs of a name; those that are not there are faults of the closure.
void take_versions(const Closure& closure, const LoadEdge& edge, ElfName& name) {
  const ElfFacts* const facts = closure.objects[edge.requester].facts;
  if (facts == nullptr) return;
  const auto needed = facts->verneed.find(edge.name);
  if (needed == facts->verneed.end()) return;
  name.versions = needed->second;
  for (const VersionFault& fault : closure.version_faults)
    if (fault.known && fault.requester == edge.requester && fault.file == edge.name)
      name.versions_missing.push_back(fault.version);
}

std::string place_of(const Closure& closure, const LoadEdge& edge) {
  if (edge.trail.empty() || edge.trail.back().result != Tried::taken) return {};
  const Try& taken = edge.trail.back();
  if (taken.place != LoadPlace::loaded || !edge.provider) return std::string(to_string(taken.place));
  return std::string(to_string(closure.objects[*edge.provider].place)) + ", loaded before";
}

void take_closure(const Closure& closure, ElfLook& out) {
  out.loader = to_string(closure.loader);
  out.loadable = closure.state == RootState::loadable;
  out.problem = closure.problem;
  if (closure.state == RootState::unknown) out.unread.push_back(closure.problem);
  if (!out.loadable) return;
  out.secure = closure.secure;
  out.interpreter_problem = closure.interpreter_problem;
  out.versions_checked = closure.versions_checked;
  for (const LoadedObject& object : closure.objects)
    out.objects.push_back({object.path, object.canonical, layer_of(object.inode)});
  std::vector<bool> there(closure.objects.size(), false);
  if (!there.empty()) there[0] = true;
  for (const LoadEdge& edge : closure.edges) {
    ElfName& name = out.names.emplace_back();
    name.requester = edge.requester;
    name.kind = to_string(edge.kind);
    name.name = edge.name;
    name.state = to_string(edge.state);
    name.resolved = edge.state == EdgeState::resolved || edge.state == EdgeState::through_preload;
    name.may_be_missing = edge.kind == EdgeKind::auxiliary;
    name.provider = edge.provider;
    name.place = place_of(closure, edge);
    if (edge.provider && !there[*edge.provider]) name.brings = there[*edge.provider] = true;
    take_versions(closure, edge, name);
    if (name.resolved) continue;
    name.reason = edge.reason;
    name.searched = describe_search(closure, edge);
    if (edge.state == EdgeState::unknown)
      out.unread.push_back(
          fmt::format("what {} gets for {}: {}", closure.objects[edge.requester].canonical, edge.name, edge.reason));
  }
  for (const VersionFault& fault : closure.version_faults) {
    const std::string& requester = closure.objects[fault.requester].canonical;
    if (!fault.known) {
      out.unread.push_back(fmt::format("versions that {} needs of {}: {}", requester, fault.file, fault.reason));
    } else {
      out.version_faults.push_back(
          fmt::format("{} needs {} of {}, {}", requester, fault.version, fault.file,
                      fault.provider ? "which " + closure.objects[*fault.provider].canonical + " does not define"
                                     : std::string("which was not found")));
    }
  }
}

ElfLook answer(const ImageView& view, const ElfQuestion& question) {
  ElfLook out;
  out.path = question.path;
  const Resolution end = file_behind(view, question.path);
  for (const Hop& hop : end.hops) out.links.push_back(hop.path + " -> " + hop.target);
  const Node& node = view.tree()[end.node];
  out.file = end.path;
  out.bytes = node.size;
  out.layer = layer_of(node.inode);
  if (out.layer) out.created_by = view.layers()[*out.layer].created_by;
  out.symbols_asked = !question.symbols.empty();
  take_facts(view.elf(node.inode), out.symbols_asked, out);

  LoaderOptions how;
  how.cpu_level = question.cpu_level;
  Loader loader(view, how);
  // The folder that the path names is $ORIGIN of a library, wherever the file itself stands.
  const Resolution as_named = view.resolve(normalise(question.path).path, Last::keep);
  take_closure(loader.closure_of(as_named.found() ? as_named.path : end.path), out);
  out.basis = loader.basis();
  for (const unsigned level : Loader::levels_of(view))
    if (level != question.cpu_level) out.other_levels.push_back(level);
  return out;
}

void redact_all(const RedactText& redact, ElfLook& look) {
  for (std::string* const text : {&look.path, &look.file, &look.created_by, &look.problem, &look.soname,
                                  &look.interpreter, &look.interpreter_problem, &look.rpath, &look.runpath})
    redact(*text);
  const auto all = [&](std::vector<std::string>& texts) {
    for (std::string& text : texts) redact(text);
  };
  for (auto* const texts : {&look.links, &look.versions_defined, &look.version_faults, &look.basis, &look.unread})
    all(*texts);
  for (ElfObject& object : look.objects) {
    redact(object.path);
    redact(object.canonical);
  }
  for (ElfName& name : look.names) {
    redact(name.name);
    redact(name.reason);
    for (auto* const texts : {&name.searched, &name.versions, &name.versions_missing}) all(*texts);
  }
  for (ElfSymbolRow& symbol : look.symbols)
    for (std::string* const text : {&symbol.text, &symbol.name, &symbol.version, &symbol.version_file}) redact(*text);
}

}  // namespace

std::size_t ElfLook::missing() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(names, [](const ElfName& name) { return !name.resolved && !name.may_be_missing; }));
}

ElfLook look_at_elf(const RunOptions& options, const ElfQuestion& question) {
  ElfLook out;
  with_image(options, [&](ReadImage& read, const RedactText& redact) {
    const auto declare = [&](Plan& plan) {
      Loader::plan(plan);
      plan.elf(std::string_view(glob_of_name(question.path)));
      if (!question.symbols.empty()) plan.symbol_patterns(question.symbols, question.symbols);
    };
    ask_image(read, options, declare, [&](const ImageView& view) { out = answer(view, question); });
    redact_all(redact, out);
    out.image = describe_image(options, read.image(), redact);
  });
  return out;
}

}  // namespace ocilint
