// The report formats: approved reports, and that no bytes of an image can break one or act through it.
// To accept new reports: OCILINT_APPROVE=1 ctest -R ^report
#include <algorithm>
#include <set>

#include "report_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

TEST_CASE("the text report is the approved one") { check_approved("text.txt", write_text(results(), stated())); }

TEST_CASE("the JSON report is the approved one") {
  check_approved("json.json", without_version(write_json(results(), stated()), "version"));
}

TEST_CASE("the reports for viewers are the approved ones") {
  check_approved("sarif.json", without_version(write_sarif(results(), stated()), "semanticVersion"));
  check_approved("junit.xml", write_junit(results(), stated()));
  check_approved("github.txt", write_github(results(), stated()));
  check_approved("gitlab.json", write_gitlab(results(), stated()));
  check_approved("markdown.md", write_markdown(results(), stated()));
}

TEST_CASE("the table of formats knows each by its name") {
  std::set<std::string_view> names;
  for (const Format& format : formats()) {
    CHECK(names.insert(format.name).second);
    CHECK(find_format(format.name) == &format);
    CHECK_FALSE(format.write(results(), stated()).empty());
  }
  CHECK(names == std::set<std::string_view>{"text", "json", "sarif", "junit", "github", "gitlab", "markdown", "html"});
  CHECK(find_format("sari") == nullptr);
}

TEST_CASE("colour adds colour and nothing else") {
  ReportStyle colored = stated();
  colored.color = true;
  std::string text = write_text(results(), colored);
  CHECK(text != write_text(results(), stated()));
  for (const std::string code : {"\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[90m", "\x1b[1m", "\x1b[0m"})
    for (std::size_t at; (at = text.find(code)) != std::string::npos;) text.erase(at, code.size());
  CHECK(text == write_text(results(), stated()));
}

TEST_CASE("random bytes in every text of a result break no report and act on nobody") {
  std::mt19937 random(20260101);
  for (int round = 0; round < 400; ++round) {
    const std::vector<ImageResult> made = random_results(random);
    INFO("round " << round);
    CHECK(acting(write_text(made, stated()), true) == "");
    CHECK(acting(write_junit(made, stated()), true) == "");
    CHECK(acting(write_markdown(made, stated()), true) == "");
    CHECK(acting(write_html(made, stated()), true) == "");
    CHECK(acting(write_github(made, stated()), true, true) == "");
    for (const auto write : {write_json, write_sarif, write_gitlab}) {
      const std::string json = write(made, stated());
      CHECK(acting(json, false) == "");
      REQUIRE_NOTHROW(parse_json(json));
    }
    CHECK(parse_json(write_json(made, stated()))["images"].size() == made.size());
  }
}

TEST_CASE("images that checks compared with are named with their digests, whatever their names hold") {
  std::vector<ImageResult> made = {every_feature()};
  CHECK_FALSE(parse_json(write_json(made, stated()))["images"][0].contains("others"));
  made[0].others.push_back({"base\n::error::x", "oci:base", "oci:base:\x1b[31m", "sha256:ee", "linux/amd64", 3, 1, 2});
  made[0].others.push_back({"stock", "oci:stock", "oci:stock@sha256:ff", "sha256:ff", "", 2, 0, 0});
  const std::string text = write_text(made, stated());
  CHECK(acting(text, true) == "");
  CHECK(acting(write_json(made, stated()), false) == "");
  CHECK(text.find("@sha256:ee · linux/amd64 · 3 layers, 2 of them the image's own\n") != std::string::npos);
  CHECK(text.find("\ncompared with stock · oci:stock@sha256:ff · 2 layers, not read\n") != std::string::npos);
}

TEST_CASE("bytes that are no UTF-8 can be had back from the JSON report") {
  std::vector<ImageResult> made = {every_feature()};
  made[0].checks[2].findings[0].finding.subject = "/a\xff\xfe";
  const Json found = parse_json(write_json(made, stated()))["images"][0]["checks"][2]["findings"][0];
  CHECK(found["subject"] == "/a\\xff\\xfe");
  CHECK(found["subject_base64"] == "L2H//g==");
}
