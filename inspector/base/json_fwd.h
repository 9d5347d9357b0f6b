// The name Json, for headers that only pass one on: the whole library costs seconds in every file that has it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ocilint {

using Json = nlohmann::json;

}  // namespace ocilint
