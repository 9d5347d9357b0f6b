// Which requirements of the distributions of one path hold: of every distribution those without an extra, and those of
// an extra where another distribution asks for it (core metadata, Requires-Dist and Provides-Extra).
//
// Pure. Never throws for what an image says: what cannot be read or judged is a problem, a sentence each. Cost:
// requirements × extras asked for, of each distribution; the extras of one are limited.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/python_dists.h"

namespace ocilint {

struct PythonAsk {
  const PythonDist* by = nullptr;
  PythonRequirement requirement;
  std::string extra;                  // of `by` that brings it in, "" when it always holds
  bool applies = true;                // false: the image does not tell (the kernel's release), so it may
  const PythonDist* found = nullptr;  // of any version; nullptr: there is none
};

struct PythonAsks {
  std::vector<PythonAsk> asks;
  std::vector<std::string> problems;
  std::size_t ignored = 0;
};

/// By two normal names, who asks and what for; "" stands for a requirement that cannot be read.
using IgnoredRequirement = std::function<bool(std::string_view, std::string_view)>;

PythonAsks python_asks(const PythonDists& dists, PythonEnvironment environment, const IgnoredRequirement& ignored);

}  // namespace ocilint
