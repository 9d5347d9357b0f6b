// ocilint check --attest: in-toto statements about digests, written when the run can be trusted and never otherwise.
#include <catch2/catch.hpp>

#include <chrono>
#include <cstdio>

#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

std::vector<Json> statements(const std::string& path) {
  std::vector<Json> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) out.push_back(parse_json(line));
  return out;
}

struct Fixture : Program {
  std::string good = image("good", good_image), bad = image("bad", bad_image), out = path("work/statement.jsonl");
  Fixture() { file("p.yaml", two_checks); }

  int check(std::vector<std::string> words) {
    words.insert(words.begin(), "check");
    words.insert(words.end(), {"-p", "p.yaml", "--attest", "statement.jsonl"});
    const Finished got = (*this)(words);
    INFO(got.out << got.err);
    CHECK_FALSE(contains(got.err, "internal"));
    return got.status;
  }
};

std::string in_a_month() {
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) +
                                        std::chrono::days(30)};
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                static_cast<unsigned>(day.day()));
  return text;
}

const Json& named(const Json& list, const std::string& name) {
  for (const Json& one : list)
    if (one["name"] == name) return one;
  FAIL("nothing is named " << name);
  return list;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a statement names the digest, the outcome, every check and the policy's digest") {
  REQUIRE(check({good, "-o", "json=r.json"}) == 0);
  std::ifstream report_file(path("work/r.json"));
  const Json report = parse_json(std::string(std::istreambuf_iterator<char>(report_file), {}))["images"][0];
  const auto all = statements(out);
  REQUIRE(all.size() == 1);
  const Json& one = all[0];
  CHECK(one["_type"] == "https://in-toto.io/Statement/v1");
  CHECK(one["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1");
  REQUIRE(one["subject"].size() == 1);
  CHECK("sha256:" + one["subject"][0]["digest"]["sha256"].get<std::string>() == report["manifest_digest"]);
  const Json& predicate = one["predicate"];
  CHECK(predicate["result"] == "PASSED");
  CHECK(predicate["warnedTests"].empty());
  CHECK(predicate["failedTests"].empty());
  CHECK(predicate["passedTests"].size() == report["checks"].size());
  CHECK(contains(predicate["passedTests"].dump(), "\"two/modes\""));
  CHECK(named(predicate["configuration"], "p.yaml")["digest"]["sha256"] ==
        Digest::sha256_of(std::string_view(two_checks)).hex());
  CHECK(contains((*this)({"--version"}).out,
                 named(predicate["configuration"], "ocilint")["annotations"]["version"].get<std::string>()));
  CHECK_FALSE(contains(one.dump(), folder.path()));
}

TEST_CASE_METHOD(Fixture, "FAILED is a result too; WARNED has findings that do not fail the run") {
  CHECK(check({bad}) == 1);
  const Json failed = statements(out).at(0)["predicate"];
  CHECK(failed["result"] == "FAILED");
  CHECK(failed["failedTests"] == Json::array({"two/modes"}));
  CHECK(contains(failed["passedTests"].dump(), "two/there"));

  file("p.yaml", std::string(two_checks) + "waivers:\n- {check: modes, reason: a test, owner: '@me', expires: '" +
                     in_a_month() + "'}\n");
  CHECK(check({bad}) == 0);
  const Json waived = statements(out).at(0)["predicate"];
  CHECK(waived["result"] == "WARNED");
  CHECK(waived["warnedTests"] == Json::array({"two/modes"}));
}

TEST_CASE_METHOD(Fixture, "what the call left out is told") {
  CHECK(check({bad, "--skip", "modes", "--fail-on", "note"}) == 0);
  const Json predicate = statements(out).at(0)["predicate"];
  const Json told = named(predicate["configuration"], "ocilint")["annotations"];
  CHECK(told["skip"] == Json::array({"modes"}));
  CHECK(told["failOn"] == "note");
  file("p.yaml",
       "policy: set\nlanguage: 1\nsummary: x\nvariables: {v: {env: V}}\ngates: {g: {detect: {file: /app}}}\n"
       "checks: [{id: c, rule: file, when: g, with: {file: '/app/$(v)'}}]\n");
  const std::string secret = "set-" + std::to_string(::getpid()) + "-value";
  CHECK(check({good, "--set", "v=run", "--gate", "g=required"}) == 0);
  CHECK(named(statements(out).at(0)["predicate"]["configuration"], "ocilint")["annotations"]["gates"]["g"] ==
        "required");
  CHECK(check({good, "--set", "v=" + secret}) == 1);
  const Json one = statements(out).at(0);
  CHECK(named(one["predicate"]["configuration"], "ocilint")["annotations"]["variables"] == Json::array({"v"}));
  CHECK_FALSE(contains(one.dump(), secret));
}

TEST_CASE_METHOD(Fixture, "several images are several statements; one that cannot be read is none at all") {
  CHECK(check({good, bad}) == 1);
  const auto two = statements(out);
  REQUIRE(two.size() == 2);
  CHECK(two[0]["predicate"]["result"] == "PASSED");
  CHECK(two[1]["predicate"]["result"] == "FAILED");
  CHECK(check({good, path("nowhere")}) == 3);
  CHECK_FALSE(fs::exists(out));

  file("statement.jsonl", "of an earlier run\n");
  file("p.yaml", "policy: broken\n");
  CHECK(check({good}) == 2);
  CHECK_FALSE(fs::exists(out));
  file("statement.jsonl", "of an earlier run\n");
  file("p.yaml",
       "policy: x\nlanguage: 1\nsummary: x\nvariables: {v: {env: V}}\n"
       "checks: [{id: c, rule: file, with: {file: '/app/$(v)'}}]\n");
  CHECK(check({good}) == 2);  // a check that could not be evaluated
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE_METHOD(Fixture, "a statement that cannot be written is 2") {
  const Finished got = (*this)({"check", good, "-p", "p.yaml", "--attest", "no/such/folder/s"});
  CHECK(got.status == 2);
  CHECK(contains(got.err, "no/such/folder/s"));
}
