// Every folder of testdata/cases: an image described in YAML, a policy, and the report that must come out.
// To accept new reports: OCILINT_APPROVE=1 ctest -R ^run
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/file.h"
#include "support/places.h"
#include "report/report.h"
#include "support/check_kit.h"

namespace fs = std::filesystem;
using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr std::uint64_t most = 1 << 20;

/// The report names the temporary folder and its digest; a reader of the case does not want them.
std::string settled(std::string text, const ImageResult& result) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace(result.full_reference, "oci:image");
  replace(result.manifest_digest, "sha256:…");
  return text;
}

std::string report_of(const fs::path& folder) {
  const TestImage image = describe_image(read_file(folder / "image.yaml", most), "image.yaml");
  RunOptions options = run_options(read_file(folder / "policy.yaml", most));
  const TempDir dir;
  write_images(image, dir.path(), options, "gzip");
  const ImageResult result = check_image(options, all_rules());
  const std::vector<ImageResult> results{result};
  return settled(write_text(results, {}), result);
}

}  // namespace

TEST_CASE("every case reports what its expect.txt says") {
  const fs::path cases = fs::path(test::source_dir) / "testdata" / "cases";
  const bool approve = std::getenv("OCILINT_APPROVE") != nullptr;
  std::size_t run = 0;
  for (const auto& entry : fs::directory_iterator(cases)) {
    if (!entry.is_directory()) continue;
    INFO("case " << entry.path().filename().string());
    const std::string report = report_of(entry.path());
    if (approve) std::ofstream(entry.path() / "expect.txt", std::ios::binary) << report;
    REQUIRE(fs::exists(entry.path() / "expect.txt"));
    CHECK(report == read_file(entry.path() / "expect.txt", most));
    ++run;
  }
  CHECK(run >= 10);
}
