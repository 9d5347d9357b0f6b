// Before the first byte of a layer is read: which checks run, and what they need. Throws Error{policy, usage}.
#pragma once

#include "run/evaluate.h"
#include "run/run.h"

namespace ocilint {

/// Built-in rules first, then the checks of every policy in order, then what is asked beside them (it may be null).
/// The policies must outlive the plan.
std::unique_ptr<RunPlan> plan_run(const RunOptions& options, std::span<const Rule* const> rules,
                                  const Beside* beside = nullptr);

}  // namespace ocilint
