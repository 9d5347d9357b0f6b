#include "check/environment.h"

#include <algorithm>
#include <unordered_map>

namespace ocilint {

Environment::Environment(const Config& config) {
  std::unordered_map<std::string, std::size_t> known;
  for (const std::string& entry : config.env) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    std::string name = entry.substr(0, equals);
    std::string value = equals == entry.size() ? std::string() : entry.substr(equals + 1);
    const auto [at, fresh] = known.try_emplace(name, variables_.size());
    if (fresh) {
      variables_.push_back({std::move(name), std::move(value)});
    } else {
      variables_[at->second].value = std::move(value);
      ++variables_[at->second].entries;
    }
  }
}

const EnvironmentVariable* Environment::find(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &EnvironmentVariable::name);
  return found == variables_.end() ? nullptr : &*found;
}

}  // namespace ocilint
