#include "policy/expand.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "base/path.h"
#include "facts/key_value.h"
#include "policy/load_parts.h"
#include "policy/pattern.h"
#include "policy/value_text.h"

namespace ocilint {
namespace {

template <typename Overridden, typename Known>
void verify_known(const Overridden& overridden, const Known& known, std::string_view what) {
  for (const auto& [name, value] : overridden) {
    if (known.contains(name)) continue;
    std::vector<std::string> names;
    for (const auto& [each, rest] : known) names.push_back(each);
    throw Error(ErrorKind::usage, fmt::format("the policy has no {} '{}'{}", what, name, did_you_mean(name, names)));
  }
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(at, from), text.size());
    out.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

}  // namespace

void verify_overrides(const Policy& policy, const Overrides& overrides) {
  verify_known(overrides.variables, policy.variables, "variable");
  verify_known(overrides.gates, policy.gates, "gate");
}

Expansion::Expansion(const Policy& policy, const ImageView& view, Overrides overrides)
    : policy_(policy), view_(view), overrides_(std::move(overrides)) {
  verify_overrides(policy_, overrides_);
}

const std::vector<std::string>& Expansion::values(std::string_view variable) { return value(variable).texts; }

const Expansion::Value& Expansion::value(std::string_view name) {
  auto known = values_.find(name);
  if (known == values_.end()) {
    const auto variable = policy_.variables.find(name);
    if (variable == policy_.variables.end())
      throw Error(ErrorKind::internal, fmt::format("no variable '{}' in a verified policy", name));
    Value value;
    try {
      value = read(variable->second);
    } catch (Error& e) {
      e.within(fmt::format("variable '{}'", name));
      value.error = e;
    }
    known = values_.emplace(name, std::move(value)).first;
  }
  if (known->second.error) throw *known->second.error;
  return known->second;
}

Expansion::Value Expansion::read(const Variable& variable) {
  Value out;
  out.slashes = true;
  if (const auto set = overrides_.variables.find(variable.name); set != overrides_.variables.end()) {
    out.texts = is_list(policy_, variable) ? split(set->second, ',') : std::vector{set->second};
  } else {
    std::string why;
    out.texts = found(variable, why);
    if (!out.texts.empty()) {
      out.slashes = variable.pattern.has_value();
    } else {
      if (!variable.otherwise) throw Error(ErrorKind::not_found, why);
      out.texts = fill(*variable.otherwise, Into::text);
    }
  }
  for (const std::string& text : out.texts) {
    if (text.empty()) corrupt("the value is empty");
    if (text.size() > value_bytes) corrupt(fmt::format("a value of more than {} bytes", value_bytes));
    if (has_control(text)) corrupt(fmt::format("a control character in the value {}", in_quotes(text)));
  }
  return out;
}

std::vector<std::string> Expansion::found(const Variable& variable, std::string& why) {
  std::optional<std::string> text;
  switch (variable.source) {
    case Variable::Source::file: return found_in_file(variable, why);
    case Variable::Source::env:
      text = view_.config().env_value(variable.of);
      why = fmt::format("the image sets no environment variable {}", variable.of);
      break;
    case Variable::Source::label:
      if (const auto label = view_.config().labels.find(variable.of); label != view_.config().labels.end())
        text = label->second;
      why = fmt::format("the image has no label {}", variable.of);
      break;
    case Variable::Source::from: {
      std::vector<std::string> out;
      for (const std::string& each : values(variable.of))
        if (auto match = first_match(*variable.pattern, each)) out.push_back(std::move(*match));
      why = fmt::format("no value of '{}' matches '{}'", variable.of, variable.pattern->text);
      return out;
    }
  }
  if (!text || text->empty()) return {};
  if (!variable.pattern) return {std::move(*text)};
  auto match = first_match(*variable.pattern, *text);
  if (!match)
    corrupt(fmt::format("{} is {}, which does not match '{}'", variable.of, in_quotes(*text), variable.pattern->text));
  return {std::move(*match)};
}

std::vector<std::string> Expansion::found_in_file(const Variable& variable, std::string& why) {
  const std::string path = fill(variable.file, Into::file).front();
  std::optional<std::string> content = view_.text_of(path);
  if (!content) {
    why = "no " + path;
    return {};
  }
  std::string text(without_end(*content));
  if (!variable.key.empty()) {
    KeyValue lines;
    try {
      lines = KeyValue::parse(*content);
      if (lines.entries.empty() && !lines.notes.empty()) corrupt("not a file of KEY=value or KEY: value lines");
      const auto entry = lines.find(variable.key);
      if (!entry || entry->empty()) {
        why = fmt::format("no {} in {}", variable.key, path);
        return {};
      }
      text = *entry;
    } catch (Error& e) {
      e.within(path);
      throw;
    }
  }
  // The file is there, so from here on nothing is "absent": a default must not hide a damaged file.
  if (text.empty()) corrupt(path + " is empty");
  const auto fail = [&](std::size_t line, std::string_view of) {
    corrupt(fmt::format("line {} of {} is {}, which does not match '{}'", line, path, in_quotes(of),
                        variable.pattern->text));
  };
  if (variable.list) {
    std::vector<std::string> out;
    for (const std::string& line : split(text, '\n')) {
      auto match = first_match(*variable.pattern, line);
      if (!match) fail(out.size() + 1, line);
      out.push_back(std::move(*match));
      if (out.size() > list_values) corrupt(fmt::format("{} has more than {} lines", path, list_values));
    }
    return out;
  }
  if (variable.pattern) {
    auto match = first_match(*variable.pattern, text);
    if (!match) fail(1, text);
    return {std::move(*match)};
  }
  if (text.find('\n') != std::string::npos)
    corrupt(path + " has more than one line; the variable needs key, pattern or each");
  return {std::move(text)};
}

std::vector<std::string> Expansion::fill(const Template& from, Into into) {
  std::vector<std::string> out{""};
  for (const Template::Piece& piece : from.pieces) {
    if (!piece.variable) {
      for (std::string& text : out) text += piece.text;
      continue;
    }
    const Value& filled = value(piece.text);
    std::vector<std::string> next;
    for (const std::string& text : out) {
      for (std::string part : filled.texts) {
        if (into == Into::pattern) part = re2::RE2::QuoteMeta(part);
        if (into == Into::file || into == Into::glob) part = path_part(piece.text, part, text.empty(), filled.slashes);
        if (into == Into::glob) part = glob_escaped(part);
        next.push_back(text + part);
      }
    }
    out = std::move(next);
  }
  if (into == Into::file)
    for (const std::string& path : out)
      if (!path.starts_with('/') || normalise(path).path != path)
        corrupt(fmt::format("'{}' became {}, which is no plain path", from.text, in_quotes(path)));
  return out;
}

std::vector<Glob> Expansion::globs(const std::vector<Template>& patterns) {
  std::vector<Glob> out;
  for (const Template& pattern : patterns) {
    for (const std::string& text : fill(pattern, Into::glob)) {
      try {
        out.push_back(Glob::parse(text));
      } catch (const Error& e) {
        // The policy's own part was parsed when it was loaded, so the image's part did this.
        corrupt(fmt::format("'{}' became {}: {}", pattern.text, in_quotes(text), e.what()));
      }
    }
  }
  return out;
}

PathSet Expansion::paths(const FileSet& set) {
  PathSet out;
  out.text = set.text;
  for (const FileSet* each : sets_within(policy_, set)) {
    std::ranges::move(globs(each->include), std::back_inserter(out.include));
    std::ranges::move(globs(each->exclude), std::back_inserter(out.exclude));
  }
  return out;
}

ParamValue Expansion::argument(const Argument& argument) {
  if (const auto* flag = std::get_if<bool>(&argument.value)) return *flag;
  if (const auto* number = std::get_if<std::uint64_t>(&argument.value)) return *number;
  if (const auto* set = std::get_if<FileSet>(&argument.value)) return paths(*set);
  if (const auto* records = std::get_if<Argument::Records>(&argument.value)) {
    std::vector<Params> out;
    for (const std::vector<Argument>& each : *records) out.push_back(arguments(argument.param->fields, each));
    return out;
  }
  const auto& texts = std::get<std::vector<Template>>(argument.value);
  const ParamType type = argument.param->type;
  const bool pattern = type == ParamType::pattern || type == ParamType::patterns;
  std::vector<std::string> out;
  for (const Template& text : texts)
    std::ranges::move(fill(text, pattern ? Into::pattern : Into::text), std::back_inserter(out));
  const auto& choices = argument.param->choices;
  for (const std::string& text : out)
    if (!choices.empty() && std::ranges::find(choices, text) == choices.end())
      corrupt(fmt::format("{} became {}, which is none of {}", argument.param->name, in_quotes(text),
                          fmt::join(choices, ", ")));
  if (type == ParamType::texts || type == ParamType::patterns) return out;
  return std::move(out.front());
}

Params Expansion::arguments(std::span<const Param> table, const std::vector<Argument>& arguments) {
  Params out(table);
  for (const Argument& each : arguments) out.set(each.param->name, argument(each));
  return out;
}

Params Expansion::params(const Check& check) { return arguments(check.rule->doc.params, check.with); }

}  // namespace ocilint
