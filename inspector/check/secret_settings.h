// The parameters that the rules about secrets share, and what follows from them: which detectors run, which values
// are fine, and what a value is called where it must not be shown.
//
// Made once a check, for one thread. The constructor throws Error{policy} for a `known` that is no detector and an
// `allow_values` that is no id. id_of() and allows_value() cost a scrypt each (facts/secret_id.h), once a value, and
// are bounded by most_ids: beyond it a value has no id and is not allowed.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/image_view.h"
#include "check/params.h"
#include "facts/secrets.h"

namespace ocilint {

inline constexpr Param secret_known{
    "known", ParamType::texts,
    "more detectors, each 'ID; KEYWORD, …; PATTERN': what the first group of the RE2 pattern matches, near a keyword"};

/// What every rule about secrets takes besides its own.
inline constexpr std::array secret_params{
    Param{"never", ParamType::texts, "variables that must have no value anywhere, whatever it looks like"},
    Param{"allow", ParamType::texts, "variables whose values are fine"},
    Param{"allow_values", ParamType::texts, "values that are fine, by the id that a finding of them shows"},
    Param{"allow_layers", ParamType::texts,
          "layers that may hold secrets (a base image's), by the beginning of their digest or diff ID"},
    secret_known,
    Param{.name = "min_confidence",
          .type = ParamType::text,
          .doc = "what is less sure is no finding: low, medium, high or certain (unset: low)",
          .choices = confidence_names},
    Param{"salt", ParamType::text,
          "mixed into the ids of values; with the same one they are equal over builds (unset: the image's digest)"},
};

template <std::size_t N>
constexpr std::array<Param, N + secret_params.size()> with_secret_params(const std::array<Param, N>& own) {
  std::array<Param, N + secret_params.size()> out;
  std::copy(secret_params.begin(), secret_params.end(), std::copy(own.begin(), own.end(), out.begin()));
  return out;
}

/// Those of the parameter `known`. Throws Error{policy}.
std::vector<ExtraDetector> known_detectors(const Params& with);
/// And of `never`: in the contents of files variables are found by detectors. Throws Error{policy}.
std::vector<ExtraDetector> file_detectors(const Params& with);

class SecretSettings {
 public:
  static constexpr std::size_t most_ids = 200;

  /// `extra`: known_detectors() or file_detectors() of `with`.
  SecretSettings(const Params& with, const ImageView& image, const std::vector<ExtraDetector>& extra);

  const SecretQuery& query() const { return query_; }
  /// What a detector of a hit finds: "a GitHub token".
  std::string_view describe(std::string_view detector) const;

  /// By its own words, when the image was made: nobody can use it any more.
  bool was_over(std::chrono::sys_seconds expires) const;
  /// "expired at …, before the image was made", "good until …".
  std::string expiry_text(std::chrono::sys_seconds expires) const;

  /// Is it sure enough for a finding? What is not is counted: left_out_text().
  bool is_sure(Confidence confidence);
  /// "3 of less than high confidence left out by min_confidence", "" when none.
  std::string left_out_text() const;
  /// Of a detector of this check.
  Confidence confidence_of(std::string_view detector) const;

  bool allows_layer(std::optional<std::uint32_t> layer) const;
  bool allows_value(std::string_view value);
  /// Makes the ids of these values by all threads that the run has, for id_of(). Each value once; not more than
  /// most_ids.
  void make_ids(std::span<const std::string_view> values);
  /// "" when there are too many.
  std::string id_of(std::string_view value);

 private:
  std::optional<std::string> make_id(std::string_view salt, std::string_view value);

  unsigned jobs_;
  std::unique_ptr<const DetectorSet> detectors_;  // null: the standard ones
  SecretQuery query_;
  std::string salt_;
  std::string created_;                           // of the image, as it says
  std::vector<std::string> allowed_ids_, salts_;  // of these, each once
  std::vector<bool> allowed_layers_;
  std::map<std::pair<std::string, std::string>, std::string> made_;  // ids, by salt and value
  Confidence least_ = Confidence::low;
  std::size_t left_out_ = 0;
};

}  // namespace ocilint
