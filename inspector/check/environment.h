// The environment that an image's config sets.
//
// Several entries of one name: the last one counts, as container engines have it (they replace the earlier
// entry). An entry without `=` is a variable without a value. Copies; throws nothing but bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oci/config.h"

namespace ocilint {

struct EnvironmentVariable {
  std::string name, value;
  std::size_t entries = 1;  // of that name in the config
};

class Environment {
 public:
  explicit Environment(const Config& config);

  const std::vector<EnvironmentVariable>& variables() const { return variables_; }
  const EnvironmentVariable* find(std::string_view name) const;

 private:
  std::vector<EnvironmentVariable> variables_;  // in the order of their first entries
};

}  // namespace ocilint
