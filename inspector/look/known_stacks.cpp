#include "look/known_stacks.h"

#include <algorithm>
#include <set>

#include "check/environment.h"
#include "check/selection.h"

namespace ocilint {
namespace {

constexpr std::size_t longest_value = 200;  // of a first line that is no version after all

/// Both are short; * is anything.
bool fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (fits(rest, name.substr(at))) return true;
  return false;
}

void add(Stack& into, StackFact fact) {
  if (fact.value.size() > longest_value) fact.value = fact.value.substr(0, longest_value) + "…";
  if (std::ranges::find(into.facts, fact) == into.facts.end()) into.facts.push_back(std::move(fact));
}

}  // namespace

KnownStacks::Sign KnownStacks::parse_sign(const YamlNode& node) {
  Sign out;
  std::size_t kinds = 0;
  for (const YamlNode::Member& member : node.members()) {
    if (member.key == "what") {
      out.what = member.value->text();
      continue;
    }
    if (member.key == "pattern") {
      out.pattern = Pattern::compile(member.value->text());
      continue;
    }
    if (member.key == "file")
      out.kind = Sign::Kind::file;
    else if (member.key == "package")
      out.kind = Sign::Kind::package;
    else if (member.key == "python")
      out.kind = Sign::Kind::python;
    else if (member.key == "env")
      out.kind = Sign::Kind::env;
    else
      member.key_place.fail("no such key of a fact: " + member.key);
    ++kinds;
    for (const YamlNode* const text : member.value->texts()) out.names.push_back(text->text());
  }
  if (kinds != 1 || out.names.empty()) node.fail("one of file, package, python and env is wanted");
  if (out.what.empty()) node.fail("what is wanted");
  if (out.kind == Sign::Kind::file)
    for (const std::string& glob : out.names) out.files.include.push_back(Glob::parse(glob));
  return out;
}

KnownStacks KnownStacks::parse(std::string_view yaml, const std::string& file) {
  const YamlNode root = YamlNode::parse(yaml, file);
  const YamlNode* const list = root.find("stacks");
  if (list == nullptr) root.fail("stacks is wanted");
  KnownStacks out;
  for (const YamlNode& node : list->items()) {
    const YamlNode *const name = node.find("name"), *const facts = node.find("facts");
    if (name == nullptr || facts == nullptr) node.fail("name and facts are wanted");
    Known& known = out.stacks_.emplace_back();
    known.name = name->text();
    for (const YamlNode& fact : facts->items()) known.signs.push_back(parse_sign(fact));
  }
  return out;
}

KnownStacks KnownStacks::shipped() { return parse(known_stacks_text(), "known_stacks.yaml"); }

void KnownStacks::plan(Plan& plan) const {
  plan.tree();
  for (const Known& known : stacks_)
    for (const Sign& sign : known.signs)
      if (sign.kind == Sign::Kind::file) plan.content(sign.files);
}

bool KnownStacks::Sign::means(std::string_view name) const {
  return std::ranges::any_of(names, [&](const std::string& wanted) { return fits(wanted, name); });
}

std::optional<std::string> KnownStacks::Sign::value_of(std::string_view text) const {
  return pattern ? pattern->first_in(text) : std::string(text);
}

void KnownStacks::find_files(const Sign& sign, const ImageView& view, Stack& into, std::vector<std::string>& unread) {
  std::set<std::string> seen;
  for (const Match& match : view.match(sign.files)) {
    const Resolution at = view.resolve(match.path);
    if (!seen.insert(at.path).second) continue;  // a folder has several names
    try {
      const std::optional<std::string> text = view.text_of(match.path);
      if (!text || view.pending()) continue;
      std::string_view wanted = *text;
      if (!sign.pattern) wanted = wanted.substr(0, wanted.find_first_of("\r\n"));
      const std::optional<std::string> value = sign.value_of(wanted);
      if (value && !value->empty()) add(into, {sign.what, at.path, *value, last_touched(view, at.path)});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      if (!view.pending()) unread.push_back(into.name + ": " + error.what());
    }
  }
}

std::vector<Stack> KnownStacks::find(const ImageView& view, const PackagesLook& packages,
                                     const std::vector<PythonDist>& dists, std::vector<std::string>& unread) const {
  const Environment environment(view.config());
  std::vector<Stack> out;
  for (const Known& known : stacks_) {
    Stack stack{known.name, {}};
    for (const Sign& sign : known.signs) {
      const auto enter = [&](std::string_view name, std::string_view text, std::optional<std::uint32_t> layer) {
        if (!sign.means(name)) return;
        if (auto value = sign.value_of(text)) add(stack, {sign.what, std::string(name), std::move(*value), layer});
      };
      switch (sign.kind) {
        case Sign::Kind::file: find_files(sign, view, stack, unread); break;
        case Sign::Kind::package:
          for (const PackageRow& row : packages.packages)
            if (row.status == "installed") enter(row.name.substr(0, row.name.find(':')), row.version, {});
          for (const ManagerLook& other : packages.others)
            if (other.manager != "python" && other.manager != "node")  // not of the system
              for (const PackageRow& row : other.packages) enter(row.name, row.version, {});
          break;
        case Sign::Kind::python:
          for (const PythonDist& dist : dists) enter(dist.normal, dist.version, dist.layer);
          break;
        case Sign::Kind::env:
          for (const EnvironmentVariable& variable : environment.variables()) enter(variable.name, variable.value, {});
          break;
      }
    }
    if (!stack.facts.empty()) out.push_back(std::move(stack));
  }
  return out;
}

}  // namespace ocilint
