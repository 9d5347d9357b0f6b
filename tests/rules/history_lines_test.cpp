#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
using Lines = std::vector<std::string>;

namespace {

CheckResult run(const std::string& with, const std::string& image) {
  const ImageResult result = run_on(describe_image(image), run_options(policy_of("history-lines", with)));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return *check;
}

const std::string build =
    "layers: [{run: 'FROM base', files: {/a: x}}, {run: 'COPY libx.so /usr/lib/', files: {/b: x}}, "
    "{run: 'RUN ctest', files: {/c: x}}, {run: 'COPY libx.so.2 /usr/lib/', files: {/d: x}}]";

}  // namespace

TEST_CASE("history-lines: required lines, and the proof quotes one") {
  const CheckResult good = run("{required: ['^RUN ctest', 'libx\\.so\\.2']}", build);
  CHECK(good.outcome == Outcome::pass);
  REQUIRE(good.evidence.size() == 2);
  CHECK(good.evidence[0].text.find("line 3: RUN ctest") != std::string::npos);
  CHECK(lines_of(run("{required: ['^RUN ctest', pytest]}", build)) == Lines{"missing pytest"});
}

TEST_CASE("history-lines: a forbidden line names its layer") {
  const CheckResult bad = run("{forbidden: ['^COPY']}", build);
  REQUIRE(lines_of(bad) == Lines{"present ^COPY", "present ^COPY"});
  CHECK(bad.findings[0].finding.layer == 1u);
  CHECK(bad.findings[1].finding.layer == 3u);
  CHECK(run("{forbidden: ['--parallel [0-9]+']}", build).outcome == Outcome::pass);
}

TEST_CASE("history-lines: the check comes after the last copy, not after some copy") {
  const CheckResult bad = run("{order: ['^COPY libx', '^RUN ctest']}", build);
  REQUIRE(lines_of(bad) == Lines{"order ^RUN ctest"});
  CHECK(bad.findings[0].finding.layer == 3u);
  CHECK(run("{order: ['^FROM', '^COPY', 'libx\\.so\\.2']}", build).outcome == Outcome::fail);
  CHECK(run("{order: ['^FROM', '^COPY']}", build).outcome == Outcome::pass);
  CHECK(run("{order: ['^FROM', '^RUN ctest', 'libx\\.so\\.2']}", build).outcome == Outcome::pass);
}

TEST_CASE("history-lines: a step that never was is no order") {
  CHECK(lines_of(run("{order: ['^ADD', '^RUN ctest']}", build)) == Lines{"missing ^ADD"});
  CHECK(lines_of(run("{order: ['^COPY', pytest]}", build)) == Lines{"missing pytest"});
}

TEST_CASE("history-lines: nothing asked for, one pattern in order, bad patterns") {
  CHECK(run("{}", build).outcome == Outcome::error);
  CHECK(run("{order: ['^COPY']}", build).outcome == Outcome::error);
  CHECK_THROWS_AS(run("{required: ['(']}", build), Error);
}

TEST_CASE("history-lines: an incomplete history proves no absence") {
  TestImage image = describe_image(build);
  image.created_by.pop_back();
  const auto check = [&](const std::string& with) {
    const ImageResult result = run_on(image, run_options(policy_of("history-lines", with)));
    return find_check(result, "tested")->outcome;
  };
  CHECK(check("{forbidden: [nothing]}") == Outcome::error);
  CHECK(check("{required: ['^RUN ctest']}") == Outcome::pass);
}
