#include "check/rule.h"

#include <algorithm>

#include "base/error.h"

namespace ocilint {

Plan& Plan::other(std::string_view name) {
  if (others_ == nullptr) throw Error(ErrorKind::internal, "a plan for one image is asked about another");
  std::unique_ptr<Plan>& plan = of_others_[std::string(name)];
  if (!plan) plan = std::make_unique<Plan>((*others_)[std::string(name)].demand);
  return *plan;
}

Wants Plan::declared() const {
  Wants all = declared_;
  for (const auto& [name, plan] : of_others_) all.kinds = static_cast<std::uint8_t>(all.kinds | plan->declared().kinds);
  return all;
}

void Plan::finish() {
  for (const auto& [name, plan] : of_others_)
    if (plan->needs_layers()) others_->find(name)->second.layers = true;
}

void Plan::scan(const PathSet& where, const std::vector<ExtraDetector>& more) {
  demand_.add_detectors(more);
  add(FactKind::scan, where);
}

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
