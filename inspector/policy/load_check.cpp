#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "policy/load_parts.h"
#include "policy/pattern.h"

namespace ocilint {
namespace {

/// "o+w", "u=rwx,go=", or an octal mode.
bool is_mode(std::string_view text) {
  if (text.find_first_not_of("01234567") == std::string_view::npos) return text.size() == 3 || text.size() == 4;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view clause = text.substr(0, comma);
    const std::size_t sign = clause.find_first_of("+-=");
    if (sign == std::string_view::npos) return false;
    if (clause.substr(0, sign).find_first_not_of("ugoa") != std::string_view::npos) return false;
    const std::string_view letters = clause.substr(sign + 1);
    if (letters.find_first_not_of("rwxst") != std::string_view::npos) return false;
    if (letters.empty() && clause[sign] != '=') return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

void verify_choice(const Param& param, const YamlNode& node, const Template& value) {
  if (param.choices.empty() || !value.literal()) return;
  if (std::find(param.choices.begin(), param.choices.end(), value.text) != param.choices.end()) return;
  const std::vector<std::string> choices(param.choices.begin(), param.choices.end());
  node.fail(fmt::format("must be one of {}, is '{}'{}", fmt::join(choices, ", "), value.text,
                        did_you_mean(value.text, choices)));
}

Argument::Records load_records(const Param& param, const YamlNode& node);

Argument load_argument(const Param& param, const YamlNode& node) {
  Argument out{&param, false, node.place()};
  switch (param.type) {
    case ParamType::flag: out.value = node.flag(); break;
    case ParamType::number: out.value = node.number(); break;
    case ParamType::paths:
      if (node.kind() == YamlNode::Kind::map) node.fail("must be a list of patterns and sets, is a map");
      out.value = load_file_set(node);
      break;
    case ParamType::texts:
    case ParamType::patterns: {
      std::vector<Template> texts;
      for (const YamlNode* item : node.texts()) {
        texts.push_back(Template::parse(*item));
        verify_choice(param, *item, texts.back());
        if (param.type == ParamType::patterns)
          (void)compile_pattern(with_placeholders(texts.back(), false), item->place());
      }
      out.value = std::move(texts);
      break;
    }
    case ParamType::records: out.value = load_records(param, node); break;
    case ParamType::text:
    case ParamType::pattern:
    case ParamType::mode: {
      Template value = Template::parse(node);
      verify_choice(param, node, value);
      if (param.type == ParamType::pattern) (void)compile_pattern(with_placeholders(value, false), node.place());
      if (param.type == ParamType::mode && !(value.literal() && is_mode(value.text)))
        node.fail(fmt::format("must be a mode such as 'o+w' or '0644', is '{}'", value.text));
      out.value = std::vector<Template>{std::move(value)};
      break;
    }
  }
  return out;
}

/// `owner` is what has the table, for messages: "rule same-file has no parameter".
std::vector<Argument> load_arguments(std::span<const Param> table, const YamlNode& map, std::string_view owner) {
  std::vector<std::string> names;
  for (const Param& param : table) names.emplace_back(param.name);
  std::vector<Argument> out;
  for (const YamlNode::Member& member : map.members()) {
    const auto param =
        std::find_if(table.begin(), table.end(), [&](const Param& known) { return known.name == member.key; });
    if (param == table.end())
      member.key_place.fail(fmt::format("{} '{}'{}", owner, member.key, did_you_mean(member.key, names)));
    out.push_back(load_argument(*param, *member.value));
  }
  return out;
}

void verify_record(const Param& param, const YamlNode& record) {
  const YamlNode* source = nullptr;
  for (const std::string_view key : param.one_of) {
    const YamlNode* const value = record.find(key);
    if (value && source) value->fail(fmt::format("stands beside '{}'; one of them is enough", source->key()));
    if (value) source = value;
  }
  if (!param.one_of.empty() && !source)
    record.place().fail(fmt::format("an item of '{}' needs one of: {}", param.name, fmt::join(param.one_of, ", ")));
  for (const Param& field : param.fields) {
    const YamlNode* const value = record.find(field.name);
    if (value && !field.beside.empty() && !record.find(field.beside))
      value->fail(fmt::format("belongs beside '{}'", field.beside));
    if (!value && field.required)
      record.place().fail(fmt::format("an item of '{}' needs '{}' ({})", param.name, field.name, field.doc));
  }
}

Argument::Records load_records(const Param& param, const YamlNode& node) {
  Argument::Records out;
  for (const YamlNode& record : node.items()) {
    if (record.kind() != YamlNode::Kind::map)
      record.place().fail(fmt::format("an item of '{}' must be a map", param.name));
    out.push_back(load_arguments(param.fields, record, fmt::format("an item of '{}' has no key", param.name)));
    verify_record(param, record);
  }
  if (out.empty()) node.fail("must not be an empty list");
  return out;
}

std::vector<Argument> load_with(const Rule& rule, const YamlNode* node, const Place& check) {
  std::vector<Argument> out;
  if (node) out = load_arguments(rule.doc.params, *node, fmt::format("rule {} has no parameter", rule.doc.id));
  for (const Param& param : rule.doc.params) {
    if (param.required && !(node && node->find(param.name)))
      check.fail(fmt::format("rule {} needs the parameter '{}' ({})", rule.doc.id, param.name, param.doc));
  }
  return out;
}

const Rule* find(std::span<const Rule* const> rules, const YamlNode& node) {
  std::vector<std::string> ids;
  for (const Rule* rule : rules) {
    if (rule->doc.id == node.text()) {
      if (rule->doc.built_in) node.fail(fmt::format("rule {} always runs and is not listed", rule->doc.id));
      return rule;
    }
    if (!rule->doc.built_in) ids.emplace_back(rule->doc.id);
  }
  node.fail(fmt::format("unknown rule '{}'{}", node.text(), did_you_mean(node.text(), ids)));
}

Severity load_severity(const YamlNode& node) {
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error})
    if (node.text() == to_string(severity)) return severity;
  const std::vector<std::string> names = {"error", "warning", "note"};
  node.fail(fmt::format("must be error, warning or note, is '{}'{}", node.text(), did_you_mean(node.text(), names)));
}

}  // namespace

Check load_check(const YamlNode& node, std::span<const Rule* const> rules) {
  verify_keys(node, {"id", "rule", "when", "severity", "with", "why"});
  const YamlNode* id = node.find("id");
  const YamlNode* rule = node.find("rule");
  if (!id) node.fail("a check needs 'id'");
  if (!rule) node.fail("a check needs 'rule'");
  Check out;
  out.place = node.place();
  out.id = load_name(*id);
  out.rule = find(rules, *rule);
  if (const YamlNode* when = node.find("when")) out.when = load_choice(*when).gates;
  if (const YamlNode* severity = node.find("severity")) out.severity = load_severity(*severity);
  if (const YamlNode* why = node.find("why")) out.why = load_plain(*why);
  out.with = load_with(*out.rule, node.find("with"), out.place);
  return out;
}

}  // namespace ocilint
