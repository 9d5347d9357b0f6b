#include "base/json.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace ocilint;

namespace {

std::string refusal(std::string_view text) {
  try {
    (void)parse_json(text);
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::corrupt);
    return e.what();
  }
  return {};
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

}  // namespace

TEST_CASE("json: what two readers would understand differently is refused") {
  CHECK(refusal("\xef\xbb\xbf{}") == "JSON: byte 0: a byte order mark");
  CHECK(refusal(std::string_view("{}\0junk", 7)) == "JSON: byte 2: NUL");
  CHECK(refusal(R"({"a":1,"a":2})").find("'a' stands twice") != std::string::npos);
  CHECK(refusal(R"({"layers":1,"Layers":2})").find("stands twice") != std::string::npos);
  CHECK_FALSE(refusal("{\"layer\\u017f\":1,\"layers\":2}").empty());  // Go folds the long s
  CHECK_FALSE(refusal("{\"\\u212aey\":1,\"key\":2}").empty());        // and the Kelvin sign
  for (const char* text : {"{} {}",
                           "{}x",
                           "",
                           "  ",
                           "{'a':1}",
                           "{\"a\":1,}",
                           "[1,]",
                           "// c\n{}",
                           "{}//",
                           "nul",
                           "01",
                           "+1",
                           "NaN",
                           "\"\xff\"",
                           "\"\xc0\xaf\"",
                           "\"\xed\xa0\x80\"",
                           R"("\ud800")",
                           R"("\udc00x")",
                           "\"a\nb\"",
                           R"("\x")",
                           "{\"a\"",
                           "[",
                           "18446744073709551616",
                           "-9223372036854775809",
                           "1e400"})
    CHECK_FALSE(refusal(text).empty());
  CHECK(refusal(R"({"a":{"b":1},"c":{"b":2}})").empty());  // the same key in two objects is fine
}

TEST_CASE("json: an error tells where") {
  CHECK(refusal(R"({"aa":1,"aa":2})").starts_with("JSON: byte 12:"));
  CHECK(refusal("[1,2,x]").starts_with("JSON: byte 6:"));
}

TEST_CASE("json: depth and keys are limited") {
  CHECK(refusal(nested(json_depth)).empty());
  CHECK(refusal(nested(json_depth + 1)).find("64 levels") != std::string::npos);
  CHECK(refusal(std::string(1'000'000, '[')).find("64 levels") != std::string::npos);
  std::string many = "[{";
  for (std::size_t i = 0; i <= json_keys; ++i) many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  CHECK(refusal(many + "}]").find("keys") != std::string::npos);
}

TEST_CASE("json: the document is kept as written") {
  const Json json =
      parse_json(R"({"s":"é\u00e9","n":null,"t":true,"f":1.5,"u":18446744073709551615,"i":-7,"l":[1,{"x":[]}]})");
  CHECK(json["s"] == "éé");
  CHECK(json["n"].is_null());
  CHECK(json["t"] == true);
  CHECK(json["f"] == 1.5);
  CHECK(json["u"].get<std::uint64_t>() == 18446744073709551615U);
  CHECK(json["i"] == -7);
  CHECK(json["l"][1]["x"].empty());
  CHECK(json["l"].size() == 2);
  CHECK(parse_json("\"top\"") == "top");
}

TEST_CASE("json: members are found in other spellings") {
  const Json json = parse_json(R"({"repoTags":["a"],"Config":"c"})");
  REQUIRE(member(json, "RepoTags") != nullptr);
  CHECK(*member(json, "config") == "c");
  CHECK(member(json, "Layers") == nullptr);
  CHECK(member(parse_json("[1]"), "a") == nullptr);
}

TEST_CASE("json: typed members") {
  const Json json = parse_json(
      R"({"s":"x","n":null,"z":5,"neg":-5,"e":1e3,"d":5.0,"big":9007199254740993,"top":9007199254740992,
          "q":"5","b":true,"l":["a","b"],"m":["a",1]})");
  CHECK(json_string(json, "s") == "x");
  CHECK(json_string(json, "n").empty());
  CHECK(json_string(json, "absent").empty());
  CHECK(json_size(json, "z") == 5U);
  CHECK(json_size(json, "top") == 9007199254740992U);
  CHECK_FALSE(json_size(json, "n"));
  for (const char* key : {"neg", "e", "d", "big", "q", "b", "l"}) CHECK_THROWS_AS(json_size(json, key), Error);
  CHECK(json_flag(json, "b"));
  CHECK_FALSE(json_flag(json, "n"));
  CHECK_THROWS_AS(json_flag(json, "q"), Error);
  CHECK_THROWS_AS(json_string(json, "z"), Error);
  CHECK(json_strings(json, "l") == std::vector<std::string>{"a", "b"});
  CHECK(json_strings(json, "n").empty());
  CHECK_THROWS_AS(json_strings(json, "m"), Error);
  CHECK_THROWS_AS(json_strings(json, "s"), Error);
}
