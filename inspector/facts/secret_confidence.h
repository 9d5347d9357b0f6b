// How sure it is that what a detector found is a secret, by what the find rests on. Values; pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ocilint {

enum class Confidence : std::uint8_t {
  low,      // a name or a place alone, or words of a sentence
  medium,   // what stands beside it: the name of a variable, an option, an address
  high,     // its own form: a prefix that a vendor gives to nothing else, a length, randomness
  certain,  // decoded and parsed: a private key. Or the policy says so: a variable of `never`
};

inline constexpr std::array<std::string_view, 4> confidence_names{"low", "medium", "high", "certain"};

constexpr std::string_view to_string(Confidence confidence) {
  return confidence_names[static_cast<std::size_t>(confidence)];
}

constexpr std::optional<Confidence> confidence_of(std::string_view name) {
  for (std::size_t i = 0; i < confidence_names.size(); ++i)
    if (confidence_names[i] == name) return static_cast<Confidence>(i);
  return std::nullopt;
}

}  // namespace ocilint
