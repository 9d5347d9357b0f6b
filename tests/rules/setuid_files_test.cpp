#include <catch2/catch.hpp>

#include "support/check_kit.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

std::vector<std::string> found_in(std::string_view image) {
  const ImageResult result =
      run_on(describe_image(image), run_options(policy_of("setuid-files", "{allow: [/usr/bin/su]}")));
  const CheckResult* const check = find_check(result, "tested");
  return check == nullptr ? std::vector<std::string>{"no check"} : lines_of(*check);
}

}  // namespace

TEST_CASE("setuid-files: names that a later layer removed neither count nor hide another") {
  // More names are gone than are left, and the set-uid file comes after them.
  CHECK(found_in(R"(layers:
- files: {/a/1: x, /a/2: x, /a/3: x, /a/4: x, /a/5: {content: x, mode: '4755'}}
- remove: [/a]
- files: {/usr/bin/z: {content: x, mode: '4755'}}
)") == std::vector<std::string>{"setuid /usr/bin/z"});
}

TEST_CASE("setuid-files: many names of one file are findings of bounded length") {
  test::TarWriter tar;
  tar.file("usr/bin/z", "x", {.mode = 04755});
  for (int i = 0; i < 300; ++i) tar.hard_link("l/" + std::to_string(i), "usr/bin/z", {.mode = 04755});
  TestImage image;
  image.layer_tars.push_back(tar.finish());
  const ImageResult result = run_on(image, run_options(policy_of("setuid-files", "{allow: [/usr/bin/su]}")));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  REQUIRE(check->findings.size() == 301);
  for (const ReportedFinding& found : check->findings) CHECK(found.finding.details.size() <= 21);
  CHECK(check->findings.front().finding.details.back() == "and 281 more names");
}

TEST_CASE("setuid-files: without a list of allowed files every one is a finding") {
  const std::string image = "layers: [{files: {/usr/bin/z: {content: x, mode: '4755'}}}]";
  const ImageResult result = run_on(describe_image(image), run_options(policy_of("setuid-files", "{}")));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  CHECK(lines_of(*check) == std::vector<std::string>{"setuid /usr/bin/z"});
}
