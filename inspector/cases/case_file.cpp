#include "cases/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "policy/load_parts.h"

namespace ocilint {
namespace {

namespace fs = std::filesystem;

/// What a check of this id is asked by; nullptr for what gates demand.
const Rule* rule_behind(const std::string& id, const Policy& policy, std::span<const Rule* const> rules) {
  if (const Check* const check = policy.find_check(id)) return check->rule;
  return find_rule(rules, id);
}

std::vector<std::string> known_ids(const Policy& policy, std::span<const Rule* const> rules) {
  std::vector<std::string> out;
  for (const Check& check : policy.checks) out.push_back(check.id);
  for (const auto& [name, gate] : policy.gates) out.push_back("gate:" + name);
  if (!policy.any_of.empty()) out.push_back("gates:any_of");
  if (!policy.one_of.empty()) out.push_back("gates:one_of");
  for (const Rule* const rule : rules)
    if (rule->doc.built_in) out.emplace_back(rule->doc.id);
  return out;
}

std::vector<std::string> kinds_of(const Rule* rule) {
  if (rule == nullptr) return {"not-detected", "ambiguous"};
  std::vector<std::string> out;
  for (const FindingKind& kind : rule->doc.kinds) out.emplace_back(kind.name);
  return out;
}

class CaseLoader {
 public:
  CaseLoader(const Policy& policy, std::span<const Rule* const> rules)
      : policy_(policy), rules_(rules), ids_(known_ids(policy, rules)) {}

  std::vector<PolicyCase> load(const YamlNode& top) {
    verify_keys(top, {"cases"});
    const YamlNode* const cases = top.find("cases");
    if (!cases || cases->items().empty()) top.fail("there is no case here");
    for (const YamlNode& item : cases->items()) out_.push_back(load_case(item));
    return std::move(out_);
  }

 private:
  PolicyCase load_case(const YamlNode& node) {
    verify_keys(node, {"name", "from", "image", "gates", "set", "today", "expect"});
    PolicyCase out;
    out.place = node.place();
    const YamlNode* const name = node.find("name");
    if (!name) node.fail("a case needs 'name'");
    out.name = name->text();
    if (find_case(out.name)) name->fail(fmt::format("there are two cases '{}'", out.name));
    load_image(node, out);
    if (const YamlNode* const gates = node.find("gates")) load_gates(*gates, out.overrides);
    if (const YamlNode* const set = node.find("set"))
      for (const auto& member : set->members()) {
        if (!policy_.variables.contains(member.key))
          member.key_place.fail(fmt::format("the policy has no variable '{}'", member.key));
        out.overrides.variables[member.key] = member.value->text();
      }
    if (const YamlNode* const today = node.find("today")) out.today = load_date(*today);
    const YamlNode* const expect = node.find("expect");
    if (!expect) node.fail("a case needs 'expect'");
    load_expectation(*expect, out);
    return out;
  }

  const PolicyCase* find_case(const std::string& name) const {
    const auto found = std::ranges::find(out_, name, &PolicyCase::name);
    return found == out_.end() ? nullptr : &*found;
  }

  void load_image(const YamlNode& node, PolicyCase& out) {
    const YamlNode* const from = node.find("from");
    const YamlNode* const image = node.find("image");
    if (!from && !image) node.fail("a case needs 'image' or 'from'");
    if (image) out.image = read_description(*image);
    if (!from) return;
    const PolicyCase* const below = find_case(from->text());
    if (!below) {
      std::vector<std::string> names;
      for (const PolicyCase& known : out_) names.push_back(known.name);
      from->fail(fmt::format("no earlier case is named '{}'{}", from->text(), did_you_mean(from->text(), names)));
    }
    DescribedImage whole = below->image;
    whole.layers.insert(whole.layers.end(), out.image.layers.begin(), out.image.layers.end());
    if (image && image->find("config")) {
      Json config = Json::parse(whole.config);
      config.update(Json::parse(out.image.config));
      whole.config = config.dump();
    }
    for (auto& annotation : out.image.annotations) whole.annotations.push_back(annotation);
    for (auto& other : out.image.others) {
      std::erase_if(whole.others, [&](const auto& known) { return known.first == other.first; });
      whole.others.push_back(std::move(other));
    }
    out.image = std::move(whole);
  }

  void load_gates(const YamlNode& gates, Overrides& into) {
    for (const auto& member : gates.members()) {
      if (!policy_.gates.contains(member.key))
        member.key_place.fail(fmt::format("the policy has no gate '{}'", member.key));
      const std::string& mode = member.value->text();
      if (mode != "auto" && mode != "required")
        member.value->fail(fmt::format("must be auto or required, is '{}'", mode));
      into.gates[member.key] = mode == "required" ? GateMode::required : GateMode::automatic;
    }
  }

  void load_expectation(const YamlNode& node, PolicyCase& out) {
    if (node.kind() == YamlNode::Kind::scalar) {
      if (node.raw() != "pass") node.fail(fmt::format("must be 'pass' or a map of checks, is '{}'", node.raw()));
      out.all_pass = true;
      return;
    }
    for (const auto& member : node.members()) {
      if (std::ranges::find(ids_, member.key) == ids_.end())
        member.key_place.fail(
            fmt::format("the policy has no check '{}'{}", member.key, did_you_mean(member.key, ids_)));
      ExpectedCheck& check = out.checks.emplace_back();
      check.id = member.key;
      check.place = member.key_place;
      if (member.value->kind() == YamlNode::Kind::list)
        load_findings(*member.value, check);
      else
        check.outcome = load_outcome(*member.value);
    }
    if (out.checks.empty()) node.fail("nothing is expected");
  }

  static Outcome load_outcome(const YamlNode& node) {
    static const std::vector<std::pair<std::string, Outcome>> known = {{"pass", Outcome::pass},
                                                                       {"fail", Outcome::fail},
                                                                       {"not-applicable", Outcome::not_applicable},
                                                                       {"error", Outcome::error}};
    std::vector<std::string> names;
    for (const auto& [name, outcome] : known) {
      if (node.text() == name) return outcome;
      names.push_back(name);
    }
    node.fail(fmt::format("must be a list of findings or one of {}, is '{}'{}", fmt::join(names, ", "), node.text(),
                          did_you_mean(node.text(), names)));
  }

  void load_findings(const YamlNode& node, ExpectedCheck& check) {
    const Rule* const rule = rule_behind(check.id, policy_, rules_);
    const std::vector<std::string> kinds = kinds_of(rule);
    if (node.items().empty()) node.fail("an empty list: write 'pass'");
    for (const YamlNode& item : node.items()) {
      verify_keys(item, {"kind", "subject", "layer", "waived"});
      const YamlNode* const kind = item.find("kind");
      if (!kind) item.place().fail("a finding needs 'kind'");
      // What readers of layers find odd has many names.
      const bool open = rule != nullptr && rule->doc.id == "image-integrity";
      if (!open && std::ranges::find(kinds, kind->text()) == kinds.end())
        kind->fail(fmt::format("{} has no findings of the kind '{}'{}", rule ? rule->doc.id : "a gate", kind->text(),
                               did_you_mean(kind->text(), kinds)));
      ExpectedFinding& finding = check.findings.emplace_back();
      finding.place = item.place();
      finding.kind = kind->text();
      if (const YamlNode* const subject = item.find("subject")) finding.subject = subject->raw();
      if (const YamlNode* const layer = item.find("layer")) finding.layer = static_cast<std::uint32_t>(layer->number());
      if (const YamlNode* const waived = item.find("waived")) finding.waived = waived->flag();
    }
  }

  const Policy& policy_;
  std::span<const Rule* const> rules_;
  std::vector<std::string> ids_;
  std::vector<PolicyCase> out_;
};

}  // namespace

std::string ExpectedFinding::text() const {
  std::string out = kind;
  if (!subject.empty()) out += " of " + subject;
  if (layer) out += fmt::format(" in layer {}", *layer);
  if (waived) out += ", waived";
  return out;
}

const ExpectedCheck* PolicyCase::find(std::string_view id) const {
  const auto found = std::ranges::find(checks, id, &ExpectedCheck::id);
  return found == checks.end() ? nullptr : &*found;
}

std::vector<PolicyCase> load_cases(std::string_view text, const std::string& file, const Policy& policy,
                                   std::span<const Rule* const> rules) {
  return CaseLoader(policy, rules).load(YamlNode::parse(text, file));
}

std::vector<std::string> case_files_beside(const std::string& policy_file) {
  const fs::path policy(policy_file);
  const fs::path stem = policy.parent_path() / (policy.stem().string() + ".cases");
  std::vector<std::string> out;
  std::error_code failed;
  if (const fs::path file = stem.string() + ".yaml"; fs::exists(file, failed)) out.push_back(file.string());
  if (fs::is_directory(stem, failed)) {
    for (fs::directory_iterator at(stem, failed), end; !failed && at != end; at.increment(failed))
      if (at->path().extension() == ".yaml") out.push_back(at->path().string());
    if (failed) throw Error(ErrorKind::policy, stem.string() + ": " + failed.message());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace ocilint
