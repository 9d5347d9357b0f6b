// The images that testdata/build.py makes of real parts, judged by the program: exit status, findings with layer
// and history line, nothing unclaimed. OCILINT_SCENES names the folder; CTest sets it after making the scenes.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "support/places.h"
#include "policy/policy.h"
#include "report/report.h"
#include "run/run.h"

using namespace ocilint;

namespace {

std::string folder() {
  const char* const value = std::getenv("OCILINT_SCENES");
  return value == nullptr ? "" : value;
}

Json load(const std::string& file) { return parse_json(read_file(file, 64u << 20)); }

LoadContext context() {
  return {all_rules(), shipped_policies(), [](const std::string& path) { return read_file(path, yaml_bytes); },
          std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
}

ImageResult run(const Json& scene) {
  RunOptions options;
  options.reference = scene["image"].get<std::string>();
  options.policies.push_back(load_named(scene["policy"].get<std::string>(), context()));
  for (const Json& gate : scene["gates"]) {
    const std::string text = gate.get<std::string>();
    const std::size_t equals = text.find('=');
    options.overrides.gates[text.substr(0, equals)] =
        equals == std::string::npos || text.substr(equals) == "=required" ? GateMode::required : GateMode::automatic;
  }
  options.only = scene["only"].get<std::vector<std::string>>();
  options.others = scene["with"].get<std::map<std::string, std::string, std::less<>>>();
  options.jobs = 2;
  options.today = context().today;
  return check_image(options, all_rules());
}

struct Found {
  const CheckResult* check;
  const ReportedFinding* finding;
};

std::vector<Found> findings_of(const ImageResult& result) {
  std::vector<Found> out;
  for (const CheckResult& check : result.checks)
    for (const ReportedFinding& finding : check.findings) out.push_back({&check, &finding});
  return out;
}

bool fits(const Json& expected, const Found& found) {
  const Finding& finding = found.finding->finding;
  if (expected["rule"] != found.check->rule || expected["kind"] != finding.kind) return false;
  const Json& subjects = expected["subjects"];
  if (!subjects.empty() && std::find(subjects.begin(), subjects.end(), Json(finding.subject)) == subjects.end())
    return false;
  if (!expected["layer"].is_null() && (!finding.layer || *finding.layer != expected["layer"])) return false;
  if (!expected["history"].is_null() && !found.finding->created_by.starts_with(expected["history"].get<std::string>()))
    return false;
  if (!expected["check"].is_null() && expected["check"] != found.check->id) return false;
  return expected["severity"].is_null() || expected["severity"] == to_string(found.finding->severity);
}

std::string list(const std::vector<Found>& all, const ImageResult& result) {
  std::string out;
  for (const Found& found : all)
    out += "\n  " + found.check->rule + " " + found.finding->finding.kind + " " + found.finding->finding.subject +
           " layer " + (found.finding->finding.layer ? std::to_string(*found.finding->finding.layer) : "-") + ": " +
           found.finding->finding.message;
  for (const CheckResult& check : result.checks)
    for (const std::string& error : check.errors) out += "\n  error " + check.id + ": " + error;
  if (result.unreadable) out += std::string("\n  unreadable: ") + result.unreadable->what();
  return out;
}

}  // namespace

TEST_CASE("every scene of real parts comes out as it must") {
  if (folder().empty()) {
    WARN("skipped: OCILINT_SCENES names no folder; ctest sets it");
    return;
  }
  const Json scenes = load(folder() + "/scenes.json")["scenes"];
  REQUIRE(scenes.size() > 100);
  std::size_t good = 0, bad = 0;
  for (const Json& scene : scenes) {
    const std::string name = scene["name"].get<std::string>();
    const ImageResult result = run(scene);
    const std::vector<Found> found = findings_of(result);
    INFO("scene " << name << list(found, result));
    if (!scene["exit"].is_null()) CHECK(static_cast<int>(verdict(result, Severity::error)) == scene["exit"]);

    std::set<const ReportedFinding*> claimed;
    for (const Json& expected : scene["findings"]) {
      INFO("expected " << expected.dump());
      bool there = false;
      for (const Found& one : found)
        if (fits(expected, one)) {
          there = true;
          claimed.insert(one.finding);
        }
      CHECK(there);
    }
    if (!scene["others_allowed"].get<bool>())
      for (const Found& one : found) {
        INFO("unclaimed: " << one.check->rule << " " << one.finding->finding.kind << " "
                           << one.finding->finding.subject);
        const bool fine = claimed.contains(one.finding) || one.finding->severity == Severity::note;
        CHECK(fine);
      }

    const std::vector<ImageResult> results{result};
    const std::string reports = write_text(results, {.stats = true}) + write_json(results, {});
    for (const Json& secret : scene["must_not_print"]) {
      INFO("a secret is printed");  // which one is not said here either
      const bool printed = reports.find(secret.get<std::string>()) != std::string::npos;
      CHECK_FALSE(printed);
    }
    (scene["good"].get<bool>() ? good : bad) += 1;
  }
  CHECK(good > 40);
  CHECK(bad > 60);
  WARN(good << " good and " << bad << " bad images were judged");
}

TEST_CASE("shipped policies need no second read on their own images") {
  if (folder().empty()) return;
  std::size_t seen = 0;
  const Json scenes = load(folder() + "/scenes.json")["scenes"];
  for (const Json& scene : scenes) {
    const std::string policy = scene["policy"].get<std::string>();
    if (policy.find('/') != std::string::npos || !scene["good"].get<bool>()) continue;
    const ImageResult result = run(scene);
    INFO(scene["name"] << " with " << policy);
    CHECK(result.stats.refill_rounds == 0);
    ++seen;
  }
  CHECK(seen > 2);
}

namespace {

/// Ids of the checks that rows of severity error name in docs/rocm.md.
std::set<std::string> checks_of_errors() {
  std::set<std::string> out;
  std::istringstream page(read_file(std::string(test::source_dir) + "/docs/rocm.md", 1u << 20));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| INV-") || line.find("| error |") == std::string::npos) continue;
    for (std::size_t at = line.find("`inv-"); at != std::string::npos; at = line.find("`inv-", at + 1))
      out.insert(line.substr(at + 1, line.find('`', at + 1) - at - 1));
  }
  return out;
}

}  // namespace

TEST_CASE("every invariant of docs/rocm.md that is an error holds in one scene and is broken in another") {
  if (folder().empty()) return;
  std::set<std::string> held, broken;
  const Json scenes = load(folder() + "/scenes.json")["scenes"];
  for (const Json& scene : scenes) {
    const bool good = scene["good"].get<bool>();
    for (const Json& id : scene["only"])
      if (good) held.insert(id.get<std::string>());
    for (const Json& finding : scene["findings"])
      if (!good && finding["check"].is_string()) broken.insert(finding["check"].get<std::string>());
  }
  const std::set<std::string> checks = checks_of_errors();
  CHECK(checks.size() > 70);
  for (const std::string& id : checks) {
    INFO(id);
    CHECK(held.contains(id));
    CHECK(broken.contains(id));
  }
}
