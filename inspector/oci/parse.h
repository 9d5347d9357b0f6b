// Pieces that several documents of the specification share. Throw Error{corrupt} on the wrong type.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "oci/platform.h"

namespace ocilint {

/// os, architecture, variant and os.version of an object: of an index entry or of a config.
Platform parse_platform(const Json& json);

/// A map of strings under `key`; absent and null are empty.
std::map<std::string, std::string> parse_string_map(const Json& object, std::string_view key);

}  // namespace ocilint
