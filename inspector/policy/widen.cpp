// The first phase: what a policy could mean, before anything of the image is known.
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "policy/expand.h"
#include "policy/load_parts.h"
#include "policy/pattern.h"
#include "policy/value_text.h"

namespace ocilint {
namespace {

std::string prefix_of(const Policy& policy, std::string_view variable) {
  const auto found = policy.variables.find(variable);
  if (found == policy.variables.end() || !found->second.pattern) return {};
  return literal_prefix(*found->second.pattern);
}

/// A glob. A variable at the front is any path, elsewhere any part of a name; a value with more components
/// than that is what the second read is for.
std::string widened_path(const Policy& policy, const Template& from) {
  std::string out;
  bool star = false;  // the last byte is a wildcard of a variable
  for (std::size_t i = 0; i < from.pieces.size(); ++i) {
    const Template::Piece& piece = from.pieces[i];
    if (!piece.variable) {
      std::string_view text = piece.text;
      // "$(x)*" is one star; "**" would be another pattern.
      while (star && text.starts_with('*')) text.remove_prefix(1);
      star = star && text.empty();
      out += text;
      continue;
    }
    if (i == 0) {
      const bool whole = from.pieces.size() > 1 && !from.pieces[1].variable && from.pieces[1].text.starts_with('/');
      out = whole ? "**" : "**/*";
      star = !whole;
      continue;
    }
    if (star) continue;
    const std::string prefix = prefix_of(policy, piece.text);
    out += glob_escaped(prefix.substr(0, prefix.find('/')));
    const bool stands = out.ends_with('*') && !out.ends_with("\\*");
    if (!stands) out += '*';
    star = true;
  }
  return out;
}

std::vector<Glob> widened_globs(const Policy& policy, const Template& from) {
  return widen(widened_path(policy, from));
}

std::string widened_text(const Policy& policy, const Template& from, bool pattern) {
  std::string out;
  for (const Template::Piece& piece : from.pieces) {
    if (!piece.variable) {
      out += piece.text;
    } else {
      const std::string prefix = prefix_of(policy, piece.text);
      out += pattern ? re2::RE2::QuoteMeta(prefix) + ".*" : prefix + "*";
    }
  }
  return out;
}

PathSet widened_set(const Policy& policy, const FileSet& set) {
  PathSet out;
  out.text = set.text;
  std::set<std::string> seen;
  for (const FileSet* each : sets_within(policy, set))
    for (const Template& include : each->include)
      for (Glob& glob : widened_globs(policy, include))
        if (seen.insert(glob.text()).second) out.include.push_back(std::move(glob));
  return out;  // exclusions narrow, and could do so too much while links are unknown
}

/// The variables that the checks and gates of a policy lead to.
class UsedVariables {
 public:
  explicit UsedVariables(const Policy& policy) : policy_(policy) {
    for (const Check& check : policy.checks)
      for (const Argument& argument : check.with) add(argument);
    for (const auto& [name, gate] : policy.gates) {
      add(gate.file);
      if (gate.matches) add(*gate.matches);
      if (gate.kind == Gate::Kind::variable) add(gate.of);
    }
  }

  const std::set<const Variable*>& all() const { return used_; }

 private:
  void add(const Argument& argument) {
    if (const auto* texts = std::get_if<std::vector<Template>>(&argument.value))
      for (const Template& text : *texts) add(text);
    if (const auto* records = std::get_if<Argument::Records>(&argument.value))
      for (const std::vector<Argument>& record : *records)
        for (const Argument& field : record) add(field);
    if (const auto* set = std::get_if<FileSet>(&argument.value)) {
      for (const FileSet* each : sets_within(policy_, *set)) {
        for (const Template& glob : each->include) add(glob);
        for (const Template& glob : each->exclude) add(glob);
      }
    }
  }
  void add(const Template& text) {
    for (const Template::Piece& piece : text.pieces)
      if (piece.variable) add(piece.text);
  }
  void add(const std::string& name) {
    const auto found = policy_.variables.find(name);
    if (found == policy_.variables.end() || !used_.insert(&found->second).second) return;
    const Variable& variable = found->second;
    add(variable.file);
    if (variable.otherwise) add(*variable.otherwise);
    if (variable.source == Variable::Source::from) add(variable.of);
  }

  const Policy& policy_;
  std::set<const Variable*> used_;
};

Params widened(const Policy& policy, std::span<const Param> table, const std::vector<Argument>& arguments) {
  Params out(table);
  for (const Argument& argument : arguments) {
    const std::string_view name = argument.param->name;
    const ParamType type = argument.param->type;
    if (const auto* flag = std::get_if<bool>(&argument.value)) out.set(name, *flag);
    if (const auto* number = std::get_if<std::uint64_t>(&argument.value)) out.set(name, *number);
    if (const auto* set = std::get_if<FileSet>(&argument.value)) out.set(name, widened_set(policy, *set));
    if (const auto* texts = std::get_if<std::vector<Template>>(&argument.value)) {
      std::vector<std::string> wide;
      for (const Template& text : *texts)
        wide.push_back(widened_text(policy, text, type == ParamType::pattern || type == ParamType::patterns));
      if (type == ParamType::texts || type == ParamType::patterns) {
        out.set(name, std::move(wide));
      } else {
        out.set(name, std::move(wide.front()));
      }
    }
    if (const auto* records = std::get_if<Argument::Records>(&argument.value)) {
      std::vector<Params> wide;
      for (const std::vector<Argument>& record : *records)
        wide.push_back(widened(policy, argument.param->fields, record));
      out.set(name, std::move(wide));
    }
  }
  return out;
}

}  // namespace

Params widened_params(const Policy& policy, const Check& check) {
  return widened(policy, check.rule->doc.params, check.with);
}

void plan_variables(const Policy& policy, Plan& plan) {
  const auto content = [&](const Template& file) {
    for (const Glob& glob : widened_globs(policy, file)) plan.content(glob.text());
  };
  const UsedVariables used(policy);
  for (const Variable* variable : used.all())
    if (variable->source == Variable::Source::file) content(variable->file);
  for (const auto& [name, gate] : policy.gates) {
    if (gate.kind == Gate::Kind::package) plan.packages();
    if (gate.kind != Gate::Kind::file) continue;
    plan.tree();
    if (gate.matches) content(gate.file);
  }
}

}  // namespace ocilint
