// Files and texts of Python distributions over hostile bytes; the first byte chooses the reader. They answer or
// throw Error, and nothing else. Beside that: what is read from its own normal spelling is the same again, an
// order agrees with itself, and a condition and its opposite never both hold.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "facts/python_metadata.h"
#include "facts/python_record.h"
#include "facts/python_requirement.h"

namespace {

using namespace ocilint;

void require(bool holds) {
  if (!holds) std::abort();
}

int sign(int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

void versions(std::string_view left, std::string_view right) {
  const auto a = PythonVersion::parse(left), b = PythonVersion::parse(right);
  if (!a) return;
  const auto again = PythonVersion::parse(a->normal());
  require(again && compare(*a, *again) == 0 && again->normal() == a->normal());
  if (!b) return;
  require(sign(compare(*a, *b)) == -sign(compare(*b, *a)));
  const auto equal = PythonSpecifier::parse("==" + b->normal()), other = PythonSpecifier::parse("!=" + b->normal());
  if (equal && other) require(equal->matches(*a) != other->matches(*a));
}

void requirement(std::string_view text) {
  const PythonRequirement read = PythonRequirement::parse(text);
  require(!read.normal.empty() && normal_python_name(read.normal) == read.normal);
  (void)read.specifiers.matches("1.0");
  const PythonEnvironment known = {
      {"python_version", "3.12"}, {"python_full_version", "3.12"}, {"extra", ""}, {"sys_platform", "linux"}};
  (void)read.marker.evaluate(known);
}

void run(std::uint8_t reader, std::string_view text) {
  const auto half = text.size() / 2;
  switch (reader % 6) {
    case 0: return versions(text.substr(0, half), text.substr(half));
    case 1: return requirement(text);
    case 2: (void)PythonMarker::parse(text).evaluate({{"os_name", "posix"}, {"extra", "x"}}); return;
    case 3: {
      const PythonMetadata read = PythonMetadata::parse(text);
      require(!read.name.empty() && !read.version.empty());
      return;
    }
    case 4: (void)parse_egg_requires(text); return;
    default: {
      const PythonRecord read = PythonRecord::parse(text);
      for (const PythonRecord::Row& row : read.rows) require(!row.path.empty() && row.line > 0);
      require(read.refused == 0 || !read.notes.empty());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    run(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const Error&) {
  }
  return 0;
}
