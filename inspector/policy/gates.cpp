// Gates against an image. A gate that cannot be made out is unknown, never off: "off" skips checks, so it
// needs the positive proof that what the gate looks for is not there.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/path.h"
#include "check/package_db.h"
#include "check/package_relation.h"
#include "policy/expand.h"
#include "policy/pattern.h"
#include "policy/value_text.h"

namespace ocilint {
namespace {

using State = GateState::State;

/// "/opt/rocm" of "/opt/rocm/.info/version": /opt/NAME is one add-on product (FHS 3.0, 3.13).
std::string_view product_folder(std::string_view path) {
  constexpr std::string_view opt = "/opt/";
  if (!path.starts_with(opt)) return {};
  const std::size_t end = path.find('/', opt.size());
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

bool satisfies(const Package& package, const PackageRelation::Alternative& wanted) {
  const DpkgPackage& control = package.control;
  return control.installed() && (wanted.architecture.empty() || control.architecture == wanted.architecture) &&
         (!wanted.version || wanted.version->matches(control.version));
}

Finding not_detected(const std::string& gates, std::string message, std::vector<std::string> details) {
  Finding out;
  out.kind = "not-detected";
  out.subject = gates;
  out.message = std::move(message);
  out.details = std::move(details);
  out.remedy = "check the image that this policy is for, or put the gate on auto";
  return out;
}

}  // namespace

const GateState& Expansion::gate(std::string_view name) {
  if (const auto known = states_.find(name); known != states_.end()) return known->second;
  const auto gate = policy_.gates.find(name);
  if (gate == policy_.gates.end())
    throw Error(ErrorKind::internal, fmt::format("no gate '{}' in a verified policy", name));
  GateState state;
  try {
    state = detect(gate->second);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal) throw;
    state = {State::unknown, e.what()};
  }
  return states_.emplace(name, std::move(state)).first->second;
}

GateMode Expansion::mode(std::string_view name) const {
  if (const auto set = overrides_.gates.find(name); set != overrides_.gates.end()) return set->second;
  const auto gate = policy_.gates.find(name);
  return gate == policy_.gates.end() ? GateMode::automatic : gate->second.mode;
}

GateState Expansion::detect(const Gate& gate) {
  const Config& config = view_.config();
  switch (gate.kind) {
    case Gate::Kind::file: return detect_file(gate);
    case Gate::Kind::package: return detect_package(gate);
    case Gate::Kind::env: {
      const auto text = config.env_value(gate.of);
      if (!text) return {State::off, fmt::format("the image sets no environment variable {}", gate.of)};
      return detect_value(gate, "the environment variable " + gate.of, {*text});
    }
    case Gate::Kind::label: {
      const auto label = config.labels.find(gate.of);
      if (label == config.labels.end()) return {State::off, fmt::format("the image has no label {}", gate.of)};
      return detect_value(gate, "the label " + gate.of, {label->second});
    }
    case Gate::Kind::variable: break;
  }
  try {
    return detect_value(gate, "the variable " + gate.of, values(gate.of));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::not_found) throw;
    return {State::off, e.what()};
  }
}

GateState Expansion::detect_value(const Gate& gate, const std::string& what, const std::vector<std::string>& texts) {
  if (!gate.matches) return {State::on, what + " is set"};
  const PolicyPattern pattern = compile_pattern(fill(*gate.matches, Into::pattern).front(), gate.matches->place);
  // The value itself is not shown: an environment variable may be a secret.
  const bool any = std::ranges::any_of(
      texts, [&](const std::string& text) { return first_match(pattern, without_end(text)).has_value(); });
  return {any ? State::on : State::off,
          fmt::format("{} {} '{}'", what, any ? "matches" : "does not match", pattern.text)};
}

GateState Expansion::detect_file(const Gate& gate) {
  const std::string path = fill(gate.file, Into::file).front();
  const Resolution at = view_.resolve(path);
  if (at.status == Resolution::Status::missing && !at.dangling()) {
    const std::string_view product = product_folder(path);
    if (!product.empty() && view_.resolve(product).found())
      return {State::unknown, fmt::format("{} is there and {} is not", product, path)};
    return {State::off, "no " + path};
  }
  if (at.dangling())
    return {State::unknown, fmt::format("{} leads through a link to {}, which does not exist", path, at.path)};
  if (!at.found()) return {State::unknown, fmt::format("{}: {} is no directory to look into", path, at.path)};
  if (!gate.matches) return {State::on, path + " is there"};
  const std::string text = view_.text_of(path).value_or("");
  const std::string_view value = without_end(text);
  if (value.empty()) return {State::unknown, path + " is empty"};
  if (value.find('\0') != std::string_view::npos) return {State::unknown, path + " is no text"};
  const PolicyPattern pattern = compile_pattern(fill(*gate.matches, Into::pattern).front(), gate.matches->place);
  return {first_match(pattern, value) ? State::on : State::off,
          fmt::format("{} says {}", path, in_quotes(value.substr(0, value.find('\n'))))};
}

GateState Expansion::detect_package(const Gate& gate) {
  const PackageDb& db = view_.packages();
  switch (db.presence()) {
    case PackageDb::Presence::none: return {State::off, db.presence_text()};
    case PackageDb::Presence::removed:
    case PackageDb::Presence::foreign: return {State::unknown, db.presence_text()};
    case PackageDb::Presence::found: break;
  }
  for (const PackageRelation::Alternative& wanted : PackageRelation::parse(gate.of).alternatives)
    for (const Package* package : db.named(wanted.name))
      if (satisfies(*package, wanted)) return {State::on, package->title() + " is installed"};
  return {State::off, gate.of + " is not installed"};
}

GateState Expansion::applies(const Check& check) {
  GateState out{State::on, ""};
  for (const std::string& name : check.when) {
    const GateState& state = gate(name);
    const bool worse = state.state == State::unknown ? out.state != State::unknown
                                                     : state.state == State::off && out.state == State::on;
    const std::string text = fmt::format("gate {}: {}", name, state.text);
    if (worse) {
      out = {state.state, text};
    } else if (state.state == out.state) {
      out.text += (out.text.empty() ? "" : "; ") + text;
    }
  }
  return out;
}

std::vector<GateVerdict> Expansion::gate_verdicts() {
  std::vector<GateVerdict> out;
  for (const auto& [name, declared] : policy_.gates) {
    if (mode(name) != GateMode::required) continue;
    GateVerdict& verdict = out.emplace_back(GateVerdict{"gate:" + name, {}, declared.place});
    const GateState& state = gate(name);
    if (state.state == State::on) verdict.answer.evidence(state.text);
    if (state.state == State::unknown) verdict.answer.could_not(state.text);
    if (state.state == State::off)
      verdict.answer.finding(
          not_detected(name, fmt::format("the gate {} is required and off: {}", name, state.text), {}));
  }
  const auto choose = [&](const GateChoice& choice, std::string_view id, bool only_one) {
    if (choice.empty()) return;
    GateVerdict& verdict = out.emplace_back(GateVerdict{"gates:" + std::string(id), {}, choice.place});
    std::vector<std::string> on, off, unknown;
    for (const std::string& name : choice.gates) {
      const GateState& state = gate(name);
      (state.state == State::on    ? on
       : state.state == State::off ? off
                                   : unknown)
          .push_back(fmt::format("{}: {}", name, state.text));
    }
    const std::string names = fmt::format("{}", fmt::join(choice.gates, ", "));
    if (only_one && on.size() > 1) {
      Finding finding = not_detected(names, fmt::format("more than one of the gates {} is on", names), on);
      finding.kind = "ambiguous";
      verdict.answer.finding(std::move(finding));
    } else if (!unknown.empty() && (only_one || on.empty())) {
      for (const std::string& text : unknown) verdict.answer.could_not(text);
    } else if (on.empty()) {
      verdict.answer.finding(not_detected(names, fmt::format("none of the gates {} is on", names), off));
    } else {
      for (const std::string& text : on) verdict.answer.evidence(text);
    }
  };
  choose(policy_.any_of, "any_of", false);
  choose(policy_.one_of, "one_of", true);
  return out;
}

}  // namespace ocilint
