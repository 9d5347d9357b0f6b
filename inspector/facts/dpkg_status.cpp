#include "facts/dpkg_status.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/path.h"
#include "base/version.h"
#include "facts/deb822.h"
#include "facts/dpkg_names.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

constexpr std::array<std::string_view, 5> want_words{"unknown", "install", "hold", "deinstall", "purge"};
constexpr std::array<std::string_view, 4> flag_words{"ok", "reinstreq", "hold", "hold-reinstreq"};
constexpr std::array<std::string_view, 8> state_words{"not-installed",    "config-files",    "half-installed",
                                                      "unpacked",         "half-configured", "triggers-awaited",
                                                      "triggers-pending", "installed"};
constexpr std::array<std::string_view, 4> multi_arch_words{"no", "same", "foreign", "allowed"};

template <typename Enum, std::size_t Count>
std::optional<Enum> word_of(const std::array<std::string_view, Count>& words, std::string_view word) {
  for (std::size_t i = 0; i < Count; ++i)
    if (equal_without_case(words[i], word)) return static_cast<Enum>(i);
  return std::nullopt;
}

std::string_view take_word(std::string_view& text) {
  text = trim_blanks(text);
  const auto word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

std::string_view take_last_word(std::string_view& text) {
  const auto blank = text.find_last_of(" \t");
  const auto word = blank == text.npos ? text : text.substr(blank + 1);
  text.remove_suffix(blank == text.npos ? text.size() : text.size() - blank);
  return word;
}

// One stanza on its way to a package.
class StanzaReader {
 public:
  StanzaReader(const Deb822Stanza& stanza, DpkgStatus::Variant variant, Notes& notes)
      : stanza_(stanza), variant_(variant), notes_(notes) {}

  DpkgPackage read() {
    package_.line = stanza_.line();
    package_.name = stanza_.value("Package");
    if (package_.name.empty()) corrupt_line(stanza_.line(), "a stanza without Package");
    if (!is_package_name(package_.name)) corrupt_line(line_of("Package"), "this is no name of a package");
    package_.architecture = stanza_.value("Architecture");
    package_.version = stanza_.value("Version");
    read_status();
    check_version();
    read_source();
    read_multi_arch();
    package_.essential = flag("Essential");
    package_.important = flag("Important");
    package_.is_protected = flag("Protected");
    package_.priority = stanza_.value("Priority");
    package_.section = stanza_.value("Section");
    read_relations();
    read_conffiles();
    return std::move(package_);
  }

 private:
  std::size_t line_of(std::string_view name) const {
    const Deb822Field* field = stanza_.find(name);
    return field ? field->line : stanza_.line();
  }

  void read_status() {
    const Deb822Field* field = stanza_.find("Status");
    if (!field) {
      if (variant_ == DpkgStatus::Variant::status_d) {
        package_.want = DpkgWant::install;
        package_.state = DpkgState::installed;
      } else {
        add_note(notes_, stanza_.line(), package_.name + " has no Status");
      }
      return;
    }
    auto left = field->value;
    const auto want = word_of<DpkgWant>(want_words, take_word(left));
    const auto flag = word_of<DpkgFlag>(flag_words, take_word(left));
    const auto state = word_of<DpkgState>(state_words, take_word(left));
    if (!want || !flag || !state || !trim_blanks(left).empty())
      corrupt_line(field->line, "Status of " + package_.name + " is not the three words that dpkg knows");
    package_.want = *want;
    package_.flag = *flag;
    package_.state = *state;
  }

  void check_version() {
    if (package_.version.empty()) {
      if (package_.unpacked() && package_.state != DpkgState::half_installed)
        corrupt_line(stanza_.line(),
                     package_.name + " has no Version but is " + std::string(to_string(package_.state)));
      return;
    }
    if (!is_debian_version(package_.version))
      add_note(notes_, line_of("Version"), "an odd version of " + package_.name);
  }

  // `Source: name` or `Source: name (version)`.
  void read_source() {
    package_.source = package_.name;
    package_.source_version = package_.version;
    auto left = stanza_.value("Source");
    if (left.empty()) return;
    package_.source = take_word(left);
    left = trim_blanks(left);
    if (left.starts_with('(') && left.ends_with(')'))
      package_.source_version = trim_blanks(left.substr(1, left.size() - 2));
    else if (!left.empty())
      add_note(notes_, line_of("Source"), "an odd Source of " + package_.name);
  }

  void read_multi_arch() {
    const auto value = stanza_.value("Multi-Arch");
    if (value.empty()) return;
    const auto known = word_of<MultiArch>(multi_arch_words, value);
    if (!known) add_note(notes_, line_of("Multi-Arch"), "an unknown Multi-Arch of " + package_.name);
    package_.multi_arch = known.value_or(MultiArch::no);
  }

  bool flag(std::string_view name) {
    const auto value = stanza_.value(name);
    if (equal_without_case(value, "yes")) return true;
    if (!value.empty() && !equal_without_case(value, "no"))
      add_note(notes_, line_of(name), std::string(name) + " of " + package_.name + " is neither yes nor no");
    return false;
  }

  void read_relations() {
    const std::pair<std::string_view, std::string*> fields[] = {
        {"Depends", &package_.depends},       {"Pre-Depends", &package_.pre_depends},
        {"Recommends", &package_.recommends}, {"Suggests", &package_.suggests},
        {"Provides", &package_.provides},     {"Replaces", &package_.replaces},
        {"Conflicts", &package_.conflicts},   {"Breaks", &package_.breaks},
        {"Enhances", &package_.enhances}};
    std::size_t atoms = 0;
    for (const auto& [name, to] : fields) {
      const auto value = stanza_.value(name);
      if (value.empty()) continue;
      atoms += 1 + static_cast<std::size_t>(
                       std::count_if(value.begin(), value.end(), [](char c) { return c == ',' || c == '|'; }));
      *to = value;
    }
    if (atoms > dependency_atoms)
      limit_line(stanza_.line(), package_.name + " has " + std::to_string(atoms) + " relations");
  }

  void read_conffiles() {
    const Deb822Field* field = stanza_.find("Conffiles");
    if (!field) return;
    for (Lines lines(field->value); lines.next();) {
      const auto line = trim_blanks(lines.text());
      if (!line.empty()) read_conffile(line, field->value_line + lines.number() - 1);
    }
  }

  // From the right: the path may hold blanks.
  void read_conffile(std::string_view line, std::size_t number) {
    Conffile conffile;
    auto word = take_last_word(line);
    for (; word == "obsolete" || word == "remove-on-upgrade"; word = take_last_word(line))
      (word == "obsolete" ? conffile.obsolete : conffile.remove_on_upgrade) = true;
    if (word == "newconffile")
      conffile.newconffile = true;
    else if (word.size() == 32 && word.find_first_not_of("0123456789abcdefABCDEF") == word.npos)
      conffile.digest = Digest::from_hex(Algorithm::md5, word);
    else
      corrupt_line(number, "a conffile of " + package_.name + " without digest");
    if (!line.starts_with('/') || has_dot_dot(line))
      corrupt_line(number, "a conffile of " + package_.name + " without absolute path");
    conffile.path = normalise(line).path;
    package_.conffiles.push_back(std::move(conffile));
  }

  const Deb822Stanza& stanza_;
  DpkgStatus::Variant variant_;
  Notes& notes_;
  DpkgPackage package_;
};

// dpkg keeps one record for each name and architecture; which of two it would keep is not for us to guess.
void refuse_duplicates(const std::vector<DpkgPackage>& packages) {
  std::vector<const DpkgPackage*> sorted;
  sorted.reserve(packages.size());
  for (const DpkgPackage& package : packages) sorted.push_back(&package);
  const auto key = [](const DpkgPackage* package) { return std::tie(package->name, package->architecture); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  const auto same =
      std::adjacent_find(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return key(a) == key(b); });
  if (same != sorted.end())
    corrupt_line(same[1]->line, same[1]->name + " stands there twice, first on line " + std::to_string(same[0]->line));
}

}  // namespace

std::string_view to_string(DpkgWant want) { return want_words[static_cast<std::size_t>(want)]; }
std::string_view to_string(DpkgFlag flag) { return flag_words[static_cast<std::size_t>(flag)]; }
std::string_view to_string(DpkgState state) { return state_words[static_cast<std::size_t>(state)]; }

std::string DpkgPackage::status_text() const {
  std::string text(to_string(want));
  text += ' ';
  text += to_string(flag);
  text += ' ';
  text += to_string(state);
  return text;
}

DpkgStatus DpkgStatus::parse(std::string_view text, Variant variant) {
  require_text(text, status_bytes);
  DpkgStatus status;
  Deb822Reader reader(text, variant == Variant::status ? Deb822Reader::LastLine::newline_required
                                                       : Deb822Reader::LastLine::newline_optional);
  for (Deb822Stanza stanza; reader.next(stanza);) {
    if (status.packages.size() == packages_most) limit_line(stanza.line(), "too many packages");
    status.packages.push_back(StanzaReader(stanza, variant, status.notes).read());
  }
  refuse_duplicates(status.packages);
  return status;
}

}  // namespace ocilint
