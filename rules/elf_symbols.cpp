#include <fmt/format.h>

#include <algorithm>

#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view symbol_kinds[] = {"func", "ifunc", "object", "tls"};

bool is_kind(SymbolType type, std::string_view kind) {
  return (kind == "func" && type == SymbolType::func) || (kind == "ifunc" && type == SymbolType::ifunc) ||
         (kind == "object" && type == SymbolType::object) || (kind == "tls" && type == SymbolType::tls);
}

constexpr Param params[] = {
    {"file", ParamType::paths, "the ELF file"},
    {"files", ParamType::paths, "several ELF files; each must satisfy the lists"},
    {"defined", ParamType::texts,
     "symbols that must be defined: name, name@@VERSION (the default version) or "
     "name@VERSION (any binding to that version)"},
    {"absent", ParamType::texts, "symbols that must not be defined"},
    {"undefined", ParamType::texts, "symbols that the file must need from elsewhere"},
    {"kind", ParamType::text, "the type that defined symbols must have", false, symbol_kinds},
    {"allow_empty", ParamType::flag, "no such file is fine"},
};

constexpr FindingKind kinds[] = {
    {"absent", "the symbol is neither defined nor needed"},
    {"undefined-only", "the symbol is needed, not defined"},
    {"wrong-version", "the symbol is defined under other versions only"},
    {"not-default", "the symbol is defined, but dlsym() and new links do not get that version"},
    {"wrong-kind", "the symbol has another type"},
    {"present", "the symbol is defined and must not be"},
    {"not-needed", "the file does not need the symbol from elsewhere"},
    {"not-elf", "the file is no ELF file"},
    {"missing", "there is no such file"},
};

constexpr Example examples[] = {{"a script is no library", "{file: /l/a.so, defined: [f]}",
                                 "layers: [{files: {/l/a.so: 'INPUT(x)'}}]", "not-elf /l/a.so"}};

/// name, name@VERSION or name@@VERSION as nm writes it.
struct Wanted {
  std::string text, name, version;
  bool versioned = false, as_default = false;
};

Wanted parse(const std::string& text) {
  Wanted wanted{.text = text, .name = text, .version = {}};
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return wanted;
  wanted.name = text.substr(0, at);
  wanted.versioned = true;
  wanted.as_default = text.compare(at, 2, "@@") == 0;
  wanted.version = text.substr(at + (wanted.as_default ? 2 : 1));
  return wanted;
}

void plan(const Params& with, Plan& plan) {
  plan.elf(files_of(with));
  std::vector<std::string> names;
  for (const char* const list : {"defined", "absent", "undefined"})
    for (const std::string& text : with.texts(list)) names.push_back(parse(text).name);
  plan.symbols(names);
}

std::string list_of(const std::vector<ElfSymbol>& symbols) {
  std::string out;
  for (const ElfSymbol& symbol : symbols)
    out += fmt::format("{}{} ({}{})", out.empty() ? "" : ", ", symbol.text(), symbol.defined ? "" : "undefined ",
                       to_string(symbol.type));
  return out;
}

/// One file under one check: its facts, and where findings about it go.
class Inspection {
 public:
  Inspection(const Selected& selected, const ImageView& image, Answer& answer)
      : selected_(selected), node_(image.tree()[selected.end.node]), facts_(image.elf(node_.inode)), answer_(answer) {}

  bool readable() {
    if (!facts_.malformed.empty()) {
      answer_.could_not(fmt::format("{}: malformed ELF file: {}", describe(selected_), facts_.malformed));
      return false;
    }
    if (facts_.kind != ElfKind::elf) {
      find("not-elf", fmt::format("no ELF file: {}", to_string(facts_.kind)), {});
      return false;
    }
    return true;
  }

  void defined(const Wanted& wanted, std::string_view kind) {
    const auto answer = lookup(wanted);
    if (!answer) return;
    const auto fits = [&](const ElfSymbol& symbol) {
      if (!symbol.exported()) return false;
      if (!wanted.versioned) return symbol.is_default;
      return symbol.version == wanted.version && (!wanted.as_default || symbol.is_default);
    };
    const auto found = std::ranges::find_if(answer->found, fits);
    if (found == answer->found.end()) {
      missing(wanted, *answer);
    } else if (!kind.empty() && !is_kind(found->type, kind)) {
      find("wrong-kind", fmt::format("{} is a {} symbol, {} is asked for", wanted.text, to_string(found->type), kind),
           answer->found);
    } else {
      answer_.evidence(fmt::format("{} is defined ({})", found->text(), to_string(found->type)), selected_.end.path,
                       node_.inode.layer);
    }
  }

  void absent(const Wanted& wanted) {
    const auto answer = lookup(wanted);
    if (!answer) return;
    const bool there = std::ranges::any_of(answer->found, [&](const ElfSymbol& symbol) {
      return symbol.exported() && (!wanted.versioned || symbol.version == wanted.version);
    });
    if (there)
      find("present", wanted.text + " is defined and must not be", answer->found);
    else
      answer_.evidence(wanted.text + " is not defined", selected_.end.path, node_.inode.layer);
  }

  void undefined(const Wanted& wanted) {
    const auto answer = lookup(wanted);
    if (!answer) return;
    const bool needed = std::ranges::any_of(answer->found, [&](const ElfSymbol& symbol) {
      return !symbol.defined && (!wanted.versioned || symbol.version == wanted.version);
    });
    if (needed)
      answer_.evidence(wanted.text + " is needed from elsewhere", selected_.end.path, node_.inode.layer);
    else
      find("not-needed", wanted.text + " is not needed from elsewhere", answer->found);
  }

 private:
  std::optional<SymbolAnswer> lookup(const Wanted& wanted) {
    SymbolAnswer answer = facts_.lookup(wanted.name);
    if (answer.state != SymbolState::unread) return answer;
    answer_.could_not(fmt::format("{}: {} cannot be told: {}", describe(selected_), wanted.text, answer.why));
    return std::nullopt;
  }

  void missing(const Wanted& wanted, const SymbolAnswer& answer) {
    const auto exported = [](const ElfSymbol& symbol) { return symbol.exported(); };
    if (answer.state == SymbolState::absent || answer.found.empty()) {
      find("absent", wanted.text + " is not defined", {});
    } else if (std::ranges::none_of(answer.found, exported)) {
      find("undefined-only", wanted.text + " is not defined, only needed", answer.found);
    } else if (wanted.versioned && std::ranges::none_of(answer.found, [&](const ElfSymbol& symbol) {
                 return symbol.exported() && symbol.version == wanted.version;
               })) {
      find("wrong-version", wanted.text + " is not defined under that version", answer.found);
    } else {
      find("not-default", wanted.text + " is defined, but not as the default version", answer.found);
    }
  }

  void find(const char* kind, std::string message, const std::vector<ElfSymbol>& found) {
    Finding finding;
    finding.kind = kind;
    finding.subject = selected_.match.path;
    finding.message = std::move(message);
    if (selected_.is_link() || selected_.end.path != selected_.match.path)
      finding.details.push_back("the file: " + describe(selected_));
    if (!found.empty()) finding.details.push_back("found: " + list_of(found));
    finding.layer = node_.inode.layer;
    answer_.finding(std::move(finding));
  }

  const Selected& selected_;
  const Node& node_;
  const ElfFacts& facts_;
  Answer& answer_;
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  const PathSet files = files_of(with);
  const std::vector<Selected> selected = select(files, image);
  if (!require_some(selected, files, with.flag("allow_empty"), image, answer)) return;
  for (const Selected& one : selected) {
    if (!one.end.found() || image.tree()[one.end.node].type != EntryType::file) {
      answer.finding(no_regular_file(one, image));
      continue;
    }
    Inspection inspection(one, image, answer);
    if (image.pending() || !inspection.readable()) continue;
    for (const std::string& text : with.texts("defined")) inspection.defined(parse(text), with.text("kind"));
    for (const std::string& text : with.texts("absent")) inspection.absent(parse(text));
    for (const std::string& text : with.texts("undefined")) inspection.undefined(parse(text));
  }
}

}  // namespace

extern const Rule elf_symbols;
const Rule elf_symbols{
    .doc = {.id = "elf-symbols",
            .summary = "A library defines (or lacks, or needs) dynamic symbols.",
            .details = R"(Reads what the dynamic loader reads: PT_DYNAMIC and the tables that it names, never section
headers. `name` asks for what dlsym() finds: a definition that is exported and the default. `name@@VERSION` asks
for that version as the default, `name@VERSION` for any binding to it, hidden ones too.

Unlike `nm -D FILE | grep NAME` it tells a definition from a reference, does not take a prefix for the name, and
does not fail when grep leaves early. Tables that could not be read make the check an error, never "absent".)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
