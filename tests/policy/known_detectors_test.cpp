#include "policy/known_detectors.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "check/rule.h"

using namespace ocilint;
using Catch::Matchers::Contains;

namespace {

Policy load(const std::string& checks, const std::string& name = "p") {
  LoadContext context;
  context.rules = all_rules();
  context.today = std::chrono::sys_days{std::chrono::year{2026} / 9 / 1};
  return load_policy("policy: " + name + "\nlanguage: 1\n" + checks, "dir/" + name + ".yaml", context);
}

std::string refusal(const std::string& checks) {
  try {
    (void)load(checks);
    return "";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::policy);
    return error.what();
  }
}

std::string check_with(const std::string& id, const std::string& rule, const std::string& known) {
  return "  - {id: " + id + ", rule: " + rule + ", with: {known: " + known + "}}\n";
}

const std::string acme = "'acme; acme_; (acme_[0-9]{6})'", acme_too = "'acme; acme-; (acme-[0-9]{6})'";

}  // namespace

TEST_CASE("known: what is no detector is an error of the policy, with its line") {
  CHECK_THAT(refusal("checks:\n" + check_with("a", "history-secrets", "'acme; acme_'")),
             Catch::StartsWith("dir/p.yaml:4:") && Contains("it has not three parts"));
  CHECK_THAT(refusal("checks:\n" + check_with("a", "file-secrets", "'acme; acme_; ('")),
             Catch::StartsWith("dir/p.yaml:4:"));
  CHECK_THAT(refusal("checks:\n" + check_with("a", "file-secrets", "'jwt; acme_; (acme)'")),
             Catch::StartsWith("dir/p.yaml:4:") && Contains("there is a detector 'jwt' already"));
}

TEST_CASE("known: an id means one detector") {
  CHECK_THAT(refusal("checks:\n" + check_with("a", "file-secrets", "[" + acme + ", " + acme_too + "]")),
             Catch::StartsWith("dir/p.yaml:4:") && Contains("two detectors 'acme'"));
  CHECK_THAT(
      refusal("checks:\n" + check_with("a", "file-secrets", acme) + check_with("b", "history-secrets", acme_too)),
      Catch::StartsWith("dir/p.yaml:5:") && Contains("is another one in dir/p.yaml:4:"));
  const Policy same =
      load("checks:\n" + check_with("a", "file-secrets", acme) + check_with("b", "history-secrets", acme));
  CHECK(known_detectors({&same, 1}).size() == 1);

  // Policies of one run: each is right alone.
  const Policy both[] = {load("checks:\n" + check_with("a", "file-secrets", acme), "p"),
                         load("checks:\n" + check_with("a", "history-secrets", acme_too), "q")};
  CHECK(known_detectors({both, 1}).at(0).id == "acme");
  try {
    (void)known_detectors(both);
    FAIL("two policies with one id");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::policy);
    CHECK_THAT(error.what(), Catch::StartsWith("dir/q.yaml:4:") && Contains("dir/p.yaml:4:"));
  }
}

TEST_CASE("known: one with a variable is known only when the image is") {
  const Policy policy = load("variables: {v: {env: X}}\nchecks:\n" +
                             check_with("a", "history-secrets", "['a; bcd; $(v)', " + acme + "]"));
  const auto known = known_detectors({&policy, 1});
  REQUIRE(known.size() == 1);
  CHECK(known[0].id == "acme");
}
