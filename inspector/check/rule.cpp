#include "check/rule.h"

#include <algorithm>

namespace ocilint {

void Plan::add(FactKind kind, const PathSet& where) {
  layers_ = true;
  declared_.add(kind);
  for (const Glob& glob : where.include) demand_.add(kind, glob);
}

void Plan::add(FactKind kind, std::string_view glob) {
  layers_ = true;
  declared_.add(kind);
  demand_.add(kind, Glob::parse(glob));
}

const Rule* find_rule(std::span<const Rule* const> rules, std::string_view id) {
  const auto found = std::ranges::find(rules, id, [](const Rule* rule) { return rule->doc.id; });
  return found == rules.end() ? nullptr : *found;
}

}  // namespace ocilint
