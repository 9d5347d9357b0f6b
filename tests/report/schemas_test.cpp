// Reports against the schemas that readers have: the JSON report against the published one of this repository, SARIF
// against the official one, which is not ours to ship: scripts/setup puts it into build/schemas where npm is there.
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include "support/places.h"
#include "report_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

Json report_schema() {
  return parse_json(read_file(std::string(test::source_dir) + "/policies/schema/report-1.json", file_most));
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

TEST_CASE("the JSON report fits its schema, and the schema knows every member") {
  Json strict = report_schema();
  make_strict(strict);
  std::vector<ImageResult> made = results();
  made[0].others.push_back({"base", "oci:base", "oci:base:tag", "sha256:ee", "linux/amd64", 3, 1, 2});
  made[0].others.push_back({"other", "oci:other", "oci:other:tag", "sha256:ff", "linux/amd64", 3, 1, 2, true});
  made[0].layers[0].shared_with = "oci:first layer 0";
  for (CheckResult& check : made[0].checks)
    for (ReportedFinding& found : check.findings) found.known = !found.waived;
  ReportStyle style = stated();
  style.baseline = BaselineUse{"known.txt", {"0123456789abcdef"}};
  const Json report = parse_json(write_json(made, style));
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
        if (name == "items")
          look(inner);
        else
          for (const auto& [key, definition] : inner.items()) look(definition);
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

TEST_CASE("the SARIF report fits the official schema of SARIF 2.1.0") {
  const char* const named = std::getenv("OCILINT_SARIF_SCHEMA");
  const std::string file = named != nullptr ? named : std::string(test::source_dir) + "/build/schemas/sarif-2.1.0.json";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no " << file << "; `scripts/setup test` brings it where npm is installed");
    return;
  }
  const Json schema = Json::parse(read_file(file, file_most));
  ReportStyle suppressed = stated();
  suppressed.sarif_suppressed = true;
  CHECK(violations(schema, parse_json(write_sarif(results(), stated()))) == "");
  CHECK(violations(schema, parse_json(write_sarif(results(), suppressed))) == "");
  CHECK(violations(schema, parse_json(write_sarif(worst_results(), suppressed))) == "");
  // It is a schema that finds what is wrong.
  Json damaged = parse_json(write_sarif(results(), suppressed));
  damaged["runs"][0]["results"][0]["level"] = "fatal";
  CHECK(violations(schema, damaged) != "");
  damaged = parse_json(write_sarif(results(), suppressed));
  damaged["runs"][0]["results"][0].erase("message");
  CHECK(violations(schema, damaged) != "");
}
