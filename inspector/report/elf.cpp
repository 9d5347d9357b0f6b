#include "report/elf.h"

#include <fmt/format.h>

#include "base/json.h"
#include "look/command_text.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/report.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

// Deeper trees are not real ones; a hostile chain of ten thousand would be all indentation.
constexpr std::size_t deepest = 64;

std::string joined(const std::vector<std::string>& texts, std::string_view between = " ") {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : std::string(between)) + for_terminal(text);
  return out;
}

std::string file_of(const ElfLook& look, const ElfName& name) {
  if (name.provider) return for_terminal(look.objects[*name.provider].canonical);
  return name.may_be_missing     ? "none, and none is needed"
         : name.state == "fatal" ? "(the loader gives up)"
                                 : "(" + name.state + ")";
}

Hue hue_of(const ElfName& name) {
  if (!name.versions_missing.empty()) return Hue::red;
  return name.resolved ? Hue::plain : name.may_be_missing ? Hue::grey : Hue::red;
}

std::string why_of(const ElfName& name) {
  std::string out = name.resolved ? name.place : for_terminal(name.reason);
  if (name.kind != "NEEDED") out = name.kind + (out.empty() ? "" : ", " + out);
  return out;
}

std::string head_of(const ElfLook& look, const LookStyle& style) {
  std::string out = heading(look.image, style) + "\n";
  for (const std::string& link : look.links) out += for_terminal(link) + "\n";
  out += for_terminal(look.file) + ": " + look.what + ", " + human_bytes(look.bytes);
  if (look.layer) out += fmt::format(", layer {}", *look.layer);
  out += "\n";
  if (!look.created_by.empty())
    out += paint("  " + for_terminal(parse_command(look.created_by).text()), Hue::grey, style.color) + "\n";
  if (!look.loadable) return out + "no loader takes it: " + for_terminal(look.problem) + "\n";
  out += "\n";
  const auto fact = [&](std::string_view name, const std::string& text) {
    if (text.empty()) return;
    for (const std::string& line : wrap(fmt::format("{:<12} {}", name, text), style.width, 13)) out += line + "\n";
  };
  fact("SONAME", for_terminal(look.soname));
  fact("interpreter", for_terminal(look.interpreter));
  fact("RPATH", for_terminal(look.rpath));
  fact("RUNPATH", for_terminal(look.runpath));
  fact("build ID", for_terminal(look.build_id));
  fact("versions", joined(look.versions_defined));
  if (look.secure) fact("secure", "set-user-ID or set-group-ID: LD_LIBRARY_PATH and LD_PRELOAD are not used");
  if (!look.interpreter_problem.empty())
    out += paint("cannot start: " + for_terminal(look.interpreter_problem), Hue::red, style.color) + "\n";
  return out;
}

std::string needs_of(const ElfLook& look, const LookStyle& style) {
  Table table({{"needs"}, {"file"}, {"found by"}, {"versions"}});
  for (const ElfName& name : look.names) {
    if (name.requester != 0) continue;
    table.row({for_terminal(name.name), file_of(look, name), why_of(name), joined(name.versions)}, hue_of(name));
    for (const std::string& version : name.versions_missing)
      table.below("not defined: " + for_terminal(version), Hue::red);
  }
  const std::string rows = table.write(style.width, style.color);
  return rows.empty() ? "\nneeds nothing\n" : "\n" + rows;
}

/// Depth first with a stack of its own: a file decides how deep it goes.
std::string tree_of(const ElfLook& look, const LookStyle& style) {
  std::vector<std::vector<const ElfName*>> below(look.objects.size());
  for (const ElfName& name : look.names) below[name.requester].push_back(&name);
  struct Level {
    std::size_t object, next;
    std::string indent;
  };
  std::string out = "\n" + for_terminal(look.file) + "\n";
  std::vector<Level> stack = {{0, 0, ""}};
  while (!stack.empty()) {
    Level& level = stack.back();
    if (level.next == below[level.object].size()) {
      stack.pop_back();
      continue;
    }
    const ElfName& name = *below[level.object][level.next++];
    const bool last = level.next == below[level.object].size();
    std::string line = for_terminal(name.name) + " => " + file_of(look, name);
    if (name.resolved && !name.brings)
      line += "  (above)";
    else if (const std::string why = why_of(name); !why.empty())
      line += "  [" + why + "]";
    if (!name.versions_missing.empty()) line += "  not defined: " + joined(name.versions_missing, ", ");
    const Hue hue = name.resolved && !name.brings && name.versions_missing.empty() ? Hue::grey : hue_of(name);
    out += level.indent + (last ? "└── " : "├── ") + paint(line, hue, style.color) + "\n";
    if (!name.brings || !name.provider || below[*name.provider].empty()) continue;
    std::string indent = level.indent + (last ? "    " : "│   ");
    if (stack.size() == deepest)
      out += indent + "└── (deeper ones are not shown; -o json has all)\n";
    else
      stack.push_back({*name.provider, 0, std::move(indent)});
  }
  return out;
}

std::string faults_of(const ElfLook& look, const LookStyle& style) {
  std::string out;
  for (const ElfName& name : look.names) {
    if (name.resolved || name.may_be_missing) continue;
    out += "\n" + paint(for_terminal(name.name) + ": " + name.state, Hue::red, style.color) + ", needed by " +
           for_terminal(look.objects[name.requester].canonical) + "\n";
    for (const std::string& line : name.searched) out += "  searched " + for_terminal(line) + "\n";
  }
  if (!look.version_faults.empty()) out += "\n";
  for (const std::string& fault : look.version_faults) out += paint(for_terminal(fault), Hue::red, style.color) + "\n";
  return out;
}

std::string symbols_of(const ElfLook& look, const LookStyle& style) {
  if (!look.symbols_asked) return {};
  Table table({{"symbol is"}, {"type"}, {"binding"}, {"name"}});
  for (const ElfSymbolRow& symbol : look.symbols) {
    std::string text = for_terminal(symbol.text);
    if (!symbol.version_file.empty()) text += "  of " + for_terminal(symbol.version_file);
    table.row({!symbol.defined   ? "undefined"
               : symbol.exported ? "defined"
                                 : "not exported",
               symbol.type, symbol.binding, std::move(text)},
              symbol.defined ? Hue::plain : Hue::grey);
  }
  const std::string rows = table.write(style.width, style.color);
  return "\n" + (rows.empty() ? "no symbol matches\n" : rows);
}

Ordered of(const ElfName& name) {
  Ordered out;
  out["requester"] = name.requester;
  out["kind"] = name.kind;
  put_text(out, "name", name.name);
  out["state"] = name.state;
  out["object"] = name.provider ? Ordered(*name.provider) : Ordered();
  if (!name.place.empty()) out["found_by"] = name.place;
  if (!name.reason.empty()) put_text(out, "reason", name.reason);
  if (!name.searched.empty()) out["searched"] = json_texts(name.searched);
  if (!name.versions.empty()) out["versions"] = json_texts(name.versions);
  if (!name.versions_missing.empty()) out["versions_missing"] = json_texts(name.versions_missing);
  return out;
}

Ordered of(const ElfSymbolRow& symbol) {
  Ordered out;
  put_text(out, "name", symbol.name);
  if (!symbol.version.empty()) put_text(out, "version", symbol.version);
  put_text(out, "text", symbol.text);
  out["type"] = symbol.type;
  out["binding"] = symbol.binding;
  out["defined"] = symbol.defined;
  out["exported"] = symbol.exported;
  if (!symbol.version_file.empty()) put_text(out, "version_file", symbol.version_file);
  return out;
}

}  // namespace

std::string write_elf_text(const ElfLook& look, const LookStyle& style, bool tree) {
  std::string out = head_of(look, style);
  if (look.loadable) {
    out += tree ? tree_of(look, style) : needs_of(look, style);
    out += faults_of(look, style);
  }
  if (look.elf) out += symbols_of(look, style);
  out += "\n";
  if (look.loadable) {
    const std::size_t missing = look.missing();
    out += fmt::format(
        "{} file{} loaded for {} name{}; {}; {} symbol version{} checked, {}\n", look.objects.size(),
        look.objects.size() == 1 ? "" : "s", look.names.size(), look.names.size() == 1 ? "" : "s",
        missing == 0 ? "none missing" : fmt::format("{} not found", missing), look.versions_checked,
        look.versions_checked == 1 ? "" : "s",
        look.version_faults.empty() ? "none missing" : fmt::format("{} missing", look.version_faults.size()));
    for (const std::string& line : look.basis)
      for (const std::string& part : wrap("by " + for_terminal(line), style.width, 2))
        out += paint(part, Hue::grey, style.color) + "\n";
    for (const unsigned level : look.other_levels)
      out += paint(fmt::format("other files may be loaded on other processors: --cpu-level {}", level), Hue::grey,
                   style.color) +
             "\n";
  }
  for (const std::string& why : look.unread)
    out += paint("not to be trusted", Hue::red, style.color) + ": " + for_terminal(why) + "\n";
  return out;
}

std::string write_elf_json(const ElfLook& look) {
  Ordered out = look_document("elf", look.image);
  put_text(out, "path", look.path);
  put_text(out, "file", look.file);
  out["links"] = json_texts(look.links);
  out["bytes"] = look.bytes;
  out["layer"] = look.layer ? Ordered(*look.layer) : Ordered();
  put_text(out, "created_by", look.created_by);
  out["what"] = for_json(look.what);
  out["loadable"] = look.loadable;
  if (!look.problem.empty()) put_text(out, "problem", look.problem);
  if (look.loadable) out["loader"] = look.loader;
  const auto fact = [&](const char* key, const std::string& text) {
    if (!text.empty()) put_text(out, key, text);
  };
  fact("soname", look.soname);
  fact("interpreter", look.interpreter);
  fact("interpreter_problem", look.interpreter_problem);
  fact("rpath", look.rpath);
  fact("runpath", look.runpath);
  fact("build_id", look.build_id);
  out["secure"] = look.secure;
  out["versions_defined"] = json_texts(look.versions_defined);
  out["objects"] = Ordered::array();
  for (const ElfObject& object : look.objects) {
    Ordered one;
    put_text(one, "path", object.path);
    put_text(one, "canonical", object.canonical);
    one["layer"] = object.layer ? Ordered(*object.layer) : Ordered();
    out["objects"].push_back(std::move(one));
  }
  out["names"] = Ordered::array();
  for (const ElfName& name : look.names) out["names"].push_back(of(name));
  out["missing"] = look.missing();
  out["version_faults"] = json_texts(look.version_faults);
  out["versions_checked"] = look.versions_checked;
  if (look.symbols_asked) {
    out["symbols"] = Ordered::array();
    for (const ElfSymbolRow& symbol : look.symbols) out["symbols"].push_back(of(symbol));
  }
  out["basis"] = json_texts(look.basis);
  out["other_cpu_levels"] = look.other_levels;
  out["unread"] = json_texts(look.unread);
  return json_text(out);
}

}  // namespace ocilint
