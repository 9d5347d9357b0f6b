#include "facts/secret_confidence.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include "facts/secret_detectors.h"
#include "facts/secrets.h"
#include "support/places.h"
#include "support/planted_secrets.h"

using namespace ocilint;
using namespace ocilint::test;

TEST_CASE("confidence: names, and their order") {
  for (const std::string_view name : confidence_names) {
    REQUIRE(confidence_of(name));
    CHECK(to_string(*confidence_of(name)) == name);
  }
  CHECK_FALSE(confidence_of("High"));
  CHECK(Confidence::low < Confidence::medium);
  CHECK(Confidence::high < Confidence::certain);
}

TEST_CASE("confidence: the page of the documentation has every detector with its own") {
  std::ifstream file(std::string(source_dir) + "/docs/secrets.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const Detector& detector : secret_detectors()) {
    INFO(detector.id);
    const std::string row = "| `" + std::string(detector.id) + "` | " + std::string(detector.what) + " | " +
                            std::string(to_string(detector.confidence)) + " |";
    CHECK(page.find(row) != std::string::npos);
  }
}

TEST_CASE("confidence: of a hit, and the greatest of those that overlap") {
  const auto of = [](const std::string& text, TextForm form = TextForm::words) {
    const std::vector<SecretHit> hits = find_secrets(text, {{"LISTED"}, {}, nullptr}, form);
    REQUIRE(hits.size() == 1);
    return hits.front().confidence;
  };
  const std::string token = planted("github-token", 1).text, password = value_of(planted("secret-variable", 2));
  CHECK(of(planted("pem-private-key", 3).text) == Confidence::certain);
  CHECK(of(token) == Confidence::high);
  CHECK(of("ENV DB_PASSWORD=" + password, TextForm::history) == Confidence::medium);
  CHECK(of("ENV DB_PASSWORD=" + token, TextForm::history) == Confidence::high);
  CHECK(of("see password: " + password) == Confidence::low);
  CHECK(of("ENV LISTED=x", TextForm::history) == Confidence::certain);
}
