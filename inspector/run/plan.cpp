#include "run/plan.h"

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "policy/known_detectors.h"

namespace ocilint {
namespace {

bool selected(const RunOptions& options, const std::string& id) {
  if (std::ranges::find(options.skip, id) != options.skip.end()) return false;
  return options.only.empty() || std::ranges::find(options.only, id) != options.only.end();
}

void refuse_unknown(const RunOptions& options, const std::vector<std::string>& ids, const char* flag) {
  for (const std::string& id : ids) {
    const bool known =
        std::ranges::any_of(options.policies, [&](const Policy& policy) { return policy.find_check(id) != nullptr; });
    if (known) continue;
    std::vector<std::string> ids_there;
    for (const Policy& policy : options.policies)
      for (const Check& check : policy.checks) ids_there.push_back(check.id);
    throw Error(ErrorKind::usage,
                std::string(flag) + " " + id + ": no policy has a check of that id" + did_you_mean(id, ids_there));
  }
}

/// A name that is given for no check to use is a mistyped one.
void refuse_unused(const RunOptions& options, const OtherDemands& used, const OtherDemands& left_out) {
  std::vector<std::string> names;
  for (const OtherDemands* const demands : {&used, &left_out})
    for (const auto& [name, demand] : *demands) names.push_back(name);
  for (const auto& [name, reference] : options.others)
    if (!used.contains(name) && !left_out.contains(name))
      throw Error(ErrorKind::usage, "--with " + name + "=" + reference +
                                        ": no check compares with an image of that name" + did_you_mean(name, names));
}

void add(RunPlan& plan, const Policy* policy, const Check& check, const Params& params) {
  Plan needs(plan.demand, &plan.others);
  check.rule->plan(params, needs);
  needs.finish();
  plan.layers = plan.layers || needs.needs_layers();
  plan.checks.push_back({policy, &check, needs.declared()});
}

}  // namespace

std::unique_ptr<RunPlan> plan_run(const RunOptions& options, std::span<const Rule* const> rules, const Beside* beside) {
  refuse_unknown(options, options.only, "--only");
  refuse_unknown(options, options.skip, "--skip");
  auto plan = std::make_unique<RunPlan>();
  plan->known = known_detectors(options.policies);
  Demand unread;  // of checks that do not run: only the names of images count
  OtherDemands left_out;
  for (const Rule* const rule : rules) {
    if (!rule->doc.built_in) continue;
    auto check = std::make_unique<Check>();
    check->id = rule->doc.id;
    check->rule = rule;
    add(*plan, nullptr, *check, Params(rule->doc.params));
    plan->built_in.push_back(std::move(check));
  }
  for (const Policy& policy : options.policies) {
    verify_overrides(policy, options.overrides);
    Plan variables(plan->demand);
    plan_variables(policy, variables);
    plan->policies.push_back({&policy, variables.declared()});
    plan->layers = plan->layers || variables.needs_layers();
    for (const Check& check : policy.checks) {
      const Params params = widened_params(policy, check);
      if (selected(options, check.id)) {
        add(*plan, &policy, check, params);
      } else if (!options.others.empty()) {
        Plan needs(unread, &left_out);
        check.rule->plan(params, needs);
      }
    }
  }
  refuse_unused(options, plan->others, left_out);
  if (beside != nullptr) {
    Plan needs(plan->demand);
    beside->plan(needs);
    plan->beside = needs.declared();
    plan->layers = plan->layers || needs.needs_layers();
  }
  for (auto& [name, other] : plan->others) {
    // Who compares files looks at both sides; the ledger then speaks of all layers.
    plan->layers = plan->layers || other.layers;
    other.demand.freeze();
  }
  plan->demand.freeze();
  return plan;
}

}  // namespace ocilint
