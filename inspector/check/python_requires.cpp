#include "check/python_requires.h"

#include <utility>

namespace ocilint {

RequirementsFacts check_requirements(const PythonDists& dists, const PythonEnvironment& environment,
                                     const IgnoredRequirement& ignored) {
  PythonAsks asks = python_asks(dists, environment, ignored);
  RequirementsFacts out;
  out.undecided = std::move(asks.problems);
  out.ignored = asks.ignored;
  for (PythonAsk& ask : asks.asks) {
    if (ask.found != nullptr && ask.requirement.specifiers.matches(ask.found->version))
      ++out.satisfied;
    else if (ask.applies)
      out.unmet.push_back(std::move(ask));
    else
      out.undecided.push_back(ask.by->title() + " asks for " + ask.requirement.text +
                              ", which is not met, and whether that applies the image does not tell");
  }
  return out;
}

}  // namespace ocilint
