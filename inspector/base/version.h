// Versions: Debian's order (Debian Policy 5.6.12: epoch, upstream, revision; `~` before everything), the
// dotted order for releases of operating systems ("22.04" < "22.10" < "24"), and constraints on either.
//
// Comparisons take any bytes and never throw. They run in time linear in both lengths; digits of any count
// are compared as numbers without overflow. VersionConstraint::parse throws Error{policy}. Values; thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ocilint {

/// < 0, 0 or > 0, as `dpkg --compare-versions` orders them. "1.0" and "1.0-0" and "0:1.0" are equal.
int compare_debian(std::string_view left, std::string_view right);

/// Dot-separated parts from the left; digits as numbers, other text by bytes; a missing part counts as 0, so
/// that "12" equals "12.0".
int compare_dotted(std::string_view left, std::string_view right);

/// Is this a version that dpkg accepts: digits as the epoch, no blanks, only the characters of Policy 5.6.12?
bool is_debian_version(std::string_view text);

/// One relation: "<< 3", "<= 3", "= 1", ">= 1.2-1", ">> 1"; a bare version means "=". A lone `<` or `>` is
/// refused: Debian gave them the meaning of `<=` and `>=`, which is not what most readers expect.
class VersionConstraint {
 public:
  enum class Relation : std::uint8_t { earlier, earlier_equal, equal, later_equal, later };

  static VersionConstraint parse(std::string_view text);

  bool matches(std::string_view version) const;         // Debian's order
  bool matches_dotted(std::string_view version) const;  // the dotted order
  Relation relation() const { return relation_; }
  const std::string& version() const { return version_; }
  std::string text() const;  // ">= 1.2-1", always with the relation

 private:
  VersionConstraint(Relation relation, std::string version) : relation_(relation), version_(std::move(version)) {}
  bool holds(int order) const;

  Relation relation_;
  std::string version_;
};

}  // namespace ocilint
