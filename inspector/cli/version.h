#pragma once

#include <string_view>

namespace ocilint::cli {

std::string_view version();

}  // namespace ocilint::cli
