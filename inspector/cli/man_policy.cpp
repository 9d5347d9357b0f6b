// ocilint-policy(5): the keys of a policy as its JSON Schema has them, the rules and parameters as docs/rules has them.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "check/rule.h"
#include "cli/man.h"
#include "cli/roff.h"
#include "policy/schema.h"
#include "report/rule_page.h"

namespace ocilint::cli {
namespace {

constexpr const char* description =
    R"(A policy is a YAML file: what kind of image it is about, and what must hold of it.
\fBocilint policy validate\fR loads one and says what is wrong with it, \fBocilint policy init\fR begins one, and
\fBocilint policy list\fR names those that come with the program.
.PP
.nf
policy: my\-service
language: 1
extends: [debian\-baseline]
variables:
  release: {file: /opt/stack/version, pattern: '^[0\-9.]+'}
gates:
  stack: {detect: {file: /opt/stack/version}, mode: auto}
files:
  runtime: [/opt/stack/lib/librun.so.*]
checks:
\- id: runtime\-is\-one\-file
  rule: same\-file
  when: stack
  with: {files: [set:runtime], at_least: 2}
waivers:
\- check: runtime\-is\-one\-file
  reason: kept for one release
  owner: '@team'
  expires: '2026\-12\-31'
.fi
.PP
Unknown keys and names are errors, with line, column and the nearest right one.
A set that matches nothing fails its check unless it has \fBallow_empty: true\fR.
A variable that the image does not have makes the checks that use it errors.
)";

constexpr const char* globs =
    R"(\fB*\fR and \fB?\fR stay within a name, \fB**\fR spans folders, \fB/x/**\fR is everything below \fB/x\fR.
Links in parent folders are followed.
Regular expressions are those of RE2.
)";

/// In this order, whatever else there is behind.
std::vector<std::string> ordered(const Json& properties, std::initializer_list<const char*> first) {
  std::vector<std::string> out;
  for (const char* const key : first)
    if (properties.contains(key)) out.emplace_back(key);
  for (const auto& [key, schema] : properties.items())
    if (std::ranges::find(out, key) == out.end()) out.push_back(key);
  return out;
}

bool is_required(const Json& object, const std::string& key) {
  const auto all = object.find("required");
  return all != object.end() && std::ranges::find(*all, Json(key)) != all->end();
}

std::string keys_of(const Json& object, std::initializer_list<const char*> first) {
  std::string out;
  const Json& properties = object["properties"];
  for (const std::string& key : ordered(properties, first)) {
    const std::string what = properties[key].value("description", "");
    std::string text = what.empty() ? "" : prose(what) + ".";
    if (is_required(object, key)) text += " Required.";
    if (const auto choices = properties[key].find("enum"); choices != properties[key].end()) {
      std::vector<std::string> words;
      for (const Json& word : *choices) words.push_back(bold(word.get<std::string>()));
      text += fmt::format(" One of {}.", fmt::join(words, ", "));
    }
    out += entry(bold(key), text);
  }
  return out;
}

std::string entry_of(const Param& param) {
  std::string text =
      fmt::format("({}{}) {}", type_name(param.type), param.required ? ", required" : "", prose(param.doc));
  if (!param.choices.empty()) {
    std::vector<std::string> words;
    for (const std::string_view choice : param.choices) words.push_back(bold(std::string(choice)));
    text += fmt::format("; one of {}", fmt::join(words, ", "));
  }
  return text + ".";
}

std::string rules_text() {
  std::string out;
  for (const Rule* const rule : all_rules()) {
    const RuleDoc& doc = rule->doc;
    out += ".SS " + escaped(doc.id) + "\n" + prose(doc.summary) + "\n";
    if (doc.built_in) out += "Always runs; a policy does not list it.\n";
    for (const Param& param : doc.params) {
      out += entry(bold(std::string(param.name)), entry_of(param));
      if (param.fields.empty()) continue;
      out += ".RS\n";
      for (const Param& field : param.fields) out += entry(bold(std::string(field.name)), entry_of(field));
      out += ".RE\n";
    }
    if (doc.kinds.empty()) continue;
    out += ".PP\nFindings:\n";
    for (const FindingKind& kind : doc.kinds) out += entry(italic(std::string(kind.name)), prose(kind.doc) + ".");
  }
  return out;
}

}  // namespace

std::string policy_manual(const std::string& date) {
  const Json schema = policy_schema(all_rules());
  const Json& definitions = schema["definitions"];
  const Json& gate = definitions["gate"];
  Json combined;
  combined["properties"] = schema["properties"]["gates"]["properties"];
  const Json& set = definitions["set"]["anyOf"].back();
  return roff_head({"ocilint-policy", 5, "File Formats"}, "what must hold of an image, for ocilint", date) +
         section("DESCRIPTION", description) +
         section("KEYS", keys_of(schema, {"policy", "language", "summary", "extends", "variables", "gates", "files",
                                          "checks"})) +
         section("VARIABLES",
                 keys_of(definitions["variable"], {"file", "key", "pattern", "each", "env", "label", "from"})) +
         section("GATES", keys_of(gate, {"detect", "mode"}) + ".PP\nA gate is detected by one of:\n" +
                              keys_of(gate["properties"]["detect"], {"file", "package", "env", "label", "variable"}) +
                              ".PP\nBeside the gates there may be:\n" + keys_of(combined, {})) +
         section("FILES", std::string("A glob, a list of globs, or a map with:\n") + keys_of(set, {"include"}) +
                              ".PP\n" + globs) +
         section("CHECKS", keys_of(definitions["check"], {"id", "rule", "when", "severity", "why", "with"})) +
         section("WAIVERS",
                 keys_of(definitions["waiver"], {"check", "kind", "paths", "values", "images", "reason", "owner"})) +
         section("RULES", "\\fBocilint explain\\fR \\fIRULE\\fR says more of each, with examples.\n" + rules_text()) +
         section("SEE ALSO",
                 bold("ocilint") + "(1),\n" + bold("ocilint-policy") + "(1),\n" + bold("ocilint-check") + "(1)\n");
}

}  // namespace ocilint::cli
