#include "facts/secret_expiry.h"

#include <catch2/catch.hpp>

#include "base/base64.h"

using namespace ocilint;

namespace {

std::string when(std::string_view detector, std::string_view value, std::string_view around = {}) {
  const auto time = expiry_of(detector, value, around);
  return time ? time_text(*time) : "";
}

std::string token(const std::string& payload) {
  std::string digits = encode_base64(payload);
  while (digits.ends_with('=')) digits.pop_back();
  for (char& c : digits) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return "eyJhbGciOiJIUzI1NiJ9." + digits + ".c2lnbmF0dXJl";
}

}  // namespace

TEST_CASE("expiry: what a JSON Web Token says") {
  CHECK(when("jwt", token(R"({"sub":"ci","exp":1700000000})")) == "2023-11-14T22:13:20Z");
  CHECK(when("jwt", token(R"({"sub":"??>>~~","exp":1700000000.5,"iat":1})")) == "2023-11-14T22:13:20Z");
  CHECK(when("jwt", token(R"({"sub":"ci"})")).empty());
  CHECK(when("jwt", token(R"({"exp":"soon"})")).empty());
  CHECK(when("jwt", token(R"({"exp":-5})")).empty());
  CHECK(when("jwt", token(R"({"exp":1e300})")).empty());
  CHECK(when("jwt", token("[1]")).empty());
  CHECK(when("jwt", token("no JSON")).empty());
  CHECK(when("jwt", "eyJ").empty());
  CHECK(when("jwt", "").empty());
}

TEST_CASE("expiry: what signed addresses say") {
  CHECK(when("presigned-aws", "", "https://h/k?X-Amz-Date=20240131T120000Z&X-Amz-Expires=3600&X-Amz-Signature=f") ==
        "2024-01-31T13:00:00Z");
  CHECK(when("presigned-aws", "", "https://h/k?AWSAccessKeyId=A&Signature=s&Expires=1700000000") ==
        "2023-11-14T22:13:20Z");
  CHECK(when("presigned-gcs", "", "?x-goog-date=20240228T235959Z&x-goog-expires=1&X-Goog-Signature=f") ==
        "2024-02-29T00:00:00Z");
  CHECK(when("azure-sas-url", "", "https://a.invalid/c?sv=2023-01-03&se=2031-01-01T10%3A20%3A30Z&sig=s") ==
        "2031-01-01T10:20:30Z");
  CHECK(when("azure-sas-url", "", "https://a.invalid/c?se=2031-01-01&sig=s") == "2031-01-01T00:00:00Z");
  CHECK(when("azure-sas-url", "", "https://a.invalid/c?sig=s&amp;se=2031-01-01") == "2031-01-01T00:00:00Z");
  // Nothing, or nothing that is a date.
  for (const char* const none : {"", "https://h/?course=2031-01-01&sig=s", "?se=2031-13-01", "?se=x", "?se=",
                                 "?Expires=9e9", "?X-Amz-Date=20240131T120000Z", "?X-Amz-Date=2024&X-Amz-Expires=1",
                                 "?X-Amz-Date=20240131T120000Z&X-Amz-Expires=99999999999999999999"})
    CHECK(when("presigned-aws", "", none).empty());
  CHECK(when("github-token", "", "?se=2031-01-01").empty());
}

TEST_CASE("expiry: the address around a value") {
  const std::string text = "curl 'https://h/k?a=1&sig=VALUE&se=2031-01-01' x";
  const std::size_t at = text.find("VALUE");
  CHECK(address_around(text, at, at + 5) == "https://h/k?a=1&sig=VALUE&se=2031-01-01");
  CHECK(address_around("VALUE", 0, 5) == "VALUE");
}
