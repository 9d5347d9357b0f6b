#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/path.h"
#include "base/pattern.h"
#include "check/rule.h"
#include "check/selection.h"
#include "facts/elf_machine.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_shown = 20;  // files that are proof one by one; the others are counted

constexpr std::string_view rpath_kinds[] = {"rpath", "runpath", "none", "any"};
constexpr std::string_view types[] = {"dyn", "exec", "rel"};
constexpr std::string_view relros[] = {"none", "partial", "full"};

constexpr Param params[] = {
    {"file", ParamType::paths, "the ELF file"},
    {"files", ParamType::paths, "several ELF files; each must be as stated"},
    {"soname", ParamType::text,
     "a glob for DT_SONAME; or same_as_name: the name that was looked for is the SONAME; "
     "prefix_of_name: that name is the SONAME and perhaps a tail (libx.so.1.2.3); or none"},
    {"needed", ParamType::texts, "names or globs; each matches some DT_NEEDED entry"},
    {"not_needed", ParamType::texts, "names or globs that match no DT_NEEDED entry"},
    {"needed_slash", ParamType::flag, "false: no DT_NEEDED entry is a path"},
    {"rpath_kind", ParamType::text, "which search path the file has; any: one of the two", false, rpath_kinds},
    {"rpath_allow", ParamType::patterns, "each entry of the search path matches one of these regular expressions"},
    {"machine", ParamType::text, "x86-64, aarch64, … or the number of e_machine"},
    {"class", ParamType::number, "64 or 32"},
    {"type", ParamType::text, "e_type: dyn (libraries and position-independent programs), exec, rel", false, types},
    {"dynamic", ParamType::flag, "the file has (false: lacks) a dynamic section"},
    {"textrel", ParamType::flag, "false: no relocation writes to code"},
    {"exec_stack", ParamType::flag, "false: the file states that it needs no executable stack"},
    {"relro", ParamType::text, "how much is read-only after relocation, at least; none: nothing is", false, relros},
    {"pie", ParamType::flag, "it is (false: is not) a position-independent executable, also one without interpreter"},
    {"build_id", ParamType::text, "the build ID in hex digits, or: present"},
    {"interp", ParamType::text, "the path of the program interpreter, or none"},
    {"version_nodes", ParamType::texts, "symbol versions that the file defines"},
    {"only_elf", ParamType::flag, "files of the set that are no ELF files are passed over"},
    {"allow_empty", ParamType::flag, "no such file is fine"},
};

constexpr FindingKind kinds[] = {
    {"missing", "no such file, or nothing but other files"},
    {"not-elf", "the file is no ELF file"},
    {"malformed", "the headers of the file contradict themselves, or the file is cut off"},
    {"soname", "another DT_SONAME, or none"},
    {"needed", "a DT_NEEDED entry is missing"},
    {"not-needed", "a DT_NEEDED entry is there and must not be"},
    {"rpath", "the search path is of another kind, or has an entry that it must not have"},
    {"machine", "made for another machine or class"},
    {"type", "another type of file"},
    {"hardening", "executable stack, writable code, or less protection than asked for"},
    {"build-id", "another build ID, or none"},
    {"interp", "another program interpreter"},
    {"version", "a symbol version is not defined"},
};

constexpr Example examples[] = {
    {"a script where a library should be", "{file: /l/a.so, soname: same_as_name}",
     "layers: [{files: {/l/a.so: 'INPUT(x)'}}]", "not-elf /l/a.so"},
    {"nothing but text below the folder", "{files: [/l/**], only_elf: true, textrel: false}",
     "layers: [{files: {/l/a.txt: 'x'}}]", "missing /l/**"},
    {"no library, and that is fine", "{files: [/l/*.so], allow_empty: true, textrel: false}",
     "layers: [{files: {/l/a.txt: 'x'}}]", "pass"}};

std::uint16_t machine_of(const std::string& text) {
  if (const auto named = elf_machine_number(text)) return *named;
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw Error(ErrorKind::policy, fmt::format("'machine' is {} or a number, not '{}'", elf_machine_names(), text));
}

std::string type_text(std::uint16_t type) {
  if (type == ET_DYN) return "dyn";
  if (type == ET_EXEC) return "exec";
  if (type == ET_REL) return "rel";
  return fmt::format("type {}", type);
}

void plan(const Params& with, Plan& plan) { plan.elf(files_of(with)); }

/// A pattern for one file name, as a policy writes it.
Glob name_glob(const std::string& text) { return Glob::parse("**/" + text); }

bool matches(const Glob& glob, std::string_view name) { return glob.matches("/" + std::string(base_name(name))); }

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t colon = text.find(':');
    out.emplace_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return out;
    text.remove_prefix(colon + 1);
  }
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out.empty() ? "none" : out;
}

/// What follows $ORIGIN or ${ORIGIN} at the start of an entry; nullopt when it does not begin so.
std::optional<std::string_view> behind_origin(std::string_view entry) {
  for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"})
    if (entry.starts_with(token) && (entry.size() == token.size() || entry[token.size()] == '/'))
      return entry.substr(token.size());
  return std::nullopt;
}

/// A folder on the way of an absolute path that everybody may write to; "" for none.
std::string open_folder(std::string_view path, const ImageView& image) {
  const std::string written = normalise(path).path;
  const Resolution at = image.resolve(path);
  for (const std::string_view folder : {"/tmp", "/var/tmp", "/dev/shm"})
    if (is_within(written, folder) || is_within(at.path, folder)) return std::string(folder);
  // Whoever may write to a folder on the way decides what is below it.
  for (std::string_view folder = at.path; folder != "/"; folder = parent_path(folder))
    if (const auto node = image.tree().find(folder))
      if (image.tree()[*node].type == EntryType::directory && (image.tree()[*node].mode & 0002) != 0)
        return std::string(folder);
  return {};
}

/// The parameters, compiled once for all files.
struct Asked {
  explicit Asked(const Params& given) : with(given) {
    for (const std::string& text : with.texts("needed")) needed.push_back(name_glob(text));
    for (const std::string& text : with.texts("not_needed")) not_needed.push_back(name_glob(text));
    for (const std::string& text : with.texts("rpath_allow")) rpath_allow.push_back(Pattern::compile(text));
    if (with.has("machine")) machine = machine_of(with.text("machine"));
    elf_class = with.number("class");
    if (elf_class && *elf_class != 32 && *elf_class != 64)
      throw Error(ErrorKind::policy, fmt::format("'class' is 64 or 32, not {}", *elf_class));
    const std::string& name = with.text("soname");
    if (!name.empty() && name != "none" && name != "same_as_name" && name != "prefix_of_name") soname = name_glob(name);
    for (const char* const flag : {"needed_slash", "textrel", "exec_stack"})
      if (with.flag(flag)) throw Error(ErrorKind::policy, fmt::format("'{}' can only be false", flag));
  }

  const Params& with;
  std::vector<Glob> needed, not_needed;
  std::vector<Pattern> rpath_allow;
  std::optional<std::uint16_t> machine;
  std::optional<std::uint64_t> elf_class;
  std::optional<Glob> soname;
};

class Inspection {
 public:
  Inspection(const Asked& asked, const Selected& selected, const ImageView& image, Answer& answer)
      : asked_(asked),
        with_(asked.with),
        selected_(selected),
        image_(image),
        facts_(image.elf(image.tree()[selected.end.node].inode)),
        layer_(last_touched(image, selected.end.path)),
        answer_(answer) {}

  ElfKind kind() const { return facts_.kind; }

  void run() {
    if (facts_.kind != ElfKind::elf) return find("not-elf", fmt::format("no ELF file: {}", to_string(facts_.kind)));
    if (!facts_.malformed.empty()) return find("malformed", facts_.malformed);
    if (!was_read(ElfPart::headers)) return;
    header();
    if (asks({"soname", "needed", "not_needed", "needed_slash", "rpath_kind", "rpath_allow", "textrel", "relro",
              "pie"}) &&
        was_read(ElfPart::dynamic))
      dynamic();
    if (with_.has("interp") && was_read(ElfPart::interpreter)) interpreter();
    if (with_.has("build_id") && was_read(ElfPart::notes)) build_id();
    if (with_.has("version_nodes") && was_read(ElfPart::versions)) versions();
  }

  std::string proof() const {
    std::string text =
        fmt::format("{}: {}-bit {} {}", describe(selected_), facts_.elf_class == ElfClass::elf64 ? 64 : 32,
                    elf_machine_text(facts_.machine), type_text(facts_.type));
    if (facts_.soname) text += ", SONAME " + *facts_.soname;
    if (with_.has("needed") || with_.has("not_needed")) text += ", NEEDED " + list_of(facts_.needed);
    if (with_.has("rpath_kind") || with_.has("rpath_allow")) text += ", " + search_path();
    if (with_.has("version_nodes")) text += ", versions " + list_of(facts_.verdef);
    if (with_.has("build_id")) text += ", build ID " + facts_.build_id;
    return text;
  }

 private:
  bool asks(std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(names, [&](std::string_view name) { return with_.has(name); });
  }

  bool was_read(ElfPart part) {
    if (facts_.was_read(part)) return true;
    answer_.could_not(fmt::format("{}: its {} could not be read", describe(selected_), to_string(part)));
    return false;
  }

  void header() {
    if (asked_.machine && *asked_.machine != facts_.machine)
      find("machine",
           fmt::format("made for {}, not for {}", elf_machine_text(facts_.machine), elf_machine_text(*asked_.machine)));
    const std::uint64_t bits = facts_.elf_class == ElfClass::elf64 ? 64 : 32;
    if (asked_.elf_class && *asked_.elf_class != bits)
      find("machine", fmt::format("a {}-bit file, not {}-bit", bits, *asked_.elf_class));
    if (with_.has("type") && with_.text("type") != type_text(facts_.type))
      find("type", fmt::format("e_type is {}, not {}", type_text(facts_.type), with_.text("type")));
    if (with_.has("dynamic") && with_.flag("dynamic") != facts_.has_dynamic)
      find("type", facts_.has_dynamic ? "has a dynamic section" : "has no dynamic section");
    if (!with_.has("exec_stack")) return;
    if (facts_.stack == ElfStack::executable) find("hardening", "asks for an executable stack");
    if (facts_.stack == ElfStack::unstated)
      find("hardening", "does not state that its stack needs no execution (no PT_GNU_STACK)");
  }

  void dynamic() {
    if (with_.has("soname")) soname();
    for (std::size_t i = 0; i < asked_.needed.size(); ++i)
      if (std::ranges::none_of(facts_.needed, [&](const std::string& name) { return matches(asked_.needed[i], name); }))
        find("needed", "does not need " + with_.texts("needed")[i], {"needed are: " + list_of(facts_.needed)});
    for (const std::string& name : facts_.needed) {
      for (const Glob& glob : asked_.not_needed)
        if (matches(glob, name)) find("not-needed", "needs " + name);
      if (with_.has("needed_slash") && name.find('/') != std::string::npos)
        find("not-needed", "needs the path " + name + ", which no search finds elsewhere");
    }
    if (with_.has("rpath_kind") || with_.has("rpath_allow")) rpath();
    if (with_.has("textrel") && facts_.has_textrel)
      find("hardening", "has relocations that write to code (DT_TEXTREL)");
    if (with_.has("relro")) relro();
    if (with_.has("pie")) pie();
  }

  void soname() {
    const std::string& wanted = with_.text("soname");
    const std::string_view name = base_name(selected_.match.path);
    if (!facts_.soname) {
      if (wanted != "none") find("soname", "has no SONAME");
      return;
    }
    const std::string& soname = *facts_.soname;
    bool fits = false;
    if (wanted == "same_as_name") {
      fits = soname == name;
    } else if (wanted == "prefix_of_name") {
      fits = name.starts_with(soname) &&
             (name.size() == soname.size() || name[soname.size()] == '.' || name[soname.size()] == '-');
    } else if (wanted != "none") {
      fits = soname.find('/') == std::string::npos && matches(*asked_.soname, soname);
    }
    if (fits) return;
    const bool by_name = wanted == "same_as_name" || wanted == "prefix_of_name";
    find("soname", fmt::format("its SONAME is {}, not {}", soname, by_name ? std::string(name) : wanted));
  }

  std::string search_path() const {
    if (facts_.runpath) return "RUNPATH " + *facts_.runpath;
    if (facts_.rpath) return "RPATH " + *facts_.rpath;
    return "no RPATH or RUNPATH";
  }

  /// With DT_RUNPATH the loader ignores DT_RPATH.
  void rpath() {
    const std::string& kind = with_.text("rpath_kind");
    const bool runpath = facts_.runpath.has_value(), rpath = facts_.rpath.has_value() && !runpath;
    if (kind == "none" && (runpath || facts_.rpath)) find("rpath", "has a search path", {search_path()});
    if (kind == "rpath" && !rpath) find("rpath", "has no RPATH that counts", {search_path()});
    if (kind == "runpath" && !runpath) find("rpath", "has no RUNPATH", {search_path()});
    if (kind == "any" && !rpath && !runpath) find("rpath", "has neither RPATH nor RUNPATH");
    if (kind == "none" || (!rpath && !runpath)) return;
    for (const std::string& entry : split(runpath ? *facts_.runpath : *facts_.rpath)) {
      const auto fits = [&](const Pattern& pattern) { return pattern.found_in(entry); };
      const bool allowed = !entry.empty() && with_.has("rpath_allow");
      if (allowed && std::ranges::none_of(asked_.rpath_allow, fits)) {
        find("rpath", fmt::format("the entry '{}' is not one that is allowed", entry), {search_path()});
      } else if (const std::string danger = danger_of(entry, allowed); !danger.empty()) {
        find("rpath", fmt::format("the entry '{}' {}", entry, danger), {search_path()});
      }
    }
  }

  /// What is wrong with an entry; "" for nothing. A pattern that allows it speaks of its text, which says of $ORIGIN
  /// not where it leads.
  std::string danger_of(std::string_view entry, bool allowed) const {
    if (entry.empty()) return "is empty, which is the current directory";
    if (const auto behind = behind_origin(entry)) {
      // The loader takes the folder of the name by which it found the file; programs have that of the file itself.
      for (const std::string_view file :
           {std::string_view(selected_.match.canonical), std::string_view(selected_.end.path)})
        if (const std::string folder = open_folder(std::string(parent_path(file)) + std::string(*behind), image_);
            !folder.empty())
          return fmt::format("leads from {} to {}, a folder that everybody may write to", parent_path(file), folder);
      return {};
    }
    if (allowed) return {};
    if (!entry.starts_with('/')) return "is relative to the current directory";
    const std::string folder = open_folder(entry, image_);
    return folder.empty() ? "" : fmt::format("is in a folder that everybody may write to ({})", folder);
  }

  void relro() {
    const std::string& wanted = with_.text("relro");
    const std::string_view has = !facts_.relro ? "none" : facts_.bind_now ? "full" : "partial";
    const bool fits = wanted == "none" ? has == "none" : wanted == "full" ? has == "full" : has != "none";
    if (!fits) find("hardening", fmt::format("RELRO is {}, not {}", has, wanted));
  }

  /// The flag is younger than PIE. Without it a program has an interpreter, and of libraries that have one (glibc's
  /// own can be run) the SONAME says that they are such.
  void pie() {
    const bool flagged = (facts_.flags_1 & DF_1_PIE) != 0;
    if (facts_.type == ET_DYN && !flagged && !was_read(ElfPart::interpreter)) return;
    const bool is = facts_.type == ET_DYN && (flagged || (facts_.interp && !facts_.soname));
    if (is != with_.flag("pie"))
      find("hardening", is ? "is a position-independent executable" : "is no position-independent executable");
  }

  void interpreter() {
    const std::string& wanted = with_.text("interp");
    const std::string has = facts_.interp.value_or("none");
    if (has != wanted) find("interp", fmt::format("its program interpreter is {}, not {}", has, wanted));
  }

  void build_id() {
    const std::string& wanted = with_.text("build_id");
    if (facts_.build_id.empty())
      find("build-id", "has no build ID");
    else if (wanted != "present" && wanted != facts_.build_id)
      find("build-id", fmt::format("its build ID is {}, not {}", facts_.build_id, wanted));
  }

  void versions() {
    for (const std::string& wanted : with_.texts("version_nodes"))
      if (std::ranges::find(facts_.verdef, wanted) == facts_.verdef.end())
        find("version", "does not define the symbol version " + wanted, {"defined are: " + list_of(facts_.verdef)});
  }

  void find(const char* kind, std::string message, std::vector<std::string> details = {}) {
    Finding finding;
    finding.kind = kind;
    finding.subject = selected_.match.path;
    finding.message = std::move(message);
    finding.details = std::move(details);
    if (selected_.is_link()) finding.details.push_back(describe(selected_));
    finding.layer = layer_;
    answer_.finding(std::move(finding));
  }

  const Asked& asked_;
  const Params& with_;
  const Selected& selected_;
  const ImageView& image_;
  const ElfFacts& facts_;
  std::optional<std::uint32_t> layer_;
  Answer& answer_;
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  const Asked asked(with);
  const PathSet files = files_of(with);
  const std::vector<Selected> selected = select(files, image);
  if (!require_some(selected, files, with.flag("allow_empty"), image, answer)) return;
  const bool only_elf = with.flag("only_elf");
  std::size_t passed_over = 0, looked_at = 0, fine = 0;
  for (const Selected& one : selected) {
    const bool regular = one.end.found() && image.tree()[one.end.node].type == EntryType::file;
    if (!regular) {
      const bool is_folder = one.end.found() && image.tree()[one.end.node].type == EntryType::directory;
      if (only_elf && is_folder && ++passed_over > 0) continue;
      answer.finding(no_regular_file(one, image));
      continue;
    }
    Inspection inspection(asked, one, image, answer);
    if (only_elf && inspection.kind() != ElfKind::elf) {
      ++passed_over;
      continue;
    }
    ++looked_at;
    const std::size_t before = answer.findings().size() + answer.errors().size();
    inspection.run();
    if (answer.findings().size() + answer.errors().size() != before) continue;
    if (++fine <= most_shown) answer.evidence(inspection.proof(), one.end.path, last_touched(image, one.end.path));
  }
  if (fine > most_shown) answer.evidence(fmt::format("and {} more files are as stated", fine - most_shown));
  if (only_elf && passed_over > 0)
    answer.evidence(fmt::format("{} names that are no ELF files were passed over", passed_over));
  if (only_elf && looked_at == 0 && answer.findings().empty() && !with.flag("allow_empty")) {
    Finding finding;
    finding.kind = "missing";
    finding.subject = files.text;
    finding.message = fmt::format("none of {} files is an ELF file", passed_over);
    answer.finding(std::move(finding));
  }
}

}  // namespace

extern const Rule elf_dynamic;
const Rule elf_dynamic{
    .doc = {.id = "elf-dynamic",
            .summary = "The headers of ELF files are as stated: SONAME, NEEDED, search path, machine, hardening.",
            .details = R"(Reads what the loader reads: program headers, PT_DYNAMIC, notes and symbol versions;
sections never. Every file must be an ELF file whose headers do not contradict themselves, and what is stated
besides must hold for each. A part of a file that could not be read makes the check an error.

`soname: same_as_name` looks at the name that the policy gave, before links are followed: /l/libx.so.1 may be a
link to libx.so.1.2.3, and what the loader will remember is the SONAME. In `needed` and `not_needed` globs are
compared with the file name of an entry.

With `rpath_kind` or `rpath_allow` every entry of the search path is looked at. Without `rpath_allow` an entry that
is empty, relative (but for $ORIGIN) or in a folder that everybody may write to is a finding; with it, an entry
that no pattern matches. $ORIGIN is the folder of the file: an entry that leads from there into a folder that everybody
may write to is a finding, whatever allows its text. Such are /tmp, /var/tmp, /dev/shm and what the image's own
permissions say.

`pie` is what DF_1_PIE says (also of a static program), or, in files of older linkers, an interpreter without a SONAME. Of DT_RPATH and DT_RUNPATH together only the second counts. RPATH goes before
LD_LIBRARY_PATH, RUNPATH behind it, which decides whether a replaced library is the one that is loaded.

Debug information and static archives are no facts of the loader: file-absent finds them by name.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
