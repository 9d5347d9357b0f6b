// The known word that a misspelled one was probably meant to be, for error messages.
//
// Distance is Damerau-Levenshtein (insert, delete, change, swap of neighbours); a word is near when at most a
// third of its letters differ. Bytes. Pure functions. Cost: length × length for each candidate; words above
// 64 bytes have no neighbour.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ocilint {

std::size_t edit_distance(std::string_view left, std::string_view right);

/// The nearest candidate; of several equally near ones the first.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'same-file'?", or "" when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace ocilint
