// The report formats: approved reports, and that no bytes of an image can break one or act through it.
// To accept new reports: OCILINT_APPROVE=1 ctest -R ^report
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "every_feature.h"
#include "report/escape.h"
#include "report/report.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr std::uint64_t most = 1 << 20;
const ReportStyle stated{.color = false, .width = 100, .fail_on = Severity::warning, .stats = true};

std::vector<ImageResult> results() { return {every_feature(), unreadable_image(), ambiguous_image()}; }

/// The version is not what these files are about.
std::string without_version(std::string text) {
  const std::string key = "\"version\": \"";
  const std::size_t at = text.find(key);
  if (at != std::string::npos) text.replace(at + key.size(), text.find('"', at + key.size()) - at - key.size(), "0");
  return text;
}

void check_approved(const std::string& name, const std::string& text) {
  const std::string path = std::string(OCILINT_SOURCE_DIR) + "/testdata/approved/" + name;
  if (std::getenv("OCILINT_APPROVE") != nullptr) std::ofstream(path, std::ios::binary) << text;
  INFO("renew it with: OCILINT_APPROVE=1 ctest -R ^report  (in the build folder)");
  CHECK(text == read_file(path, most));
}

/// Bytes that a parser, a terminal or a log would stumble over, and any others.
std::string hostile(std::mt19937& random) {
  static const std::vector<std::string> parts = {
      "::error::x", "\n", "\r", "\x1b[2J", "\a", std::string(1, '\0'), "\"", "\\", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\xe3\x80\x80", "\xc2\xa0", " ::x",
      "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "##[error]", "##vso[x]", "###[", ":", "/", " ", "\u00e9", "\U0001f600", "\xe2\x80\xa8"};
  std::string out;
  for (std::size_t left = random() % 6; left > 0; --left)
    out += random() % 3 == 0 ? std::string(1, static_cast<char>(random())) : parts[random() % parts.size()];
  return out;
}

std::vector<ImageResult> random_results(std::mt19937& random) {
  std::vector<ImageResult> out = results();
  for (ImageResult& result : out) {
    for (std::string* const text : strings_of(result))
      if (random() % 4 != 0) *text = hostile(random);
    if (result.unreadable) result.unreadable = Error(result.unreadable->kind(), hostile(random));
  }
  return out;
}

/// Nothing but printable ASCII and line ends, or printable UTF-8 where `wide`.
std::string acting(const std::string& text, bool wide) {
  if (first_invalid_utf8(text) != std::string_view::npos) return "no UTF-8";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f || (!wide && byte > 0x7f)) return "byte " + std::to_string(byte);
    if (byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) return "a control character of the second page";
    if (text.compare(i, 3, "\xe2\x80\xae") == 0 || text.compare(i, 3, "\xe2\x80\xa8") == 0) return "a separator";
    if (begins_log_command(std::string_view(text).substr(i))) return "a command within a line";
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string blank : {"\xe3\x80\x80", "\xc2\xa0"})
      for (std::size_t at; (at = line.find(blank)) != std::string::npos;) line.erase(at, blank.size());
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 2, "::") == 0) return "a command at the begin of a line: " + line;
  }
  return "";
}

Json report_schema() {
  return parse_json(read_file(std::string(OCILINT_SOURCE_DIR) + "/policies/schema/report-1.json", most));
}

/// No member may be there that the schema does not know. Readers must not be that strict: members are added.
void make_strict(Json& schema) {
  if (schema.is_object()) {
    if (schema.contains("properties")) schema["additionalProperties"] = false;
    for (auto& [key, value] : schema.items()) make_strict(value);
  } else if (schema.is_array()) {
    for (Json& value : schema) make_strict(value);
  }
}

std::string violations(const Json& schema, const Json& document) {
  valijson::Schema compiled;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled);
  valijson::ValidationResults found;
  valijson::Validator().validate(compiled, valijson::adapters::NlohmannJsonAdapter(document), &found);
  std::string out;
  for (valijson::ValidationResults::Error error; found.popError(error);) {
    for (const std::string& step : error.context) out += step;
    out += ": " + error.description + "\n";
  }
  return out;
}

void collect(const Json& value, const std::string& key, std::set<std::string>& into) {
  if (value.is_object())
    for (const auto& [name, member] : value.items()) {
      into.insert(key + "." + name);
      collect(member, name, into);
    }
  if (value.is_array())
    for (const Json& item : value) collect(item, key, into);
}

}  // namespace

TEST_CASE("the text report is the approved one") { check_approved("text.txt", write_text(results(), stated)); }

TEST_CASE("the JSON report is the approved one") {
  check_approved("json.json", without_version(write_json(results(), stated)));
}

TEST_CASE("colour adds colour and nothing else") {
  ReportStyle colored = stated;
  colored.color = true;
  std::string text = write_text(results(), colored);
  CHECK(text != write_text(results(), stated));
  for (const std::string code : {"\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[90m", "\x1b[1m", "\x1b[0m"})
    for (std::size_t at; (at = text.find(code)) != std::string::npos;) text.erase(at, code.size());
  CHECK(text == write_text(results(), stated));
}

TEST_CASE("random bytes in every text of a result break no report and act on nobody") {
  std::mt19937 random(20260101);
  for (int round = 0; round < 400; ++round) {
    const std::vector<ImageResult> made = random_results(random);
    INFO("round " << round);
    const std::string text = write_text(made, stated);
    CHECK(acting(text, true) == "");
    const std::string json = write_json(made, stated);
    CHECK(acting(json, false) == "");
    REQUIRE_NOTHROW(parse_json(json));
    CHECK(parse_json(json)["images"].size() == made.size());
  }
}

TEST_CASE("bytes that are no UTF-8 can be had back from the JSON report") {
  std::vector<ImageResult> made = {every_feature()};
  made[0].checks[2].findings[0].finding.subject = "/a\xff\xfe";
  const Json found = parse_json(write_json(made, stated))["images"][0]["checks"][2]["findings"][0];
  CHECK(found["subject"] == "/a\\xff\\xfe");
  CHECK(found["subject_base64"] == "L2H//g==");
}

TEST_CASE("the JSON report fits its schema, and the schema knows every member") {
  Json strict = report_schema();
  make_strict(strict);
  const Json report = parse_json(write_json(results(), stated));
  CHECK(violations(strict, report) == "");
  CHECK(violations(report_schema(), report) == "");
  // What the schema names is written: every property is somewhere in the report of everything.
  std::set<std::string> written, names;
  collect(report, "", written);
  for (const std::string& path : written) names.insert(path.substr(path.rfind('.') + 1));
  const std::function<void(const Json&)> look = [&](const Json& schema) {
    if (!schema.is_object()) return;
    if (schema.contains("properties"))
      for (const auto& [name, inner] : schema["properties"].items()) {
        INFO(name);
        const bool base64 = name.ends_with("_base64");
        CHECK((base64 || names.contains(name)));
        look(inner);
      }
    for (const auto& [name, inner] : schema.items())
      if (name == "items" || name == "definitions") {
        if (name == "items") look(inner);
        else for (const auto& [key, definition] : inner.items()) look(definition);
      }
  };
  look(report_schema());
  // It is no schema that takes anything.
  for (const char* const key : {"schema_version", "tool", "fail_on", "images"}) {
    Json damaged = report;
    damaged.erase(key);
    CHECK(violations(report_schema(), damaged) != "");
  }
  Json damaged = report;
  damaged["images"][0]["ledger"]["holes"] = "none";
  CHECK(violations(report_schema(), damaged) != "");
  damaged = report;
  damaged["images"][0]["checks"][0]["outcome"] = "fine";
  CHECK(violations(report_schema(), damaged) != "");
}
