#include "policy/schema.h"

namespace ocilint {
namespace {

Json refers_to(std::string_view definition) { return {{"$ref", "#/definitions/" + std::string(definition)}}; }

Json described(Json schema, std::string_view text) {
  // Draft 7 ignores what stands beside $ref, so a description needs a wrapper there.
  if (schema.contains("$ref")) schema = {{"allOf", Json::array({std::move(schema)})}};
  schema["description"] = text;
  return schema;
}

Json object(Json properties, Json required) {
  Json out{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

/// Exactly one of these keys must be there.
Json one_key(std::initializer_list<std::string_view> keys) {
  Json out = Json::array();
  for (const std::string_view key : keys) out.push_back({{"required", Json::array({key})}});
  return out;
}

Json map_of(std::string_view definition) {
  return {{"type", "object"}, {"propertyNames", refers_to("name")}, {"additionalProperties", refers_to(definition)}};
}

Json record_schema(const Param& param);

/// One of the choices, or a text with a variable, which is checked when its value is known.
Json choice_of(std::span<const std::string_view> choices) {
  Json known = Json::array();
  for (const std::string_view choice : choices) known.push_back(choice);
  return {{"anyOf", Json::array({{{"enum", std::move(known)}}, {{"type", "string"}, {"pattern", "\\$\\("}}})}};
}

Json schema_of(const Param& param) {
  switch (param.type) {
    case ParamType::flag: return {{"type", "boolean"}};
    case ParamType::number: return {{"type", "integer"}, {"minimum", 0}};
    case ParamType::texts:
    case ParamType::patterns: {
      if (param.choices.empty()) return refers_to("texts");
      const Json choice = choice_of(param.choices);
      return {{"anyOf", Json::array({choice, {{"type", "array"}, {"minItems", 1}, {"items", choice}}})}};
    }
    case ParamType::records: return {{"type", "array"}, {"minItems", 1}, {"items", record_schema(param)}};
    case ParamType::paths: return refers_to("paths");
    case ParamType::mode:
      return {{"type", "string"},
              {"pattern", "^([0-7]{3,4}|[ugoa]*([+-][rwxst]+|=[rwxst]*)(,[ugoa]*([+-][rwxst]+|=[rwxst]*))*)$"}};
    case ParamType::text:
    case ParamType::pattern: break;
  }
  return param.choices.empty() ? refers_to("text") : choice_of(param.choices);
}

Json record_schema(const Param& param) {
  Json properties = Json::object(), required = Json::array(), beside = Json::object();
  for (const Param& field : param.fields) {
    properties[std::string(field.name)] = described(schema_of(field), field.doc);
    if (field.required) required.push_back(field.name);
    if (!field.beside.empty()) beside[std::string(field.name)] = Json::array({field.beside});
  }
  Json out = object(std::move(properties), std::move(required));
  if (!beside.empty()) out["dependencies"] = std::move(beside);
  if (param.one_of.empty()) return out;
  out["oneOf"] = Json::array();
  for (const std::string_view key : param.one_of) out["oneOf"].push_back({{"required", Json::array({key})}});
  return out;
}

/// if rule is this one, then `with` is like that.
Json branch_of(const Rule& rule) {
  Json properties = Json::object(), required = Json::array();
  for (const Param& param : rule.doc.params) {
    properties[std::string(param.name)] = described(schema_of(param), param.doc);
    if (param.required) required.push_back(param.name);
  }
  Json then{{"properties", {{"with", object(std::move(properties), required)}}}};
  if (!required.empty()) then["required"] = Json::array({"with"});
  return {{"if", {{"properties", {{"rule", {{"const", rule.doc.id}}}}}}}, {"then", std::move(then)}};
}

Json check_schema(std::span<const Rule* const> rules) {
  Json ids = Json::array(), branches = Json::array();
  for (const Rule* rule : rules) {
    if (rule->doc.built_in) continue;
    ids.push_back(described({{"const", rule->doc.id}}, rule->doc.summary));
    branches.push_back(branch_of(*rule));
  }
  Json out = object(
      {{"id", described(refers_to("name"), "names the check in reports and waivers")},
       {"rule", described({{"anyOf", std::move(ids)}}, "what is asserted")},
       {"when", described(refers_to("names"), "gates that must all be on")},
       {"severity", described({{"enum", {"error", "warning", "note"}}}, "of its findings; the rule's own when absent")},
       {"why", described(refers_to("plain"), "printed with a finding")},
       {"with", described({{"type", "object"}}, "the parameters of the rule")}},
      {"id", "rule"});
  out["allOf"] = std::move(branches);
  return out;
}

Json variable_schema() {
  Json out = object({{"file", described(refers_to("text"), "the path of a file in the image")},
                     {"key", described(refers_to("plain"), "of KEY=value or KEY: value lines in the file")},
                     {"pattern", described(refers_to("plain"), "the value is its first match, or group 1 of it")},
                     {"each", described(refers_to("plain"), "a list: every line of the file matches this")},
                     {"env", described(refers_to("plain"), "an environment variable of the image")},
                     {"label", described(refers_to("plain"), "a label of the image")},
                     {"from", described(refers_to("name"), "another variable, whose values the pattern chooses")},
                     {"default", described(refers_to("text"), "when the image does not have it")}},
                    Json::array());
  out["oneOf"] = one_key({"file", "env", "label", "from"});
  out["dependencies"] = {{"key", {"file"}}, {"each", {"file"}}, {"from", {"pattern"}}};
  out["not"] = {{"required", {"each"}}, {"anyOf", one_key({"key", "pattern"})}};
  return out;
}

Json gate_schema() {
  Json detect = object({{"file", described(refers_to("text"), "a path in the image")},
                        {"package", described(refers_to("plain"), "name, or name (>= version)")},
                        {"env", described(refers_to("plain"), "an environment variable of the image")},
                        {"label", described(refers_to("plain"), "a label of the image")},
                        {"variable", described(refers_to("name"), "a variable of the policy that has a value")},
                        {"matches", described(refers_to("text"), "a regular expression for the content or value")}},
                       Json::array());
  detect["oneOf"] = one_key({"file", "package", "env", "label", "variable"});
  detect["not"] = {{"required", {"package", "matches"}}};
  return object({{"detect", described(std::move(detect), "what such an image has, exactly one thing")},
                 {"mode",
                  {{"enum", {"auto", "required"}},
                   {"description", "auto: off means that its checks do not apply; required: a finding"}}}},
                {"detect"});
}

Json waiver_schema() {
  return object(
      {{"check", described(refers_to("name"), "the id of a check")},
       {"kind", described(refers_to("plain"), "of the findings; any when absent")},
       {"paths", described(refers_to("plains"), "subjects of findings; any when absent")},
       {"values", described(refers_to("plains"), "secrets, by the ids that their findings show; any when absent")},
       {"images", described(refers_to("plains"), "references, * matches anything; any when absent")},
       {"reason", described(refers_to("plain"), "why it is let through for now")},
       {"owner", described(refers_to("plain"), "who answers for it")},
       {"expires",
        {{"type", "string"},
         {"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
         {"description", "the last day, YYYY-MM-DD, at most 366 days ahead"}}},
       {"ticket", described(refers_to("plain"), "where it is being mended")}},
      {"check", "reason", "owner", "expires"});
}

Json one_or_list(std::string_view definition) {
  return {{"anyOf", Json::array({refers_to(definition),
                                 {{"type", "array"}, {"minItems", 1}, {"items", refers_to(definition)}}})}};
}

Json definitions(std::span<const Rule* const> rules) {
  return {{"name", {{"type", "string"}, {"pattern", "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"}}},
          {"names", one_or_list("name")},
          {"text", {{"type", "string"}, {"minLength", 1}}},
          {"texts", one_or_list("text")},
          {"plain", {{"type", "string"}, {"minLength", 1}, {"not", {{"pattern", "\\$\\("}}}}},
          {"plains", one_or_list("plain")},
          {"path", {{"type", "string"}, {"pattern", "^(/|\\*\\*/|set:|\\$\\()"}}},
          {"paths", one_or_list("path")},
          {"set",
           {{"anyOf", Json::array({refers_to("paths"),
                                   object({{"include", described(refers_to("paths"), "globs of what is in it")},
                                           {"exclude", described(refers_to("paths"), "globs of what is not")}},
                                          {"include"})})}}},
          {"variable", variable_schema()},
          {"gate", gate_schema()},
          {"check", check_schema(rules)},
          {"waiver", waiver_schema()}};
}

}  // namespace

Json policy_schema(std::span<const Rule* const> rules) {
  Json gates = map_of("gate");
  gates["properties"] = {{"any_of", described(refers_to("names"), "at least one of these gates is on")},
                         {"one_of", described(refers_to("names"), "exactly one of these gates is on")}};
  Json out = object({{"policy", described(refers_to("name"), "its name")},
                     {"language", described({{"const", 1}}, "of the policy language: 1")},
                     {"summary", described(refers_to("plain"), "one line about it")},
                     {"extends", described(refers_to("plains"), "names of shipped policies, or paths")},
                     {"variables", described(map_of("variable"), "read from the image; $(name) stands for the value")},
                     {"gates", described(std::move(gates), "what kind of image this is")},
                     {"files", described(map_of("set"), "named sets of globs; set:name stands for one")},
                     {"checks", described({{"type", "array"}, {"items", refers_to("check")}}, "what is asserted")},
                     {"waivers", described({{"type", "array"}, {"items", refers_to("waiver")}},
                                           "findings that are let through until a day")}},
                    {"policy", "language"});
  out["$schema"] = "http://json-schema.org/draft-07/schema#";
  out["title"] = "ocilint policy, language 1";
  out["definitions"] = definitions(rules);
  return out;
}

}  // namespace ocilint
