// A policy as it is evaluated: what it extends is merged, every check with its rule, severity, gates, parameters and
// place. Nothing of an image is known, so variables stand by their sources. Pure.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "policy/policy.h"

namespace ocilint {

struct PolicyStyle {
  bool color = false;
  std::size_t width = 0;          // columns; 0: nothing is wrapped
  std::chrono::sys_days today{};  // waivers that have expired by then are marked
};

/// `rules` are all of the program: the built-in ones run whatever a policy lists.
std::string write_policies_text(std::span<const Policy> policies, std::span<const Rule* const> rules,
                                const PolicyStyle& style);
std::string write_policies_json(std::span<const Policy> policies, std::span<const Rule* const> rules,
                                const PolicyStyle& style);

}  // namespace ocilint
