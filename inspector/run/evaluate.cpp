#include "run/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace ocilint {
namespace {

std::string_view to_text(GateState::State state) {
  switch (state) {
    case GateState::State::on: return "on";
    case GateState::State::off: return "off";
    case GateState::State::unknown: return "unknown";
  }
  return "unknown";
}

/// One policy against the image in one round: its variables and gates as they are known now.
class Round {
 public:
  Round(const PlannedPolicy& planned, const Scanned& scanned, const Overrides& overrides)
      : view_(scanned, planned.declared), expansion_(*planned.policy, view_, overrides) {}

  bool pending() const { return view_.pending(); }
  Expansion& expansion() { return expansion_; }

 private:
  ImageView view_;
  Expansion expansion_;
};

struct Slot {
  Evaluated evaluated;
  bool settled = false;
};

/// Asks one check; the slot is settled unless something that it looked at is still to come.
void ask(Slot& slot, const PlannedCheck& planned, Round* round, const Scanned& scanned) {
  slot.evaluated.answer = {};
  slot.evaluated.not_applicable.clear();
  ImageView view(scanned, planned.declared);
  try {
    Params params(planned.check->rule->doc.params);
    if (round != nullptr) {
      const GateState gate = round->expansion().applies(*planned.check);
      if (gate.state == GateState::State::off) slot.evaluated.not_applicable = gate.text;
      if (gate.state == GateState::State::unknown)
        slot.evaluated.answer.could_not("its gate is neither on nor off: " + gate.text);
      if (gate.state == GateState::State::on) {
        params = round->expansion().params(*planned.check);
        if (!round->pending()) planned.check->rule->check(params, view, slot.evaluated.answer);
      }
    } else {
      planned.check->rule->check(params, view, slot.evaluated.answer);
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    // Of this check alone, even where it is a fault of the program: the others keep their answers.
    slot.evaluated.answer.could_not(error.what());
  }
  slot.settled = !view.pending() && (round == nullptr || !round->pending());
}

using Missing = std::pair<const Scanned*, Refill>;

/// Of the image and of those that it is compared with.
std::vector<Missing> take_missing(const Scanned& scanned) {
  std::vector<Missing> out;
  const auto take = [&](const Scanned& of) {
    Refill missing = of.facts.take_missing();
    if (!missing.empty()) out.emplace_back(&of, std::move(missing));
  };
  take(scanned);
  for (const auto& [name, other] : scanned.others) take(*other);
  return out;
}

void leave_open(Evaluated& evaluated, std::size_t rounds) {
  evaluated.not_applicable.clear();
  evaluated.answer.could_not(
      fmt::format("what it looks at led to ever more files, {} rounds of reading did not settle it", rounds));
}

}  // namespace

Evaluation evaluate(const RunPlan& plan, const Scanned& scanned, const Overrides& overrides, const ReadMore& refill) {
  std::vector<Slot> slots(plan.checks.size());
  Evaluation out;
  std::vector<Evaluated> gates;
  for (std::size_t round = 0;; ++round) {
    std::map<const Policy*, std::unique_ptr<Round>> rounds;
    out.gates.clear();
    gates.clear();
    for (const PlannedPolicy& planned : plan.policies) {
      auto& current = rounds[planned.policy];
      current = std::make_unique<Round>(planned, scanned, overrides);
      Expansion& expansion = current->expansion();
      for (const auto& [name, gate] : planned.policy->gates) {
        const GateState& state = expansion.gate(name);
        const bool required = expansion.mode(name) == GateMode::required;
        out.gates.push_back({planned.policy->name, name, std::string(to_text(state.state)), state.text,
                             required ? "required" : "auto"});
      }
      for (GateVerdict& verdict : expansion.gate_verdicts())
        gates.push_back({nullptr, verdict.id, planned.policy, verdict.place, std::move(verdict.answer), {}});
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const PlannedCheck& planned = plan.checks[i];
      if (slots[i].settled) continue;
      slots[i].evaluated = {&planned, {}, planned.policy, planned.check->place, {}, {}};
      const auto found = rounds.find(planned.policy);
      ask(slots[i], planned, found == rounds.end() ? nullptr : found->second.get(), scanned);
    }
    const std::vector<Missing> missing = take_missing(scanned);
    if (missing.empty() || round + 1 == evaluation_rounds) {
      // What was made from placeholders is no answer: neither of a check nor of a gate, and "off" is one too.
      for (Slot& slot : slots)
        if (!slot.settled) leave_open(slot.evaluated, round + 1);
      for (Evaluated& gate : gates)
        if (rounds.at(gate.policy)->pending()) leave_open(gate, round + 1);
      break;
    }
    for (const auto& [of, what] : missing) refill(*of, what);
  }
  out.checks = std::move(gates);
  for (Slot& slot : slots) out.checks.push_back(std::move(slot.evaluated));
  return out;
}

void settle(const Scanned& scanned, Wants declared, const std::function<void(const ImageView&)>& body,
            const ReadMore& refill) {
  for (std::size_t round = 0; round < evaluation_rounds; ++round) {
    const ImageView view(scanned, declared);
    try {
      body(view);
    } catch (const Error&) {
      if (!view.pending()) throw;
    }
    const std::vector<Missing> missing = take_missing(scanned);
    if (missing.empty()) return;
    for (const auto& [of, what] : missing) refill(*of, what);
  }
  throw Error(ErrorKind::limit,
              fmt::format("{} rounds of reading did not bring all that was asked for", evaluation_rounds));
}

}  // namespace ocilint
