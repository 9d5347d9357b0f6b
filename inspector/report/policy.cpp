#include "report/policy.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

std::string place_of(const Place& place) {
  return place.file ? for_terminal(fmt::format("{}:{}", *place.file, place.line)) : "";
}

std::string quoted(const std::string& text) { return "'" + for_terminal(text) + "'"; }

std::string source_of(const Variable& variable) {
  std::string out;
  switch (variable.source) {
    case Variable::Source::file: out = "file " + for_terminal(variable.file.text); break;
    case Variable::Source::env: out = "environment variable " + for_terminal(variable.of); break;
    case Variable::Source::label: out = "label " + for_terminal(variable.of); break;
    case Variable::Source::from: out = "variable " + for_terminal(variable.of); break;
  }
  if (!variable.key.empty()) out += ", key " + for_terminal(variable.key);
  if (variable.list)
    out += ", every line, each as " + quoted(variable.pattern->text);
  else if (variable.pattern)
    out += ", what matches " + quoted(variable.pattern->text);
  if (variable.otherwise) out += ", else " + quoted(variable.otherwise->text);
  return out;
}

std::string detection_of(const Gate& gate) {
  std::string out;
  switch (gate.kind) {
    case Gate::Kind::file: out = "file " + for_terminal(gate.file.text); break;
    case Gate::Kind::package: out = "package " + for_terminal(gate.of); break;
    case Gate::Kind::env: out = "environment variable " + for_terminal(gate.of); break;
    case Gate::Kind::label: out = "label " + for_terminal(gate.of); break;
    case Gate::Kind::variable: out = "variable " + for_terminal(gate.of); break;
  }
  if (gate.matches) out += " matches " + quoted(gate.matches->text);
  return out;
}

std::string mode_of(const Gate& gate) { return gate.mode == GateMode::required ? "required" : "auto"; }

std::string words(const std::vector<std::string>& names) {
  return for_terminal(fmt::format("{}", fmt::join(names, ", ")));
}

std::string text_of(const Argument& argument);

struct TextOfValue {
  std::string operator()(const std::vector<Template>& templates) const {
    std::string out;
    for (const Template& one : templates) out += (out.empty() ? "" : ", ") + for_terminal(one.text);
    return out;
  }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(const FileSet& set) const { return for_terminal(set.text); }
  std::string operator()(const Argument::Records& records) const {
    std::string out;
    for (const auto& record : records) {
      std::string fields;
      for (const Argument& field : record) fields += (fields.empty() ? "" : ", ") + text_of(field);
      out += (out.empty() ? "{" : ", {") + fields + "}";
    }
    return out;
  }
};

std::string text_of(const Argument& argument) {
  return fmt::format("{}: {}", argument.param->name, std::visit(TextOfValue{}, argument.value));
}

Ordered json_of(const std::vector<Argument>& arguments);

struct JsonOfValue {
  bool list;
  Ordered operator()(const std::vector<Template>& templates) const {
    if (!list) return templates.empty() ? "" : for_json(templates.front().text);
    Ordered out = Ordered::array();
    for (const Template& one : templates) out.push_back(for_json(one.text));
    return out;
  }
  Ordered operator()(bool flag) const { return flag; }
  Ordered operator()(std::uint64_t number) const { return number; }
  Ordered operator()(const FileSet& set) const;
  Ordered operator()(const Argument::Records& records) const {
    Ordered out = Ordered::array();
    for (const auto& record : records) out.push_back(json_of(record));
    return out;
  }
};

Ordered json_of(const std::vector<Argument>& arguments) {
  Ordered out = Ordered::object();
  for (const Argument& argument : arguments) {
    const bool list = argument.param->type == ParamType::texts || argument.param->type == ParamType::patterns;
    out[std::string(argument.param->name)] = std::visit(JsonOfValue{list}, argument.value);
  }
  return out;
}

Ordered JsonOfValue::operator()(const FileSet& set) const {
  Ordered out = {{"include", Ordered::array()}};
  for (const Template& one : set.include) out["include"].push_back(for_json(one.text));
  for (const auto& [name, place] : set.sets) out["include"].push_back("set:" + for_json(name));
  if (!set.exclude.empty()) out["exclude"] = Ordered::array();
  for (const Template& one : set.exclude) out["exclude"].push_back(for_json(one.text));
  return out;
}

void put_place(Ordered& entry, const Place& place) {
  entry["file"] = for_json(place.file ? *place.file : "");
  entry["line"] = place.line;
}

std::vector<std::string> built_in(std::span<const Rule* const> rules) {
  std::vector<std::string> out;
  for (const Rule* const rule : rules)
    if (rule->doc.built_in) out.emplace_back(rule->doc.id);
  return out;
}

class PolicyText {
 public:
  PolicyText(const Policy& policy, const PolicyStyle& style) : policy_(policy), style_(style) {}

  std::string write(const std::vector<std::string>& always) {
    line(paint(for_terminal(policy_.name) + " · " + for_terminal(policy_.file), Hue::bold, style_.color));
    if (!policy_.summary.empty()) line(for_terminal(policy_.summary));
    sources();
    checks();
    line("always runs: " + words(always));
    variables();
    gates();
    sets();
    waivers();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  void table(Table& table) { out_ += "\n" + table.write(style_.width, style_.color); }

  void sources() {
    if (policy_.sources.size() < 2) return;
    Table of({{"made of, the last one wins"}, {"digest"}});
    for (const PolicySource& source : policy_.sources) of.row({for_terminal(source.file), source.digest.text()});
    table(of);
  }

  void checks() {
    if (policy_.checks.empty()) return line("\nno checks of its own");
    Table of({{"check"}, {"severity"}, {"rule"}, {"when"}, {"where"}});
    for (const Check& check : policy_.checks) {
      of.row({for_terminal(check.id), std::string(to_string(check.level())), std::string(check.rule->doc.id),
              check.when.empty() ? "always" : words(check.when), place_of(check.place)});
    }
    table(of);
    line("");
    for (const Check& check : policy_.checks) asserted(check);
  }

  void asserted(const Check& check) {
    if (check.with.empty() && check.why.empty()) return;
    line(paint(for_terminal(check.id), Hue::bold, style_.color));
    for (const Argument& argument : check.with)
      for (const std::string& one : wrap("  " + text_of(argument), style_.width, 2)) line(one);
    if (!check.why.empty())
      for (const std::string& one : wrap("  why: " + for_terminal(check.why), style_.width, 2)) line(one);
  }

  void variables() {
    if (policy_.variables.empty()) return;
    Table of({{"variable"}, {"where"}, {"from"}});
    for (const auto& [name, variable] : policy_.variables)
      of.row({for_terminal(name), place_of(variable.place), source_of(variable)});
    table(of);
  }

  void gates() {
    if (policy_.gates.empty()) return;
    Table of({{"gate"}, {"mode"}, {"where"}, {"on by"}});
    for (const auto& [name, gate] : policy_.gates)
      of.row({for_terminal(name), mode_of(gate), place_of(gate.place), detection_of(gate)});
    table(of);
    if (!policy_.any_of.empty()) line("at least one of: " + words(policy_.any_of.gates));
    if (!policy_.one_of.empty()) line("exactly one of: " + words(policy_.one_of.gates));
  }

  void sets() {
    if (policy_.files.empty()) return;
    Table of({{"file set"}, {"where"}, {"files"}});
    for (const auto& [name, set] : policy_.files)
      of.row({for_terminal(name), place_of(set.place), for_terminal(set.text)});
    table(of);
  }

  void waivers() {
    if (policy_.waivers.empty()) return;
    Table of({{"waiver of"}, {"until"}, {"owner"}, {"where"}, {"reason"}});
    for (const Waiver& waiver : policy_.waivers) {
      const bool over = waiver.expired(style_.today);
      of.row({for_terminal(waiver.check), waiver.expires_text() + (over ? " (over)" : ""), for_terminal(waiver.owner),
              place_of(waiver.place), for_terminal(waiver.reason)},
             over ? Hue::yellow : Hue::plain);
    }
    table(of);
  }

  const Policy& policy_;
  const PolicyStyle& style_;
  std::string out_;
};

Ordered json_of(const Variable& variable) {
  static constexpr const char* sources[] = {"file", "env", "label", "from"};
  const bool file = variable.source == Variable::Source::file;
  Ordered out = {{sources[static_cast<int>(variable.source)], for_json(file ? variable.file.text : variable.of)}};
  if (!variable.key.empty()) out["key"] = for_json(variable.key);
  if (variable.pattern) out[variable.list ? "each" : "pattern"] = for_json(variable.pattern->text);
  if (variable.otherwise) out["default"] = for_json(variable.otherwise->text);
  put_place(out, variable.place);
  return out;
}

Ordered json_of(const Gate& gate) {
  static constexpr const char* kinds[] = {"file", "package", "env", "label", "variable"};
  Ordered detect = {
      {kinds[static_cast<int>(gate.kind)], for_json(gate.kind == Gate::Kind::file ? gate.file.text : gate.of)}};
  if (gate.matches) detect["matches"] = for_json(gate.matches->text);
  Ordered out = {{"detect", std::move(detect)}, {"mode", mode_of(gate)}};
  put_place(out, gate.place);
  return out;
}

Ordered json_of(const Check& check) {
  Ordered out = {{"id", for_json(check.id)}, {"rule", check.rule->doc.id}, {"severity", to_string(check.level())}};
  out["when"] = json_texts(check.when);
  out["why"] = for_json(check.why);
  out["with"] = json_of(check.with);
  put_place(out, check.place);
  return out;
}

Ordered json_of(const Waiver& waiver, std::chrono::sys_days today) {
  Ordered out = {{"check", for_json(waiver.check)}, {"kind", for_json(waiver.kind)}};
  out["paths"] = json_texts(waiver.paths);
  out["values"] = json_texts(waiver.values);
  out["images"] = json_texts(waiver.images);
  out["reason"] = for_json(waiver.reason);
  out["owner"] = for_json(waiver.owner);
  out["ticket"] = for_json(waiver.ticket);
  out["expires"] = waiver.expires_text();
  out["expired"] = waiver.expired(today);
  put_place(out, waiver.place);
  return out;
}

Ordered json_of(const Policy& policy, std::chrono::sys_days today) {
  Ordered out = {
      {"name", for_json(policy.name)}, {"summary", for_json(policy.summary)}, {"file", for_json(policy.file)}};
  out["sources"] = Ordered::array();
  for (const PolicySource& source : policy.sources)
    out["sources"].push_back({{"file", for_json(source.file)}, {"digest", source.digest.text()}});
  out["checks"] = Ordered::array();
  for (const Check& check : policy.checks) out["checks"].push_back(json_of(check));
  out["variables"] = Ordered::object();
  for (const auto& [name, variable] : policy.variables) out["variables"][for_json(name)] = json_of(variable);
  out["gates"] = Ordered::object();
  for (const auto& [name, gate] : policy.gates) out["gates"][for_json(name)] = json_of(gate);
  out["any_of"] = json_texts(policy.any_of.gates);
  out["one_of"] = json_texts(policy.one_of.gates);
  out["files"] = Ordered::object();
  for (const auto& [name, set] : policy.files) {
    out["files"][for_json(name)] = JsonOfValue{true}(set);
    put_place(out["files"][for_json(name)], set.place);
  }
  out["waivers"] = Ordered::array();
  for (const Waiver& waiver : policy.waivers) out["waivers"].push_back(json_of(waiver, today));
  return out;
}

}  // namespace

std::string write_policies_text(std::span<const Policy> policies, std::span<const Rule* const> rules,
                                const PolicyStyle& style) {
  std::string out;
  for (const Policy& policy : policies)
    out += (out.empty() ? "" : "\n") + PolicyText(policy, style).write(built_in(rules));
  return out;
}

std::string write_policies_json(std::span<const Policy> policies, std::span<const Rule* const> rules,
                                const PolicyStyle& style) {
  Ordered out = {{"schema_version", 1}, {"built_in", json_texts(built_in(rules))}, {"policies", Ordered::array()}};
  for (const Policy& policy : policies) out["policies"].push_back(json_of(policy, style.today));
  return json_text(out);
}

}  // namespace ocilint
