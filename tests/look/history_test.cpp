// `ocilint history`: rows, what they say of layers and secrets, and that nothing of an image acts on who reads it.
// To accept new texts: OCILINT_APPROVE=1 ctest -R ^look
#include "report/history.h"

#include "look_kit.h"
#include "report/age.h"
#include "report/table.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

std::string secret(char last) { return std::string("Kx9") + "vT2" + "qLm7Rw" + "Zp4D" + last; }

Json entry(const std::string& created_by, bool empty = false, const std::string& created = "2026-05-01T10:00:00Z") {
  Json out{{"created", created}, {"created_by", created_by}};
  if (empty) out["empty_layer"] = true;
  return out;
}

TestImage usual_image() {
  TestImage image = describe_image("layers: [{files: {/a: x}}, {files: {/b: xx}}, {files: {/c: '3'}}]");
  image.config["Env"] = {"DEPLOY_TOKEN=" + secret('b')};
  image.config_extra["history"] = {
      entry("/bin/sh -c #(nop) ADD file:00112233 in / ", false, "2024-01-02T03:04:05.6789Z"),
      entry("/bin/sh -c #(nop)  CMD [\"bash\"]", true, "2024-01-02T03:04:06Z"),
      entry("RUN |2 NPM_TOKEN=" + secret('a') +
            " MODE=fast /bin/sh -c set -e && apt-get update && apt-get install "
            "--yes --no-install-recommends ca-certificates curl git gnupg jq libdw1 make python3 xz-utils zstd && "
            "(rm -r /var/lib/apt/lists/* && apt-get clean) # buildkit"),
      entry("ENV DEPLOY_TOKEN=" + secret('b'), true), entry("", false, "1970-01-01T00:00:00Z")};
  image.config_extra["history"][4]["comment"] = "store paths: [\"/nix/store/x\"]";
  return image;
}

ImageHistory history_of(const TestImage& image) { return look_at(image, look_at_history); }

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("history: the text for a terminal, for a file and raw are the approved ones") {
  const ImageHistory history = history_of(usual_image());
  check_approved("look/history.txt", write_history_text(history, looked_at(100)));
  check_approved("look/history_file.txt", write_history_text(history, looked_at(0)));
  check_approved("look/history_raw.txt", write_history_text(history, looked_at(100), true));
  check_approved("look/history.json", without_version(write_history_json(history), "version"));
}

TEST_CASE("history: rows know their layers, their secrets, and equal values by their id") {
  const ImageHistory history = history_of(usual_image());
  REQUIRE(history.rows.size() == 5);
  CHECK(history.pairing_certain);
  CHECK(history.rows[0].layer == 0u);
  CHECK_FALSE(history.rows[1].layer);
  CHECK(history.rows[1].empty_layer);
  CHECK(history.rows[2].layer == 1u);
  CHECK(history.rows[4].layer == 2u);
  CHECK(history.rows[2].stored_bytes == 3072u);
  REQUIRE(history.rows[2].secrets.size() == 1);
  CHECK(history.rows[2].secrets[0].name == "NPM_TOKEN");
  CHECK(history.rows[2].secrets[0].place == "history entry 2");
  REQUIRE(history.rows[3].secrets.size() == 1);
  REQUIRE(history.elsewhere.size() == 1);
  CHECK(history.elsewhere[0].place == "config Env");
  CHECK(history.elsewhere[0].id == history.rows[3].secrets[0].id);
  CHECK(history.elsewhere[0].id != history.rows[2].secrets[0].id);
  CHECK(history.documents > 1);
  CHECK(history.documents_read == history.documents);
}

TEST_CASE("history: no value of a secret is in any output") {
  TestImage image = usual_image();
  image.config_extra["history"][0]["author"] = "https://b:" + secret('c') + "@h.invalid";
  image.config_extra["history"][1]["comment"] = "TOKEN=" + secret('d');
  const ImageHistory history = history_of(image);
  CHECK(history.rows[0].secrets.size() == 1);
  CHECK(history.rows[1].secrets.size() == 1);
  for (const std::string& text : {write_history_text(history, looked_at()), write_history_text(history, looked_at(0)),
                                  write_history_text(history, looked_at(), true), write_history_json(history)})
    for (const char last : {'a', 'b', 'c', 'd'}) CHECK_FALSE(holds(text, secret(last)));
}

TEST_CASE("history: layers and entries that do not fit are shown and said to be a guess") {
  TestImage image = usual_image();
  image.config_extra["history"] = {entry("RUN one")};
  const ImageHistory fewer = history_of(image);
  REQUIRE(fewer.rows.size() == 3);
  CHECK_FALSE(fewer.pairing_certain);
  CHECK(fewer.rows[2].layer == 2u);
  CHECK_FALSE(fewer.rows[2].entry);
  CHECK(holds(write_history_text(fewer, looked_at()), "the history does not tell of this layer"));
  CHECK(holds(write_history_text(fewer, looked_at()), "is a guess"));
  image.config_extra["history"] = Json::array();
  for (int i = 0; i < 5; ++i) image.config_extra["history"].push_back(entry("RUN x"));
  const ImageHistory more = history_of(image);
  CHECK(more.rows.size() == 5);
  CHECK(holds(write_history_text(more, looked_at()), "no layer"));
}

TEST_CASE("history: a document that cannot be read is said, and what it hides is never called clean") {
  TestImage image = usual_image();
  image.config_extra["moby.buildkit.buildinfo.v1"] = "no base64!";
  const ImageHistory history = history_of(image);
  CHECK(history.documents_read + 1 == history.documents);
  REQUIRE(history.unread.size() == 1);
  CHECK(holds(write_history_text(history, looked_at()), "not to be trusted: config"));
  CHECK(parse_json(write_history_json(history))["unread"].size() == 1);
}

TEST_CASE("history: hostile lines act on no terminal, no log and no parser") {
  TestImage image = usual_image();
  std::string line = hostile_text();
  for (std::size_t bad; (bad = first_invalid_utf8(line)) != std::string::npos;) line.erase(bad, 1);
  for (Json& one : image.config_extra["history"]) one["created_by"] = "RUN " + line + " && " + line + "\n::error::x";
  image.config_extra["history"][1]["created_by"] = line;
  image.config_extra["history"][3]["created_by"] = "::error::x\n##[error]y\n\xe3\x80\x80::warning::z";
  image.config_extra["history"][3]["comment"] = line;
  image.config_extra["history"][3]["created"] = line;
  const ImageHistory history = history_of(image);
  for (const std::size_t width : {0u, 40u, 61u, 100u, 4000u})
    for (const bool raw : {false, true}) CHECK(acting(write_history_text(history, looked_at(width), raw), true) == "");
  CHECK(acting(write_history_json(history), false) == "");
  REQUIRE_NOTHROW(parse_json(write_history_json(history)));
}

TEST_CASE("history: every fixture has one, or is refused for what it is") {
  std::size_t shown = 0;
  for (const std::string& reference : fixture_references()) {
    INFO(reference);
    try {
      const ImageHistory history = look_at_history(look_options(reference));
      ++shown;
      CHECK(history.rows.size() >= history.image.layers);
      CHECK(acting(write_history_text(history, looked_at()), true) == "");
      CHECK(acting(write_history_json(history), false) == "");
    } catch (const Error& error) {
      CHECK(error.kind() != ErrorKind::internal);
    }
  }
  if (std::filesystem::is_directory(fixtures)) CHECK(shown > 40);
}

TEST_CASE("ages are in the unit of which there are two") {
  using namespace std::chrono;
  const sys_seconds now = sys_days(year(2026) / 6 / 15) + hours(12);
  CHECK(age_text("2026-06-15T11:59:30Z", now) == "now");
  CHECK(age_text("2026-06-15T11:30:00Z", now) == "30 minutes");
  CHECK(age_text("2026-06-15T11:30:00+02:00", now) == "2 hours");
  CHECK(age_text("2026-06-13T11:30:00.123456789-01:00", now) == "47 hours");
  CHECK(age_text("2026-06-13T11:30:00Z", now) == "2 days");
  CHECK(age_text("2026-05-20T00:00:00Z", now) == "3 weeks");
  CHECK(age_text("2024-12-20T00:00:00Z", now) == "17 months");
  CHECK(age_text("2016-12-20T00:00:00Z", now) == "9 years");
  CHECK(age_text("2126-12-20T00:00:00Z", now) == "in the future");
  for (const char* const none : {"", "0001-01-01T00:00:00Z", "1970-01-01T00:00:01Z", "2026-13-01T00:00:00Z",
                                 "yesterday", "2026-06-15", "9999999999-01-01T00:00:00Z"})
    CHECK(age_text(none, now) == "");
}

TEST_CASE("a table is as wide as it must be, and what is longer is broken between words") {
  Table table({{"n", Table::Align::right}, {"name"}, {"text"}});
  CHECK(table.write(80, false) == "");
  table.row({"1", "a", "one two three four five six seven eight"});
  table.row({"10", "b\xc3\xa9", "x\n  y"});
  table.below("under");
  CHECK(table.write(0, false) ==
        " n  name  text\n"
        " 1  a     one two three four five six seven eight\n"
        "10  b\xc3\xa9    x\n"
        "            y\n"
        "          under\n");
  CHECK(table.write(42, false) ==
        " n  name  text\n"
        " 1  a     one two three four five six\n"
        "              seven eight\n"
        "10  b\xc3\xa9    x\n"
        "            y\n"
        "          under\n");
  Table cut({{"n", Table::Align::right}, {"text"}}, Table::Last::cut);
  cut.row({"1", "one two three four five six seven eight"});
  CHECK(cut.write(26, false) == "n  text\n1  one two three four fi …\n");
  CHECK(cut.write(0, false) == "n  text\n1  one two three four five six seven eight\n");
  CHECK(wrap("  a bbb ccc", 7, 2) == std::vector<std::string>{"  a bbb", "    ccc"});
  CHECK(holds(table.write(0, true), "\x1b[1m"));
  CHECK(wrap("aaaaaaaaaaaaaaaaaaaaaaaa ::b ccc", 10, 2) ==
        std::vector<std::string>{"aaaaaaaaaaaaaaaaaaaaaaaa ::b", "  ccc"});
}
