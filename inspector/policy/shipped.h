// The policies that are compiled into the binary (policies/*.yaml), found by name: `-p rocm-vllm`.
#pragma once

#include <span>
#include <string_view>

namespace ocilint {

struct ShippedPolicy {
  std::string_view name;  // the file name without .yaml
  std::string_view text;
};

std::span<const ShippedPolicy> shipped_policies();  // sorted by name

}  // namespace ocilint
