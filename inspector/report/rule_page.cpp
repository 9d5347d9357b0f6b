#include "report/rule_page.h"

#include <fmt/format.h>

namespace ocilint {

std::string_view type_name(ParamType type) {
  switch (type) {
    case ParamType::text: return "string";
    case ParamType::texts: return "list of strings";
    case ParamType::flag: return "true or false";
    case ParamType::number: return "whole number";
    case ParamType::paths: return "globs and set:NAME";
    case ParamType::pattern: return "regular expression";
    case ParamType::patterns: return "list of regular expressions";
    case ParamType::mode: return "permissions";
    case ParamType::records: return "list of maps";
  }
  return "";
}

std::string rule_page(const Rule& rule) {
  const RuleDoc& doc = rule.doc;
  std::string out = fmt::format("# {}\n\n{}\n\n{}\n", doc.id, doc.summary, doc.details);
  out += fmt::format("\nSeverity {} unless the policy says otherwise; since {}.", to_string(doc.severity), doc.since);
  if (doc.security != "none") out += fmt::format(" As a weakness it scores {} (of 10, as CVSS does).", doc.security);
  out += doc.built_in ? " Always runs; a policy does not list it.\n" : "\n";
  if (!doc.params.empty()) out += "\n## Parameters\n\n";
  for (const Param& param : doc.params) {
    out += fmt::format("- `{}` ({}{}): {}", param.name, type_name(param.type), param.required ? ", required" : "",
                       param.doc);
    if (!param.choices.empty()) {
      out += "; one of";
      for (const std::string_view choice : param.choices) out += fmt::format(" `{}`", choice);
    }
    out += "\n";
    for (const Param& field : param.fields) {
      out += fmt::format("  - `{}` ({}{}): {}", field.name, type_name(field.type), field.required ? ", required" : "",
                         field.doc);
      for (const std::string_view choice : field.choices)
        out += fmt::format("{} `{}`", &choice == field.choices.data() ? "; one of" : "", choice);
      out += "\n";
    }
  }
  if (!doc.kinds.empty()) out += "\n## Findings\n\n";
  for (const FindingKind& kind : doc.kinds) out += fmt::format("- *{}*: {}\n", kind.name, kind.doc);
  if (!doc.examples.empty()) out += "\n## Examples\n";
  for (const Example& example : doc.examples) {
    out += fmt::format("\n{}:\n\n    with: {}\n    image: {}\n    result: {}\n", example.title, example.with,
                       example.image, example.expect);
  }
  return out;
}

}  // namespace ocilint
