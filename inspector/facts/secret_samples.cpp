#include "facts/secret_samples.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/digest.h"

namespace ocilint {
namespace {

// Folders, as they are called in sources and in packages.
constexpr std::string_view folders[] = {
    "__tests__", "demo",    "demos", "doc",     "docs",    "documentation", "example", "examples", "fixture",
    "fixtures",  "man",     "mock",  "mocks",   "sample",  "samples",       "spec",    "specs",    "test",
    "test-data", "testapp", "test_data", "testcases", "testdata", "testing", "tests",  "testsuite", "vignettes",
    // Translated texts of programs.
    "LC_MESSAGES", "i18n", "locale", "locales", "translations",
};

constexpr std::string_view name_ends[] = {".md", ".rst", ".adoc", ".pod", ".po", ".pot", "_test.go", "_test.py", "_test.rb",
                                          "_spec.rb", "-example", ".example", ".sample"};
constexpr std::string_view name_starts[] = {"README", "CHANGELOG", "ChangeLog", "test_", "test."};
constexpr std::string_view name_parts[] = {".test.", ".spec.", ".example.", ".examples."};
constexpr std::string_view names[] = {"METADATA", "PKG-INFO"};  // of Python packages: their README

// The first eight bytes of the SHA-256 of values: self-test keys in libgnutls, test servers' keys in urllib3 and moto,
// client keys in the Google Cloud SDK, a test key of Go's x509, samples in the documentation of botocore, PyJWT
// and dotenv.
constexpr std::uint64_t published_values[] = {
    0x3915103a44adc1c1ULL, 0x3d6c62b07073d580ULL, 0x452160bc752e7da5ULL, 0x51fb552dfad78676ULL,
    0x54fa7a596186d407ULL, 0x575e9dd9058a3ad1ULL, 0x577cfe66bf6c95ddULL, 0x5e7ce3794b14169bULL,
    0x6189b36d964849f3ULL, 0x6d7557f82aacdd14ULL, 0xa73b3ad3b416d981ULL, 0xab02a0791d559a42ULL,
    0xadd6c570b029092bULL, 0xb3f19cc85129501bULL, 0xbf145d9380bbe05bULL, 0xc81241b4ad88ecceULL,
    0xd2270e152abea353ULL, 0xdbeb2c69916d0b47ULL, 0xf5d828e18faa1e37ULL, 0xff567be194986a0aULL,
};
static_assert(std::ranges::is_sorted(published_values));

}  // namespace

bool is_sample_path(std::string_view path) {
  const std::size_t slash = path.rfind('/') + 1;
  for (std::size_t at = 0; at < slash;) {
    const std::size_t end = path.find('/', at);
    if (std::ranges::find(folders, path.substr(at, end - at)) != std::end(folders)) return true;
    at = end + 1;
  }
  const std::string_view name = path.substr(slash);
  const auto holds = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  const auto starts = [&](std::string_view start) { return name.starts_with(start); };
  return std::ranges::find(names, name) != std::end(names) || std::ranges::any_of(name_ends, ends) ||
         std::ranges::any_of(name_starts, starts) || std::ranges::any_of(name_parts, holds);
}

bool is_published_value(std::string_view value) {
  const Digest digest = Digest::sha256_of(value);
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < sizeof start; ++i) start = start << 8 | digest.raw()[i];
  return std::ranges::binary_search(published_values, start);
}

}  // namespace ocilint
