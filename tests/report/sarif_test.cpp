// What GitHub code scanning demands of a SARIF file beyond its schema: each of these refuses an upload or mixes alerts.
#include <algorithm>
#include <set>

#include "check/rule.h"
#include "report/problems.h"
#include "report_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

Json sarif(const std::vector<ImageResult>& made, const ReportStyle& style = stated()) {
  return parse_json(write_sarif(made, style));
}

/// Runs that GitHub would take; "" when all of it is as it must be.
std::string refusal(const Json& file) {
  if (file["version"] != "2.1.0") return "version";
  if (file["runs"].size() > 20) return "more than 20 runs";
  std::set<std::string> categories;
  for (const Json& run : file["runs"]) {
    const std::string category = run["automationDetails"]["id"];
    if (!category.starts_with("ocilint/") || !category.ends_with("/")) return "category " + category;
    if (!categories.insert(category).second) return "two runs of the category " + category;
    const Json& rules = run["tool"]["driver"]["rules"];
    std::set<std::string> ids, fingerprints;
    for (const Json& rule : rules) {
      if (!ids.insert(rule["id"].get<std::string>()).second)
        return "two rules of the id " + rule["id"].get<std::string>();
      for (const char* const key : {"shortDescription", "fullDescription", "help"})
        if (rule[key]["text"].get<std::string>().empty()) return std::string("rule without ") + key;
      if (rule["help"]["markdown"].get<std::string>().empty()) return "no help.markdown";
      if (!rule["properties"]["tags"].is_array() || rule["properties"]["precision"] != "very-high") return "properties";
    }
    if (run["results"].size() > 5000) return "too many results";
    for (const Json& result : run["results"]) {
      const Json& rule = rules[result["ruleIndex"].get<std::size_t>()];
      if (rule["id"] != result["ruleId"]) return "ruleIndex leads elsewhere";
      if (result["locations"].size() != 1) return "locations";
      const Json& place = result["locations"][0]["physicalLocation"];
      if (place["region"]["startLine"] < 1) return "line";
      std::vector<Json> artifacts = {place["artifactLocation"]};
      if (result.contains("relatedLocations"))
        for (const Json& related : result["relatedLocations"])
          artifacts.push_back(related["physicalLocation"]["artifactLocation"]);
      for (const Json& artifact : artifacts) {
        const std::string uri = artifact["uri"];
        if (uri.empty() || uri.starts_with('/') || uri.starts_with("../")) return "uri " + uri;
        for (std::size_t i = 0; i < uri.size(); ++i) {
          const auto c = static_cast<unsigned char>(uri[i]);
          const bool encoded = c == '%' && i + 2 < uri.size() && std::isxdigit(uri[i + 1]) && std::isxdigit(uri[i + 2]);
          if (c > 0x7f || (!std::isalnum(c) && std::string("-._~/").find(uri[i]) == std::string::npos && !encoded))
            return "uri with a scheme or raw bytes: " + uri;
        }
      }
      const std::string fingerprint = result["partialFingerprints"]["primaryLocationLineHash"];
      if (fingerprint.empty() || !fingerprints.insert(fingerprint).second) return "fingerprint " + fingerprint;
      if (result["message"]["text"].get<std::string>().empty()) return "message";
    }
  }
  return "";
}

std::string decoded(const std::string& uri) {
  std::string out;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%') {
      out += static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += uri[i];
    }
  }
  return out;
}

/// What a viewer shows of a message (3.11.5): a brace that is not doubled begins a placeholder.
std::string shown(const std::string& message) {
  std::string out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (message[i] == '{' || message[i] == '}') {
      if (i + 1 >= message.size() || message[i + 1] != message[i]) return "a placeholder at " + std::to_string(i);
      ++i;
    }
    out += message[i];
  }
  return out;
}

}  // namespace

TEST_CASE("GitHub would take the SARIF report, whatever the image holds") {
  CHECK(refusal(sarif(results())) == "");
  ReportStyle suppressed = stated();
  suppressed.sarif_suppressed = true;
  CHECK(refusal(sarif(results(), suppressed)) == "");
  CHECK(refusal(sarif(worst_results(), suppressed)) == "");
  CHECK(refusal(sarif({every_feature(), every_feature(), every_feature()})) == "");
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    // Random ids may be equal; everything else is as GitHub wants it.
    const std::string why = refusal(sarif(random_results(random)));
    INFO(round << " " << why);
    CHECK(why == "");
  }
}

TEST_CASE("a SARIF run says what image, policy and verdict it is about") {
  const Json run = sarif(results())["runs"][0];
  CHECK(run["automationDetails"]["id"] == "ocilint/service/image/");
  CHECK(run["properties"]["digest"] == "sha256:cc");
  CHECK(run["properties"]["image"] == "oci:image:tag");
  CHECK(run["invocations"][0]["exitCode"] == 2);
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["tool"]["driver"]["rules"].size() >= every_feature().checks.size());
}

TEST_CASE("a finding in SARIF leads to the policy, and says where in the image it is") {
  const Json file = sarif(results());
  const Json& all = file["runs"][0]["results"];
  const auto found =
      std::ranges::find_if(all, [](const Json& result) { return result["properties"].value("kind", "") == "split"; });
  REQUIRE(found != all.end());
  const Json& result = *found;
  CHECK(result["ruleId"] == "service/runtime-is-one-file");
  CHECK(result["level"] == "error");
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "policies/service.yaml");
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 20);
  CHECK(result["properties"]["path"] == "/opt/lib/libx.so.1");
  CHECK(result["properties"]["layer"] == 1);
  CHECK(result["properties"]["rule"] == "same-file");
  const Json& related = result["relatedLocations"][0]["physicalLocation"]["artifactLocation"];
  CHECK(related["uri"] == "opt/lib/libx.so.1");
  CHECK(file["runs"][0]["originalUriBaseIds"].contains(related["uriBaseId"].get<std::string>()));
  const std::string message = result["message"]["text"];
  for (const char* const part :
       {"/opt/lib/libx.so.1", "file of layer 0", "layer 1: RUN", "to do: link every name", "oci:image:tag@sha256:cc"})
    CHECK(message.find(part) != std::string::npos);
}

TEST_CASE("what could not be checked is an alert in SARIF: an empty list would close the old ones") {
  const Json file = sarif(results());
  const auto with = [](const Json& run, const std::string& id) {
    return std::ranges::count_if(
        run["results"], [&](const Json& result) { return result["ruleId"] == id && result["level"] == "error"; });
  };
  CHECK(with(file["runs"][0], "service/packages") == 2);
  CHECK(with(file["runs"][0], "ocilint/coverage") == 2);
  CHECK(with(file["runs"][1], "ocilint/unreadable") == 1);
  CHECK(file["runs"][1]["invocations"][0]["exitCode"] == 3);
  CHECK(file["runs"][1]["invocations"][0]["toolExecutionNotifications"][0]["level"] == "error");
  ImageResult good = every_feature();
  std::erase_if(good.checks, [](const CheckResult& check) { return check.outcome != Outcome::pass; });
  complete(good);
  const Json run = sarif({good})["runs"][0];
  CHECK(run["results"].empty());
  CHECK(run["invocations"][0]["executionSuccessful"] == true);
  CHECK(run["invocations"][0]["toolExecutionNotifications"].empty());
  // A check that is lost on the way is no silence either.
  good.checks.pop_back();
  const Json lost = sarif({good})["runs"][0];
  CHECK(lost["results"].size() == 1);
  CHECK(lost["invocations"][0]["exitCode"] == 2);
}

TEST_CASE("waived findings are in SARIF only when asked for, and then suppressed") {
  const auto suppressed = [](const Json& file) {
    std::size_t count = 0;
    for (const Json& result : file["runs"][0]["results"])
      if (result.contains("suppressions")) {
        ++count;
        CHECK(result["suppressions"][0]["kind"] == "external");
        CHECK(result["suppressions"][0]["status"] == "accepted");
        CHECK(result["suppressions"][0]["justification"] == "kept for one release");
      }
    return count;
  };
  const Json without = sarif(results());
  CHECK(suppressed(without) == 0);
  ReportStyle style = stated();
  style.sarif_suppressed = true;
  const Json with = sarif(results(), style);
  CHECK(suppressed(with) == 2);
  CHECK(with["runs"][0]["results"].size() == without["runs"][0]["results"].size() + 2);
}

TEST_CASE("fingerprints stay while lines, layers, digests and other findings change") {
  const auto hash_of = [](const ImageResult& image, const std::string& kind) {
    const Json all = sarif({image})["runs"][0]["results"];
    for (const Json& result : all)
      if (result["properties"].value("kind", "") == kind) return result["partialFingerprints"].dump();
    return std::string();
  };
  ImageResult later = every_feature();
  later.manifest_digest = "sha256:dd";
  for (CheckResult& check : later.checks) {
    check.line += 7;
    for (ReportedFinding& found : check.findings)
      if (found.finding.layer) *found.finding.layer += 1;
  }
  CHECK(hash_of(later, "split") == hash_of(every_feature(), "split"));
  CHECK(hash_of(later, "split") != hash_of(later, "differs"));
}

TEST_CASE("a check with very many findings is cut, and says so") {
  ImageResult image = every_feature();
  CheckResult many = failed_check();
  ReportedFinding one = many.findings[0];
  many.findings.clear();
  for (int i = 0; i < 1200; ++i) {
    one.fingerprint = "n" + std::to_string(i);
    one.finding.subject = "/f/" + std::to_string(i);
    many.findings.push_back(one);
  }
  image.checks = {many};
  const Json run = sarif({image})["runs"][0];
  std::size_t count = 0;
  std::string last;
  for (const Json& result : run["results"])
    if (result["ruleId"] == "service/runtime-is-one-file") {
      ++count;
      last = result["message"]["text"];
    }
  CHECK(count == 500);
  CHECK(last.find("and 700 more findings of this check") != std::string::npos);
  CHECK(run["invocations"][0]["toolExecutionNotifications"].back()["message"]["text"].get<std::string>().starts_with(
      "700 results"));
}

TEST_CASE("no text of an image is a placeholder, a link or a place elsewhere in SARIF") {
  const Json runs = sarif(worst_results())["runs"];
  for (const Json& run : runs)
    for (const Json& result : run["results"]) {
      const std::string message = result["message"]["text"];
      CHECK(message.find("](") == std::string::npos);
      CHECK(shown(message).find("a placeholder") == std::string::npos);
      const Json places = result.value("relatedLocations", Json::array());
      for (const Json& related : places)
        CHECK(related["physicalLocation"]["artifactLocation"]["uri"].get<std::string>().find(':') == std::string::npos);
    }
  std::vector<ImageResult> made = {every_feature()};
  made[0].checks[2].findings[0].finding.subject = "/a b:\xff%/{0}";
  bool there = false;
  const Json all = sarif(made)["runs"][0]["results"];
  for (const Json& result : all)
    if (result["properties"].value("kind", "") == "split") {
      there = true;
      CHECK(decoded(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == "a b:\xff%/{0}");
      CHECK(shown(result["message"]["text"]).starts_with("split: /a b:\\xff%/{0}: same bytes"));
    }
  CHECK(there);
}

TEST_CASE("a rule brings its documentation and its score") {
  std::set<std::string> scored;
  ImageResult image = every_feature();
  image.checks.clear();
  for (const Rule* const rule : all_rules())
    image.checks.push_back(check_of("c-" + std::string(rule->doc.id), std::string(rule->doc.id), Outcome::pass, 3));
  const Json run = sarif({image})["runs"][0];
  for (const Json& rule : run["tool"]["driver"]["rules"]) {
    if (!rule["properties"].contains("rule")) continue;
    const Rule* const known = find_rule(all_rules(), rule["properties"]["rule"].get<std::string>());
    REQUIRE(known != nullptr);
    CHECK(rule["shortDescription"]["text"] == std::string(known->doc.summary));
    CHECK(rule["help"]["markdown"].get<std::string>().find(known->doc.details) != std::string::npos);
    const Json& properties = rule["properties"];
    const bool tagged = std::ranges::find(properties["tags"], Json("security")) != properties["tags"].end();
    CHECK(properties.value("security-severity", "none") == std::string(known->doc.security));
    CHECK(tagged == properties.contains("security-severity"));
    if (tagged) scored.insert(properties["rule"]);
  }
  // Both kinds of secrets are one kind of alert.
  for (const char* const rule : {"file-secrets", "history-secrets", "setuid-files", "shadow-passwords"})
    CHECK(scored.contains(rule));
}

TEST_CASE("places are those of the repository") {
  ReportStyle style = stated();
  CHECK(repository_path("policies/a.yaml", style) == "policies/a.yaml");
  CHECK(repository_path("./a.yaml", style) == "a.yaml");
  CHECK(repository_path("/builds/project/ci/a.yaml", style) == "ci/a.yaml");
  CHECK(repository_path("/etc/a.yaml", style) == "etc/a.yaml");
  CHECK(repository_path("../../a.yaml", style) == "a.yaml");
  CHECK(repository_path("x/../../a.yaml", style) == "a.yaml");
  CHECK(repository_path("shipped:debian-baseline", style) == "shipped/debian-baseline.yaml");
  CHECK(repository_path("", style) == "policy.yaml");
  style.anchor_file = "docker/Dockerfile";
  style.anchor_line = 12;
  CHECK(repository_path("policies/a.yaml", style) == "docker/Dockerfile");
  for (const Problem& problem : problems_of(every_feature(), style)) {
    CHECK(problem.file == "docker/Dockerfile");
    CHECK(problem.line == 12);
  }
}

TEST_CASE("an image keeps its name over tags, and images of one report have different ones") {
  const auto name = [](const std::string& reference) {
    ImageResult image;
    image.reference = reference;
    return image_name(image);
  };
  CHECK(name("docker://h.invalid:5000/team/app:1.2") == "h.invalid:5000/team/app");
  CHECK(name("docker://h.invalid/team/app@sha256:0123") == "h.invalid/team/app");
  CHECK(name("oci:build/app:tag") == "build/app");
  CHECK(name("docker-archive:image.tar") == "image.tar");
  CHECK(name("build/image.tar") == "build/image.tar");
  CHECK(name("-") == "-");
  std::vector<ImageResult> made(5);
  for (ImageResult& image : made) image.reference = "oci:app:a";
  made[1].reference = "oci:app:b";
  made[2].platform = "linux/arm64";
  const std::vector<std::string> names = distinct_names(made);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == 5);
  CHECK(names[1] == "oci:app:b");
}
