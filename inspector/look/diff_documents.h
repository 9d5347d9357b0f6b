// The configurations and histories of two images beside each other. Part of `ocilint diff`. Pure.
#pragma once

#include <vector>

#include "look/diff.h"
#include "oci/config.h"

namespace ocilint {

/// Sorted by name. Lists count in their order, environment variables and labels by their names.
std::vector<DiffField> diff_configs(const Config& before, const Config& after, bool ignore_timestamps);

/// What stands between the entries that both begin and end with: removed ones first.
std::vector<DiffHistory> diff_histories(const std::vector<History>& before, const std::vector<History>& after,
                                        bool ignore_timestamps);

}  // namespace ocilint
