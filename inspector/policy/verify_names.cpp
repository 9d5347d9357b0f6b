// What the parts of a policy say of each other. This runs over the merged policy, so that a base may use a
// name that the policy above it defines.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "policy/load_parts.h"

namespace ocilint {
namespace {

template <typename Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> out;
  for (const auto& [name, value] : map) out.push_back(name);
  return out;
}

class Verifier {
 public:
  Verifier(const Policy& policy, std::span<const Rule* const> rules) : policy_(policy), rules_(rules) {}

  void run() {
    for (const auto& [name, variable] : policy_.variables) verify_ends(name, variable.place, {});
    for (const auto& [name, variable] : policy_.variables) verify(variable);
    for (const auto& [name, gate] : policy_.gates) verify(gate);
    verify(policy_.any_of);
    verify(policy_.one_of);
    for (const auto& [name, set] : policy_.files) verify(set, name);
    for (const Check& check : policy_.checks) verify(check);
    for (const Waiver& waiver : policy_.waivers) verify(waiver);
  }

 private:
  const Variable& variable(std::string_view name, const Place& place) const {
    const auto found = policy_.variables.find(name);
    if (found == policy_.variables.end())
      place.fail(fmt::format("unknown variable '{}'{}", name, did_you_mean(name, names_of(policy_.variables))));
    return found->second;
  }

  /// Variables that one variable is made of, in the order of the file.
  std::vector<std::pair<std::string, Place>> needs(const Variable& of) const {
    std::vector<std::pair<std::string, Place>> out;
    const auto add = [&out](const Template& text) {
      for (const Template::Piece& piece : text.pieces)
        if (piece.variable) out.emplace_back(piece.text, text.place);
    };
    if (of.source == Variable::Source::from) out.emplace_back(of.of, of.place);
    if (of.source == Variable::Source::file) add(of.file);
    if (of.otherwise) add(*of.otherwise);
    return out;
  }

  void verify(const Variable& start) const {
    const auto single = [this](const Template& text) { verify_texts(text, false); };
    if (start.source == Variable::Source::file) single(start.file);
    if (start.otherwise) single(*start.otherwise);
  }

  /// Depth is bounded: a chain longer than `chain` names is refused.
  void verify_ends(const std::string& name, const Place& place, std::vector<std::string> path) {
    constexpr std::size_t chain = 16;
    if (ended_.contains(name)) return;
    if (std::ranges::find(path, name) != path.end())
      place.fail(fmt::format("variable '{}' leads to itself: {} -> {}", name, fmt::join(path, " -> "), name));
    path.push_back(name);
    if (path.size() > chain) place.fail(fmt::format("variables that stand in each other over {} steps", chain));
    for (const auto& [needed, where] : needs(variable(name, place))) {
      (void)variable(needed, where);
      verify_ends(needed, where, path);
    }
    ended_.insert(name);
  }

  void verify_texts(const Template& text, bool lists) const {
    std::size_t count = 0;
    for (const Template::Piece& piece : text.pieces) {
      if (!piece.variable || !is_list(policy_, variable(piece.text, text.place))) continue;
      if (!lists) text.place.fail(fmt::format("'{}' holds a list; here is room for one text", piece.text));
      if (++count > 1) text.place.fail("two lists in one text");
    }
  }

  void verify(const Gate& gate) const {
    if (gate.kind == Gate::Kind::file) verify_texts(gate.file, false);
    if (gate.kind == Gate::Kind::variable) (void)variable(gate.of, gate.place);
    if (gate.matches) verify_texts(*gate.matches, false);
  }

  void verify_gate(std::string_view name, const Place& place) const {
    if (!policy_.gates.contains(name))
      place.fail(fmt::format("unknown gate '{}'{}", name, did_you_mean(name, names_of(policy_.gates))));
  }

  void verify(const GateChoice& choice) const {
    for (const std::string& name : choice.gates) verify_gate(name, choice.place);
  }

  void verify_set(const std::string& name, const Place& place, std::vector<std::string> path) {
    constexpr std::size_t chain = 16;
    if (ended_sets_.contains(name)) return;
    const auto found = policy_.files.find(name);
    if (found == policy_.files.end())
      place.fail(fmt::format("unknown set '{}'{}", name, did_you_mean(name, names_of(policy_.files))));
    if (std::ranges::find(path, name) != path.end())
      place.fail(fmt::format("set '{}' leads to itself: {} -> {}", name, fmt::join(path, " -> "), name));
    path.push_back(name);
    if (path.size() > chain) place.fail(fmt::format("sets that stand in each other over {} steps", chain));
    for (const auto& [inner, where] : found->second.sets) verify_set(inner, where, path);
    ended_sets_.insert(name);
  }

  bool excludes(const std::string& name) const {
    for (const FileSet* set : sets_within(policy_, policy_.files.find(name)->second))
      if (!set->exclude.empty()) return true;
    return false;
  }

  void verify(const FileSet& set, const std::string& name) {
    for (const auto& [inner, where] : set.sets)
      verify_set(inner, where, name.empty() ? std::vector<std::string>{} : std::vector{name});
    for (const Template& glob : set.include) verify_texts(glob, true);
    for (const Template& glob : set.exclude) verify_texts(glob, true);
    // Exclusions hold for all that a list selects. Beside other patterns they would take away what those
    // name.
    if (set.sets.size() + set.include.size() < 2) return;
    for (const auto& [inner, where] : set.sets)
      if (excludes(inner)) where.fail(fmt::format("set '{}' has exclusions and must stand alone in a list", inner));
  }

  void verify(const Check& check) {
    for (const std::string& gate : check.when) verify_gate(gate, check.place);
    for (const Argument& argument : check.with) verify(argument);
  }

  /// Records hold no records, so this goes one level deep.
  void verify(const Argument& argument) {
    const ParamType type = argument.param->type;
    if (const auto* texts = std::get_if<std::vector<Template>>(&argument.value))
      for (const Template& text : *texts) verify_texts(text, type == ParamType::texts || type == ParamType::patterns);
    if (const auto* set = std::get_if<FileSet>(&argument.value)) verify(*set, {});
    if (const auto* records = std::get_if<Argument::Records>(&argument.value))
      for (const std::vector<Argument>& record : *records)
        for (const Argument& field : record) verify(field);
  }

  void verify(const Waiver& waiver) const {
    const Check* check = policy_.find_check(waiver.check);
    const Rule* rule = check ? check->rule : nullptr;
    std::vector<std::string> known;
    for (const Check& each : policy_.checks) known.push_back(each.id);
    for (const Rule* each : rules_) {
      if (!each->doc.built_in) continue;
      known.emplace_back(each->doc.id);
      if (!rule && each->doc.id == waiver.check) rule = each;
    }
    if (!rule)
      waiver.place.fail(
          fmt::format("a waiver of the unknown check '{}'{}", waiver.check, did_you_mean(waiver.check, known)));
    if (waiver.kind.empty()) return;
    std::vector<std::string> kinds;
    for (const FindingKind& kind : rule->doc.kinds) kinds.emplace_back(kind.name);
    if (std::ranges::find(kinds, waiver.kind) == kinds.end())
      waiver.place.fail(
          fmt::format("rule {} has no finding '{}'{}", rule->doc.id, waiver.kind, did_you_mean(waiver.kind, kinds)));
  }

  const Policy& policy_;
  std::span<const Rule* const> rules_;
  std::set<std::string, std::less<>> ended_;
  std::set<std::string, std::less<>> ended_sets_;
};

}  // namespace

bool is_list(const Policy& policy, const Variable& variable) {
  const Variable* at = &variable;
  while (at->source == Variable::Source::from) at = &policy.variables.find(at->of)->second;
  return at->list;
}

std::vector<const FileSet*> sets_within(const Policy& policy, const FileSet& set) {
  std::vector<const FileSet*> out{&set};
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const auto& [name, place] : out[i]->sets) {
      const auto found = policy.files.find(name);
      if (found == policy.files.end()) place.fail(fmt::format("unknown set '{}'", name));
      if (std::ranges::find(out, &found->second) == out.end()) out.push_back(&found->second);
    }
  }
  return out;
}

void verify_names(const Policy& policy, std::span<const Rule* const> rules) { Verifier(policy, rules).run(); }

}  // namespace ocilint
