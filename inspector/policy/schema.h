// The JSON Schema (draft 7) of the policy language, for editors: policies/schema/policy-1.json is its output.
//
// Made from the rules' tables, so that it cannot lag behind them. It knows names and shapes; what only the
// loader can know (that a set exists, that a pattern compiles) stays with load_policy(). Pure.
#pragma once

#include <span>

#include "base/json.h"
#include "check/rule.h"

namespace ocilint {

Json policy_schema(std::span<const Rule* const> rules);

}  // namespace ocilint
