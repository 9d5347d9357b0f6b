#include "base/base64.h"

#include <catch2/catch.hpp>
#include <random>

using namespace ocilint;

TEST_CASE("base64 of RFC 4648 section 10") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : vectors) {
    CHECK(encode_base64(plain) == encoded);
    CHECK(decode_base64(encoded) == plain);
  }
}

TEST_CASE("any bytes come back from base64") {
  std::mt19937 random(3);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random());
    CHECK(decode_base64(encode_base64(bytes)) == bytes);
  }
}
