#include "base/glob.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/path.h"

namespace ocilint {
namespace {

[[noreturn]] void refuse(std::string_view text, std::size_t position, std::string_view reason) {
  throw Error(ErrorKind::policy, "glob \"" + std::string(text) + "\", position " + std::to_string(position + 1) + ": " +
                                     std::string(reason));
}

}  // namespace

Glob Glob::parse(std::string_view text) {
  if (text.empty()) refuse(text, 0, "empty");
  if (text.size() > longest) refuse(text, longest, "too long");
  if (const auto nul = text.find('\0'); nul != text.npos) refuse(text, nul, "NUL");
  Glob glob;
  glob.text_ = text;
  std::size_t at = 0;
  if (text[0] == '/')
    at = 1;
  else if (!text.starts_with("**/") && text != "**")
    refuse(text, 0, "a path begins with \"/\" (or \"**/\" for any directory)");
  if (text == "/") {
    glob.literal_ = true;
    glob.prefix_ = "/";
    return glob;
  }
  while (true) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    if (end == at) refuse(text, at, end == text.size() ? "a slash at the end" : "an empty component");
    glob.add_component(text.substr(at, end - at), at);
    if (end >= text.size()) break;
    at = end + 1;
  }
  // Everything below: any number of directories, and then a name of any form.
  if (glob.components_.back().spanning) {
    glob.components_.push_back({false, static_cast<std::uint32_t>(glob.runs_.size()), 2});
    glob.runs_.insert(glob.runs_.end(), 2, Run{0, 0, 0});
  }
  glob.set_prefix();
  return glob;
}

void Glob::add_component(std::string_view component, std::size_t position) {
  if (component == "**") {
    // Two in a row mean the same as one.
    if (components_.empty() || !components_.back().spanning) components_.push_back({true, 0, 0});
    return;
  }
  if (component == "." || component == "..") refuse(text_, position, "\".\" and \"..\" are no names");
  components_.push_back({false, static_cast<std::uint32_t>(runs_.size()), 0});
  std::uint32_t first = static_cast<std::uint32_t>(atoms_.size());
  const auto end_run = [&] {
    const auto count = static_cast<std::uint32_t>(atoms_.size()) - first;
    const bool plain = std::all_of(atoms_.begin() + first, atoms_.end(),
                                   [](const Atom& atom) { return atom.kind == Atom::Kind::byte; });
    Run run{first, count, mixed};
    if (plain) {
      run.text = static_cast<std::uint32_t>(literals_.size());
      for (std::uint32_t i = first; i < atoms_.size(); ++i) literals_ += static_cast<char>(atoms_[i].value);
    }
    runs_.push_back(run);
    ++components_.back().count;
    first = static_cast<std::uint32_t>(atoms_.size());
  };
  for (std::size_t at = 0; at < component.size(); ++at) {
    switch (component[at]) {
      case '*':
        if (component.substr(at).starts_with("**"))
          refuse(text_, position + at, "\"**\" must be a whole component, as in \"/usr/**/*.so\"");
        end_run();
        break;
      case '?': atoms_.push_back({Atom::Kind::any}); break;
      case '[': at = add_set(component, at, position); break;
      case '{': refuse(text_, position + at, "braces are not alternatives here; write \"\\{\" or two globs");
      case '\\':
        if (++at == component.size()) refuse(text_, position + at - 1, "nothing behind the backslash");
        [[fallthrough]];
      default: atoms_.push_back({Atom::Kind::byte, static_cast<std::uint8_t>(component[at])});
    }
  }
  end_run();
}

std::size_t Glob::add_set(std::string_view component, std::size_t open, std::size_t position) {
  std::bitset<256> set;
  std::size_t at = open + 1;
  const bool inverted = at < component.size() && (component[at] == '!' || component[at] == '^');
  if (inverted) ++at;
  const auto byte = [&]() -> std::size_t {
    if (at < component.size() && component[at] == '\\') ++at;
    if (at >= component.size()) refuse(text_, position + open, "\"[\" without \"]\" in its component");
    return static_cast<std::uint8_t>(component[at++]);
  };
  for (bool first = true;; first = false) {
    if (at >= component.size()) refuse(text_, position + open, "\"[\" without \"]\" in its component");
    if (component[at] == ']' && !first) break;
    if (component.substr(at).starts_with("[:")) refuse(text_, position + at, "named classes are not known");
    const std::size_t from = at;
    const std::size_t low = byte();
    std::size_t high = low;
    if (at + 1 < component.size() && component[at] == '-' && component[at + 1] != ']') {
      ++at;
      high = byte();
      if (high < low) refuse(text_, position + from, "the range is the wrong way round");
    }
    for (std::size_t value = low; value <= high; ++value) set.set(value);
  }
  if (inverted) set.flip();
  atoms_.push_back({Atom::Kind::set, 0, static_cast<std::uint32_t>(sets_.size())});
  sets_.push_back(set);
  return at;
}

void Glob::set_prefix() {
  const auto is_plain = [&](const Component& component) {
    return !component.spanning && component.count == 1 && runs_[component.first].text != mixed;
  };
  prefix_ = "/";
  std::size_t plain = 0;
  for (; plain < components_.size() && is_plain(components_[plain]); ++plain) {
    const Run& run = runs_[components_[plain].first];
    prefix_.append(literals_, run.text, run.count);
    if (plain + 1 < components_.size()) prefix_ += '/';
  }
  literal_ = plain == components_.size();
  if (literal_) return;
  const Component& wild = components_[plain];
  if (wild.spanning) {
    const Run* tail = plain + 2 == components_.size() ? &runs_[components_.back().first] : nullptr;
    subtree_ = tail && components_.back().count == 2 && tail[0].count == 0 && tail[1].count == 0;
    return;
  }
  const Run& run = runs_[wild.first];
  for (std::uint32_t i = 0; i < run.count && atoms_[run.first + i].kind == Atom::Kind::byte; ++i)
    prefix_ += static_cast<char>(atoms_[run.first + i].value);
}

std::string_view Glob::literal_name() const {
  if (components_.empty() || components_.back().count != 1) return {};
  const Run& run = runs_[components_.back().first];
  if (run.text == mixed) return {};
  return std::string_view(literals_).substr(run.text, run.count);
}

std::string_view Glob::literal_suffix() const {
  if (components_.empty()) return {};
  const Run& run = runs_[components_.back().first + components_.back().count - 1];
  if (run.text == mixed) return {};
  return std::string_view(literals_).substr(run.text, run.count);
}

bool Glob::matches_run(const Run& run, const char* at) const {
  if (run.text != mixed) return std::memcmp(literals_.data() + run.text, at, run.count) == 0;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const Atom& atom = atoms_[run.first + i];
    const auto value = static_cast<std::uint8_t>(at[i]);
    if (atom.kind == Atom::Kind::byte && atom.value != value) return false;
    if (atom.kind == Atom::Kind::set && !sets_[atom.set][value]) return false;
  }
  return true;
}

// The first run stands at the start, the last one at the end, each other one at the first place that fits:
// with stars between them no other choice can do better.
bool Glob::matches_component(const Component& component, std::string_view name) const {
  const Run* run = &runs_[component.first];
  const Run* const last = run + component.count - 1;
  if (component.count == 1) return name.size() == run->count && matches_run(*run, name.data());
  if (name.size() < run->count + last->count) return false;
  if (!matches_run(*run, name.data())) return false;
  if (!matches_run(*last, name.data() + name.size() - last->count)) return false;
  name = name.substr(run->count, name.size() - run->count - last->count);
  for (++run; run != last; ++run) {
    while (name.size() >= run->count && !matches_run(*run, name.data())) name.remove_prefix(1);
    if (name.size() < run->count) return false;
    name.remove_prefix(run->count);
  }
  return true;
}

bool Glob::matches(std::string_view path) const {
  if (literal_) return path == prefix_;
  if (!path.starts_with(prefix_) || path.size() <= 1) return false;
  if (subtree_) return path.size() > prefix_.size();
  // Cheap, and refuses most paths: the last components stand for each other in any case.
  if (!matches_component(components_.back(), base_name(path))) return false;

  const std::size_t end = path.size() + 1;  // one behind the slash that is not there
  const auto slash = [&](std::size_t from) { return std::min(path.find('/', from), path.size()); };
  std::size_t at = 1, component = 0;
  std::size_t resume_at = 0, resume_component = 0;  // behind the last `**`
  while (at != end) {
    const std::size_t stop = slash(at);
    if (component < components_.size()) {
      if (components_[component].spanning) {
        resume_component = ++component;
        resume_at = at;
        continue;
      }
      if (matches_component(components_[component], path.substr(at, stop - at))) {
        ++component;
        at = stop + 1;
        continue;
      }
    }
    if (resume_component == 0) return false;
    at = resume_at = slash(resume_at) + 1;
    component = resume_component;
  }
  return component == components_.size();
}

void GlobSet::add(Glob glob, std::uint32_t id) { entries_.push_back({std::move(glob), id}); }

void GlobSet::freeze() {
  exact_.clear();
  by_name_.clear();
  subtrees_.clear();
  others_.clear();
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const Glob& glob = entries_[i].glob;
    const std::string prefix(glob.literal_prefix());
    if (glob.is_literal())
      exact_[prefix].push_back(i);
    else if (const auto name = glob.literal_name(); !name.empty())
      by_name_[std::string(name)].push_back(i);
    else
      (glob.is_subtree() ? subtrees_ : others_).push_back({prefix, std::string(glob.literal_suffix()), i});
  }
}

bool GlobSet::any(std::string_view path) const {
  bool found = false;
  match(path, [&](std::uint32_t) { found = true; });
  return found;
}

}  // namespace ocilint
