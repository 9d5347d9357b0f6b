// Which stacks of software an image carries, by a table of signs (known_stacks.yaml, compiled in): files, packages,
// distributions of Python, variables.
//
// parse() throws Error{policy} with the place for a table that is wrong. find() is a pure function of the view, the
// packages and the distributions; a file that is there and cannot be read is a line of `unread`, never an absence.
// Strings of the result are raw bytes. Cost: one match of each glob, one step a package and distribution.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "check/image_view.h"
#include "check/python_dists.h"
#include "check/rule.h"
#include "look/packages.h"
#include "policy/yaml.h"

namespace ocilint {

struct StackFact {
  std::string what;                    // "release"
  std::string name;                    // of the package, distribution or variable; the path of the file
  std::string value;                   // its version, its value
  std::optional<std::uint32_t> layer;  // that last touched the file or distribution

  friend bool operator==(const StackFact&, const StackFact&) = default;
};

struct Stack {
  std::string name;
  std::vector<StackFact> facts;  // never empty
};

class KnownStacks {
 public:
  static KnownStacks parse(std::string_view yaml, const std::string& file);
  /// The table of the program.
  static KnownStacks shipped();

  void plan(Plan& plan) const;
  std::vector<Stack> find(const ImageView& view, const PackagesLook& packages, const std::vector<PythonDist>& dists,
                          std::vector<std::string>& unread) const;

 private:
  struct Sign {
    enum class Kind : std::uint8_t { file, package, python, env } kind = Kind::file;
    std::string what;
    std::vector<std::string> names;
    PathSet files;
    std::optional<Pattern> pattern;

    bool means(std::string_view name) const;
    /// What the pattern takes of it; without one all of it.
    std::optional<std::string> value_of(std::string_view text) const;
  };
  struct Known {
    std::string name;
    std::vector<Sign> signs;
  };

  static Sign parse_sign(const YamlNode& node);
  static void find_files(const Sign& sign, const ImageView& view, Stack& into, std::vector<std::string>& unread);

  std::vector<Known> stacks_;
};

std::string_view known_stacks_text();

}  // namespace ocilint
