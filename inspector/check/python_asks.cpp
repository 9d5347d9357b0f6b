#include "check/python_asks.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"

namespace ocilint {
namespace {

// A distribution offers a few dozen; each is evaluated with every requirement.
constexpr std::size_t extras_most = 500;

class Walk {
 public:
  Walk(const PythonDists& dists, PythonEnvironment environment, const IgnoredRequirement& ignored)
      : dists_(dists), environment_(std::move(environment)), ignored_(ignored) {}

  PythonAsks run() {
    for (const PythonDist* const dist : dists_.visible()) {
      read(*dist);
      want(*dist, "");
    }
    while (!waiting_.empty()) {
      const auto [dist, extra] = waiting_.front();
      waiting_.pop_front();
      environment_["extra"] = extra;
      for (Parsed& each : parsed_[dist]) judge(*dist, extra, each);
    }
    return std::move(out_);
  }

 private:
  struct Parsed {
    PythonRequirement requirement;
    bool settled = false;  // by an extra before: what it says holds for all of them
  };

  void read(const PythonDist& dist) {
    std::vector<Parsed>& all = parsed_[&dist];
    for (const std::string& text : dist.requirements) {
      try {
        PythonRequirement requirement = PythonRequirement::parse(text);
        if (ignored_(dist.normal, requirement.normal))
          ++out_.ignored;
        else
          all.push_back({std::move(requirement)});
      } catch (const Error& error) {
        if (ignored_(dist.normal, ""))
          ++out_.ignored;
        else
          out_.problems.push_back(dist.title() + ": " + error.what());
      }
    }
  }

  void want(const PythonDist& dist, const std::string& extra) {
    std::set<std::string>& extras = wanted_[&dist];
    if (extras.size() > extras_most) {
      if (limited_.insert(&dist).second)
        out_.problems.push_back(fmt::format("{}: more than {} extras of it are asked for", dist.title(), extras_most));
      return;
    }
    if (extras.insert(extra).second) waiting_.emplace_back(&dist, extra);
  }

  void judge(const PythonDist& dist, const std::string& extra, Parsed& each) {
    if (each.settled) return;
    std::optional<bool> applies;
    try {
      applies = each.requirement.marker.evaluate(environment_);
    } catch (const Error& error) {
      each.settled = true;
      out_.problems.push_back(dist.title() + " asks for " + each.requirement.text + ": " + error.what());
      return;
    }
    if (applies == false) return;
    each.settled = true;
    const PythonDist* const found = dists_.find(each.requirement.normal);
    out_.asks.push_back({&dist, each.requirement, extra, applies.has_value(), found});
    if (found != nullptr)
      for (const std::string& asked : each.requirement.extras) want(*found, asked);
  }

  const PythonDists& dists_;
  PythonEnvironment environment_;
  const IgnoredRequirement& ignored_;
  std::map<const PythonDist*, std::vector<Parsed>> parsed_;
  std::map<const PythonDist*, std::set<std::string>> wanted_;
  std::set<const PythonDist*> limited_;
  std::deque<std::pair<const PythonDist*, std::string>> waiting_;
  PythonAsks out_;
};

}  // namespace

PythonAsks python_asks(const PythonDists& dists, PythonEnvironment environment, const IgnoredRequirement& ignored) {
  return Walk(dists, std::move(environment), ignored).run();
}

}  // namespace ocilint
