#include "check/python_requires.h"

#include <deque>
#include <map>
#include <set>

#include "base/error.h"

namespace ocilint {
namespace {

// A distribution offers a few dozen; each is evaluated with every requirement.
constexpr std::size_t extras_most = 500;

class Closure {
 public:
  Closure(const PythonDists& dists, const PythonEnvironment& environment,
          const std::function<bool(std::string_view, std::string_view)>& ignored)
      : dists_(dists), environment_(environment), ignored_(ignored) {}

  RequirementsFacts run() {
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
    auto& all = parsed_[&dist];
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
          out_.undecided.push_back(dist.title() + ": " + error.what());
      }
    }
  }

  void want(const PythonDist& dist, const std::string& extra) {
    auto& extras = wanted_[&dist];
    if (extras.size() > extras_most) {
      if (limited_.insert(&dist).second)
        out_.undecided.push_back(dist.title() + ": more than " + std::to_string(extras_most) +
                                 " extras of it are asked for");
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
      out_.undecided.push_back(dist.title() + " asks for " + each.requirement.text + ": " + error.what());
      return;
    }
    if (applies == false) return;
    const PythonRequirement& requirement = each.requirement;
    const PythonDist* const found = dists_.find(requirement.normal);
    const bool met = found != nullptr && requirement.specifiers.matches(found->version);
    each.settled = true;
    if (met) {
      ++out_.satisfied;
    } else if (!applies) {
      out_.undecided.push_back(dist.title() + " asks for " + requirement.text +
                               ", which is not met, and whether that applies the image does not tell");
    } else {
      out_.unmet.push_back({&dist, requirement, extra, found});
    }
    if (found != nullptr)
      for (const std::string& asked : requirement.extras) want(*found, asked);
  }

  const PythonDists& dists_;
  PythonEnvironment environment_;
  const std::function<bool(std::string_view, std::string_view)>& ignored_;
  std::map<const PythonDist*, std::vector<Parsed>> parsed_;
  std::map<const PythonDist*, std::set<std::string>> wanted_;
  std::set<const PythonDist*> limited_;
  std::deque<std::pair<const PythonDist*, std::string>> waiting_;
  RequirementsFacts out_;
};

}  // namespace

RequirementsFacts check_requirements(const PythonDists& dists, const PythonEnvironment& environment,
                                     const std::function<bool(std::string_view, std::string_view)>& ignored) {
  return Closure(dists, environment, ignored).run();
}

}  // namespace ocilint
