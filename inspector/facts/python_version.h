// A version of a Python distribution (PEP 440; packaging.python.org, "Version specifiers"), and its order.
//
// Numbers are kept as digits of any length, without leading zeros. parse() takes every spelling that the
// specification allows ("v1.0-ALPHA.2") and answers nullopt for anything else; normal() is the one spelling.
// Values; any thread. Texts above python_version_bytes are no versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

struct PythonVersion {
  enum class Pre : std::uint8_t { none, alpha, beta, candidate };

  std::string text;  // as written, without blanks around it
  std::string epoch = "0";
  std::vector<std::string> release;  // at least one
  Pre pre = Pre::none;
  std::string pre_number;  // "" without pre
  std::optional<std::string> post, dev;
  std::vector<std::string> local;  // lower case

  static std::optional<PythonVersion> parse(std::string_view text);

  std::string normal() const;
  bool is_prerelease() const { return pre != Pre::none || dev.has_value(); }
  /// The same without the local part.
  PythonVersion publicly() const;
  /// Do the first numbers of the release (zeros behind its end) equal `prefix`, and the epochs?
  bool begins_with(const std::string& of_epoch, const std::vector<std::string>& prefix) const;
};

/// Below 0, 0, above 0; 1.0 and 1.0.0 are equal.
int compare(const PythonVersion& left, const PythonVersion& right);
/// The same epoch and release, trailing zeros aside.
bool same_release(const PythonVersion& left, const PythonVersion& right);

/// A name as indexes and metadata compare it (PEP 503): lower case, runs of - _ . are one -.
std::string normal_python_name(std::string_view name);

}  // namespace ocilint
