// Cases that are made from random values: every detector's secret and what is nearly one, on every surface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "secrets/surfaces.h"

namespace ocilint::bench {

struct Case {
  std::string group;  // the detector, or what it is that is no secret
  std::string_view surface;
  Document document;
  std::string value;  // the planted secret, "" in a case without one
};

/// Deterministic for a seed; `rounds` values a detector and surface.
std::vector<Case> make_corpus(std::uint64_t seed, unsigned rounds);

}  // namespace ocilint::bench
