#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

CheckResult check_user(const std::string& user, const std::string& passwd, std::string_view with = "{not: [root]}") {
  const ImageResult result =
      run_on(describe_image("{config: {user: '" + user + "'}, layers: [{files: {/etc/passwd: \"" + passwd + "\"}}]}"),
             run_options(policy_of("image-user", with)));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return *check;
}

}  // namespace

TEST_CASE("image-user: a name in a passwd with a line that is none is not made out") {
  const std::string good = "root:x:0:0::/:/bin/sh\\napp:x:1000:1000::/:/bin/sh\\n";
  CHECK(check_user("app", good).outcome == Outcome::pass);
  // runc and crun take the first line with the name, missing fields as 0.
  CHECK(check_user("app", "app:x:0\\n" + good).outcome == Outcome::error);
  CHECK(check_user("app", "app:x\\n" + good).outcome == Outcome::error);
  CHECK(check_user("1000", "app:x:0\\n" + good).outcome == Outcome::pass);
  CHECK(check_user("0", "app:x:0\\n" + good).outcome == Outcome::fail);
}

TEST_CASE("image-user: a check that states no user proves nothing") {
  const CheckResult check = check_user("app", "app:x:1000:1000::/:/bin/sh\\n", "{}");
  CHECK(check.outcome == Outcome::error);
}
