// verdict() is the only way to exit status 0: nothing that was not looked at may get through it.
#include "run/verdict.h"

#include <catch2/catch.hpp>

#include <array>
#include <random>

using namespace ocilint;

namespace {

std::size_t below(std::mt19937& random, std::size_t count) { return random() % count; }

CheckResult passing(std::string id) {
  CheckResult check;
  check.id = std::move(id);
  check.outcome = Outcome::pass;
  check.evidence = {{"it was looked at", "", {}}};
  return check;
}

/// A run that deserves a pass, of any size.
ImageResult good(std::mt19937& random) {
  ImageResult out;
  const std::size_t checks = 1 + below(random, 5), layers = below(random, 6);
  for (std::size_t i = 0; i < checks; ++i) out.checks.push_back(passing("c" + std::to_string(i)));
  Ledger& ledger = out.ledger;
  ledger.checks_listed = ledger.checks_evaluated = ledger.checks_passed = checks;
  ledger.layers_needed = true;
  ledger.layers_listed = ledger.layers_verified = ledger.layers_parsed = layers;
  ledger.blob_bytes_listed = ledger.blob_bytes_hashed = layers * below(random, 100000);
  for (std::size_t i = below(random, 4); i > 0; --i) {
    const std::size_t count = below(random, 50);
    ledger.covered.push_back({"things", count, count});
  }
  return out;
}

/// Makes one thing wrong that a pass must not survive; returns what.
std::string damage(ImageResult& result, std::mt19937& random) {
  Ledger& ledger = result.ledger;
  const std::size_t more = 1 + below(random, 3);
  const auto shift = [&](auto& value) {
    using Number = std::remove_reference_t<decltype(value)>;
    value =
        value >= more && below(random, 2) == 0 ? static_cast<Number>(value - more) : static_cast<Number>(value + more);
  };
  switch (below(random, 14)) {
    case 0: shift(ledger.checks_listed); return "checks listed";
    case 1: shift(ledger.checks_evaluated); return "checks evaluated";
    case 2: ledger.checks_passed = 0; return "no check passed or failed";
    case 3: shift(ledger.layers_listed); return "layers listed";
    case 4: shift(ledger.layers_verified); return "layers verified";
    case 5: shift(ledger.layers_parsed); return "layers parsed";
    case 6: shift(ledger.blob_bytes_listed); return "bytes listed";
    case 7: shift(ledger.blob_bytes_hashed); return "bytes hashed";
    case 8: ledger.covered.push_back({"things", more, 0}); return "not covered";
    case 9: ledger.covered.push_back({"things", 0, more}); return "more covered than there is";
    case 10: result.checks[below(random, result.checks.size())].outcome = Outcome::error; return "a check is an error";
    case 11: result.checks.clear(); return "no check";
    case 12: result.checks.push_back(passing("extra")); return "a check that the ledger does not know";
    default: ledger = Ledger(); return "an empty ledger";
  }
}

ReportedFinding finding(Severity severity) {
  ReportedFinding out;
  out.severity = severity;
  return out;
}

}  // namespace

TEST_CASE("a whole run is good") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::array results = {good(random)};
    CHECK(results[0].ledger.holes().empty());
    CHECK(verdict(results, Severity::note, 1, 1) == ExitStatus::good);
  }
}

TEST_CASE("one thing that is not accounted for is never good") {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    std::vector<ImageResult> results;
    for (std::size_t i = 1 + below(random, 3); i > 0; --i) results.push_back(good(random));
    ImageResult& victim = results[below(random, results.size())];
    INFO(damage(victim, random));
    CHECK(verdict(victim, Severity::error) == ExitStatus::untrusted);
    CHECK(verdict(results, Severity::error, 1, 1) == ExitStatus::untrusted);
  }
}

TEST_CASE("findings do not hide that the answer cannot be trusted") {
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    ImageResult result = good(random);
    result.checks[0].outcome = Outcome::fail;
    result.checks[0].findings = {finding(Severity::error)};
    REQUIRE(verdict(result, Severity::error) == ExitStatus::findings);
    // An outcome that is overwritten takes no finding away.
    INFO(damage(result, random));
    CHECK(verdict(result, Severity::error) == ExitStatus::untrusted);
  }
}

TEST_CASE("a report that was not closed, and a run without images or reports, are never good") {
  std::mt19937 random(4);
  const std::vector<ImageResult> results = {good(random), good(random)};
  for (std::size_t asked = 0; asked < 4; ++asked)
    for (std::size_t closed = 0; closed < 4; ++closed) {
      const bool whole = asked == closed && asked > 0;
      CHECK((verdict(results, Severity::error, asked, closed) == ExitStatus::good) == whole);
      CHECK(verdict({}, Severity::error, asked, closed) == ExitStatus::untrusted);
    }
}

TEST_CASE("a finding counts from its severity on, unless it is waived") {
  std::mt19937 random(5);
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error})
    for (const Severity fail_on : {Severity::note, Severity::warning, Severity::error}) {
      ImageResult result = good(random);
      result.checks[0].outcome = Outcome::fail;
      result.checks[0].findings = {finding(severity)};
      CHECK((verdict(result, fail_on) == ExitStatus::findings) == (severity >= fail_on));
      result.checks[0].findings[0].waived = WaiverUse{};
      CHECK(verdict(result, fail_on) == ExitStatus::good);
    }
}

TEST_CASE("an image that cannot be read beats everything; a mistake of the call is none of the image") {
  std::mt19937 random(6);
  for (const ErrorKind kind :
       {ErrorKind::usage, ErrorKind::policy, ErrorKind::not_found, ErrorKind::auth, ErrorKind::network,
        ErrorKind::corrupt, ErrorKind::unsupported, ErrorKind::limit, ErrorKind::internal}) {
    ImageResult result = good(random);
    result.unreadable = Error(kind, "why");
    const bool ours = kind == ErrorKind::usage || kind == ErrorKind::policy || kind == ErrorKind::internal;
    CHECK(verdict(result, Severity::error) == (ours ? ExitStatus::untrusted : ExitStatus::unreadable));
    const std::vector<ImageResult> both = {good(random), result};
    CHECK(verdict(both, Severity::error, 1, 1) == verdict(result, Severity::error));
  }
}
