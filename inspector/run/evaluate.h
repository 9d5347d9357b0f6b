// Asks every check of every policy, reading again what the pass did not bring, until the answers settle.
//
// A check whose view was pending is asked again after the refill; the others keep their answer. What a rule
// throws becomes the outcome "error" of that check alone. One thread, but for the second reads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/expand.h"
#include "policy/policy.h"
#include "run/result.h"

namespace ocilint {

/// One check of a run, with what its plan declared.
struct PlannedCheck {
  const Policy* policy = nullptr;  // null for built-in checks
  const Check* check = nullptr;
  Wants declared;
};

struct PlannedPolicy {
  const Policy* policy = nullptr;
  Wants declared;  // by variables and gates
};

/// Everything that is asked of an image, planned before the first byte of a layer is read.
struct RunPlan {
  Demand demand;
  bool layers = false;
  OtherDemands others;               // by the names that checks compare with
  std::vector<ExtraDetector> known;  // of all policies, also of checks that do not run
  std::vector<PlannedPolicy> policies;
  std::vector<PlannedCheck> checks;
  std::vector<std::unique_ptr<Check>> built_in;  // owned here: no policy lists them
  Wants beside;                                  // what is asked beside the checks
};

struct Evaluated {
  const PlannedCheck* planned = nullptr;  // null for what the gates demand
  std::string gate_id;                    // then: "gate:apt"
  const Policy* policy = nullptr;
  Place place;
  Answer answer;
  std::string not_applicable;
};

struct Evaluation {
  std::vector<Evaluated> checks;
  std::vector<GateResult> gates;
};

/// `refill` reads again, of the image or of one that it is compared with; evaluation_rounds times at most for each.
using ReadMore = std::function<void(const Scanned& of, const Refill&)>;
inline constexpr std::size_t evaluation_rounds =
    6;  // a list names files, a link leads on, a table of a big file on: two are usual
Evaluation evaluate(const RunPlan& plan, const Scanned& scanned, const Overrides& overrides, const ReadMore& refill);

/// Calls `body` until everything that it asked the view for is there. It is a pure function of the view; only its
/// last call counts, and what it throws over a fact that is still to come counts as little. Throws what the last
/// call and `refill` throw, Error{limit} beyond evaluation_rounds.
void settle(const Scanned& scanned, Wants declared, const std::function<void(const ImageView& view)>& body,
            const ReadMore& refill);

}  // namespace ocilint
