// Reports: where they go, that they are whole or a failure, and that no text of an image acts on a terminal or a log.
#include <catch2/catch.hpp>

#include "base/utf8.h"
#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

struct Fixture : Program {
  std::string good = image("good", good_image), bad = image("bad", bad_image);
  Fixture() { file("p.yaml", mode_policy); }
};

/// What a terminal or the log of a CI system would act on.
void check_harmless(const std::string& text) {
  CHECK(first_invalid_utf8(text) == std::string::npos);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = (byte < 0x20 && byte != '\n') || byte == 0x7f;
    const bool second_page = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (control || second_page) FAIL_CHECK("control byte at " << i << " of " << text);
  }
  CHECK_FALSE(contains(text, "##["));
  CHECK_FALSE(contains(text, "##vso["));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 2, "::") == 0) FAIL_CHECK("a command: " << line);
  }
}

}  // namespace

TEST_CASE_METHOD(Fixture, "several reports of one run") {
  const Finished got = (*this)({"check", bad, "-p", "p.yaml", "-o", "json=report.json", "-o", "text"});
  CHECK(got.status == 1);
  CHECK(contains(got.out, "verdict: fail (exit status 1)"));
  const Json json = parse_json(slurp(path("work/report.json")));
  CHECK(json["images"][0]["exit_status"] == 1);
  CHECK(json["images"][0]["verdict"] == "fail");
  CHECK(got.err.empty());
}

TEST_CASE_METHOD(Fixture, "the ledger stands in the JSON report") {
  const Finished got = (*this)({"check", good, "-p", "p.yaml", "-o", "json"});
  REQUIRE(got.status == 0);
  const Json ledger = parse_json(got.out)["images"][0]["ledger"];
  CHECK(ledger["holes"].empty());
  CHECK(ledger["layers_needed"] == true);
  CHECK(ledger["layers_listed"] == 1);
  CHECK(ledger["layers_verified"] == 1);
  CHECK(ledger["layers_parsed"] == 1);
  CHECK(ledger["blob_bytes_hashed"] == ledger["blob_bytes_listed"]);
  CHECK(ledger["blob_bytes_hashed"] > 0);
  CHECK(ledger["checks_listed"] == ledger["checks_evaluated"]);
}

TEST_CASE_METHOD(Fixture, "a file is replaced by a whole report") {
  file("r.txt", "the report of yesterday");
  fs::permissions(path("work/r.txt"), fs::perms(0640));
  fs::create_symlink("r.txt", path("work/link.txt"));
  const std::size_t before = files_in(path("work"));
  CHECK((*this)({"check", good, "-p", "p.yaml", "-o", "text=link.txt"}).status == 0);
  CHECK(slurp(path("work/r.txt")).find("verdict: pass") != std::string::npos);
  CHECK(slurp(path("work/r.txt")).find("yesterday") == std::string::npos);
  CHECK((fs::status(path("work/r.txt")).permissions() & fs::perms(0777)) == fs::perms(0640));
  CHECK(fs::is_symlink(path("work/link.txt")));
  CHECK(files_in(path("work")) == before);
}

TEST_CASE_METHOD(Fixture, "who holds the old report open keeps it whole") {
  file("r.txt", "the report of yesterday");
  std::ifstream reader(path("work/r.txt"));
  CHECK((*this)({"check", good, "-p", "p.yaml", "-o", "text=r.txt"}).status == 0);
  const std::string seen{std::istreambuf_iterator<char>(reader), {}};
  CHECK(seen == "the report of yesterday");
}

TEST_CASE_METHOD(Fixture, "a report that cannot be written is never a pass") {
  const Finished folder_missing =
      (*this)({"check", good, "-p", "p.yaml", "-o", "json=no/such/folder/r.json", "-o", "text"});
  CHECK(folder_missing.status == 2);
  CHECK(contains(folder_missing.err, "no/such/folder/r.json"));
  CHECK((*this)({"check", good, "-p", "p.yaml", "-o", "json=."}).status == 2);
  CHECK((*this)({"check", good, "-p", "p.yaml", "-o", "json=/dev/full"}).status == 2);
  // Findings do not hide it.
  CHECK((*this)({"check", bad, "-p", "p.yaml", "-o", "json=/dev/full"}).status == 2);
}

TEST_CASE_METHOD(Fixture, "standard output that is full, closed or read by nobody is never a pass") {
  for (const Output kind : {Output::full, Output::closed, Output::nobody_reads}) {
    output = kind;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"check", good, "-p", "p.yaml"},
                                                  {"check", good, "-p", "p.yaml", "-o", "json"},
                                                  {"check", good, "-p", "p.yaml", "-o", "json", "-o", "text=r.txt"},
                                                  {"rules"},
                                                  {"explain", "file"},
                                                  {"policy", "list"},
                                                  {"schema"},
                                                  {"--help"},
                                                  {"check", "--help"},
                                                  {"--version"}}) {
      const Finished got = (*this)(words);
      INFO(static_cast<int>(kind) << " " << words[0]);
      CHECK(got.status == 2);
    }
  }
}

TEST_CASE_METHOD(Fixture, "a closed standard output is not taken by a report file") {
  output = Output::closed;
  CHECK((*this)({"check", good, "-p", "p.yaml", "-o", "json=r.json", "-o", "text"}).status == 2);
  CHECK(parse_json(slurp(path("work/r.json")))["images"].size() == 1);
}

TEST_CASE_METHOD(Fixture, "an image that cannot be read is said once") {
  const std::string absent = "oci:" + path("absent");
  const Finished text = (*this)({"check", absent, "-p", "p.yaml"});
  CHECK(contains(text.out, "no such file"));
  CHECK(text.err.empty());
  const Finished json = (*this)({"check", absent, "-p", "p.yaml", "-o", "json"});
  CHECK(contains(json.err, "no such file"));
  CHECK(parse_json(json.out)["images"][0]["error"]["kind"] == "not found");
}

TEST_CASE_METHOD(Fixture, "colour") {
  const std::vector<std::string> words = {"check", bad, "-p", "p.yaml"};
  const auto colored = [&](std::vector<std::string> more = {}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return contains((*this)(all).out, "\x1b[");
  };
  CHECK_FALSE(colored());  // no terminal
  CHECK(colored({"--color", "always"}));
  environment["FORCE_COLOR"] = "1";
  CHECK(colored());
  CHECK_FALSE(colored({"--color=never"}));
  environment["NO_COLOR"] = "1";
  CHECK(colored());  // FORCE_COLOR wins
  environment.erase("FORCE_COLOR");
  environment["CLICOLOR_FORCE"] = "1";
  CHECK_FALSE(colored());
  environment.erase("NO_COLOR");
  CHECK(colored());
  (*this)({"check", bad, "-p", "p.yaml", "--color=always", "-o", "text=r.txt"});
  CHECK_FALSE(contains(slurp(path("work/r.txt")), "\x1b["));
}

TEST_CASE_METHOD(Fixture, "hostile texts of an image do not act") {
  const std::string hostile =
      "config: {user: \"::stop-commands::x\", env: [\"A=\\e[2J##[add-path]x\", \"B=##vso[task.setvariable]y\"],\n"
      "  labels: {\"\\n::error::l\": \"\\r::warning::w\\x9b31m\"}}\n"
      "layers:\n"
      "- run: \"::error::first\\n::error::second ##[error]third \\e]0;title\\a\"\n"
      "  files: {\"/app/\\n::error file=a::b\": {content: x, mode: '0666'}, \"/app/\\e[31m\\a\\x9b\\u202e\": {content: x, mode: '0666'},\n"
      "    \"/app/##[group]g\": {content: x, mode: '0666'}, \"/app/\\r\\x7f##vso[task.complete]\": {content: x, mode: '0666'}}\n";
  const std::string reference = image("hostile", hostile);
  file("users.yaml",
       "policy: users\nlanguage: 1\nsummary: s\nchecks:\n- {id: user, rule: image-user, with: {not: root}}\n");
  for (const char* const format : {"text", "json", "sarif", "junit", "gitlab", "markdown"}) {
    const Finished got = (*this)(
        {"check", reference, "-p", "p.yaml", "-p", "users.yaml", "-p", "image-secrets", "--stats", "-o", format});
    INFO(got.out << got.err);
    CHECK(got.status != 0);
    CHECK(contains(got.out, "/app/"));
    check_harmless(got.out);
    check_harmless(got.err);
  }
  // GitHub's own format has commands: ours, about the findings and nothing else.
  const Finished github = (*this)({"check", reference, "-p", "p.yaml", "-o", "github"});
  std::istringstream lines(github.out);
  std::size_t commands = 0;
  for (std::string line; std::getline(lines, line);) {
    commands += line.starts_with("::error file=p.yaml,line=5,title=modes/modes::mode: /app/");
    CHECK((line.starts_with("::error file=") || line.starts_with("ocilint: ")));
  }
  CHECK(commands == 4);
  CHECK_FALSE(contains(github.out, "##["));
  for (const std::string& word :
       {std::string("::error::\x1b[31m"), std::string("a\n::error::b"), std::string("##[error]")})
    for (const std::vector<std::string>& words : {std::vector<std::string>{word},
                                                  {"explain", word},
                                                  {"check", word},
                                                  {"check", good, "-p", word},
                                                  {"check", good, "-o", word},
                                                  {"check", good, "--gate", word},
                                                  {"check", good, "--view", word}}) {
      const Finished got = (*this)(words);
      CHECK(got.status >= 2);
      check_harmless(got.out);
      check_harmless(got.err);
    }
}

TEST_CASE_METHOD(Fixture, "--anchor leads viewers to a file of the repository") {
  const auto place = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"check", bad, "-p", path("work/p.yaml"), "-o", "sarif"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished got = (*this)(words);
    INFO(got.err);
    CHECK(got.status == 1);
    return parse_json(got.out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  };
  const Json own = place({});
  CHECK(own["artifactLocation"]["uri"] == "p.yaml");
  CHECK(own["region"]["startLine"] == 5);
  const Json anchored = place({"--anchor", "docker/Dockerfile.base:12"});
  CHECK(anchored["artifactLocation"]["uri"] == "docker/Dockerfile.base");
  CHECK(anchored["region"]["startLine"] == 12);
  CHECK(place({"--anchor", "Dockerfile"})["region"]["startLine"] == 1);
  for (const char* const wrong :
       {"/etc/Dockerfile", "../Dockerfile", "a/../../b:3", ":3", "Dockerfile:0", "Dockerfile:99999999999"})
    CHECK((*this)({"check", bad, "-p", "p.yaml", "--anchor", wrong}).status == 2);
}
