// What can be named on the command line: images, policies, and what help there is.
#include <catch2/catch.hpp>

#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Fixture : Program {
  Fixture() { file("p.yaml", mode_policy); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "an archive on standard input") {
  for (const auto& [yaml, status] : {std::pair(good_image, 0), {bad_image, 1}}) {
    write_docker_archive(describe_image(yaml), path("image.tar"));
    input = slurp(path("image.tar"));
    CHECK((*this)({"check", "-", "-p", "p.yaml"}).status == status);
    input = gzip_stored(input);
    CHECK((*this)({"check", "-", "-p", "p.yaml"}).status == status);
    input.resize(input.size() / 2);
    CHECK((*this)({"check", "-", "-p", "p.yaml"}).status == 3);
  }
  input.clear();
  CHECK((*this)({"check", "-", "-p", "p.yaml"}).status == 3);
}

TEST_CASE_METHOD(Fixture, "a bare path is what it is") {
  image("layout", bad_image);
  write_docker_archive(describe_image(bad_image), path("image.tar"));
  for (const char* const name : {"layout", "image.tar"}) {
    const Finished got = (*this)({"check", path(name), "-p", "p.yaml"});
    INFO(got.out);
    CHECK(got.status == 1);
  }
  file("no-image", "text");
  CHECK((*this)({"check", "no-image", "-p", "p.yaml"}).status == 3);
}

TEST_CASE_METHOD(Fixture, "--platform chooses one of an index") {
  TestImage intel = describe_image(good_image), arm = describe_image(bad_image);
  arm.architecture = "arm64";
  const std::string layout = path("index");
  const std::string reference = write_index(layout, {put_image(intel, layout), put_image(arm, layout)});
  CHECK((*this)({"check", reference, "-p", "p.yaml", "--platform", "linux/amd64"}).status == 0);
  CHECK((*this)({"check", reference, "-p", "p.yaml", "--platform=linux/arm64"}).status == 1);
  CHECK((*this)({"check", reference, "-p", "p.yaml", "--platform=linux/s390x"}).status >= 2);
  environment["OCILINT_PLATFORM"] = "linux/arm64";
  CHECK((*this)({"check", reference, "-p", "p.yaml"}).status == 1);
}

TEST_CASE_METHOD(Fixture, "--view and --stats are said in the report") {
  const std::string good = image("good", good_image);
  const Finished plain = (*this)({"check", good, "-p", "p.yaml"});
  CHECK_FALSE(contains(plain.out, "view spec"));
  CHECK_FALSE(contains(plain.out, "stats:"));
  const Finished spec = (*this)({"check", good, "-p", "p.yaml", "--view", "spec", "--stats"});
  CHECK(spec.status == 0);
  CHECK(contains(spec.out, "view spec"));
  CHECK(contains(spec.out, "stats: 2 entries"));
}

TEST_CASE_METHOD(Fixture, "--only and --skip choose checks") {
  const std::string bad = image("bad", bad_image);
  file("two.yaml", two_checks);
  const auto status = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"check", bad, "-p", "two.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return (*this)(words).status;
  };
  CHECK(status({}) == 1);
  CHECK(status({"--only", "there"}) == 0);
  CHECK(status({"--only", "modes"}) == 1);
  CHECK(status({"--only", "there,modes"}) == 1);
  CHECK(status({"--only", "there", "--only", "modes"}) == 1);
  CHECK(status({"--skip", "modes"}) == 0);
  CHECK(status({"--skip", "there"}) == 1);
  CHECK(status({"--skip", "there,modes"}) == 2);  // nothing left to prove
}

TEST_CASE_METHOD(Fixture, "the nearest .ocilint.yaml is the policy, up to the root of the repository") {
  const std::string bad = image("bad", bad_image);
  const auto policies = [&] {
    const Finished got = (*this)({"check", bad, "-o", "json"});
    std::string names;
    const Json report = parse_json(got.out);
    for (const Json& policy : report["images"][0]["policies"]) names += policy["name"].get<std::string>() + " ";
    return names;
  };
  fs::create_directories(path("work/deep/deeper"));
  where = path("work/deep/deeper");
  file(path(".ocilint.yaml"), mode_policy);  // outside of the repository
  CHECK(policies() == "debian-baseline image-secrets ");
  file(path("home/.config/ocilint/policy.yaml"), two_checks);
  CHECK(policies() == "two ");
  file(path("work/.ocilint.yaml"), mode_policy);
  CHECK(policies() == "modes ");
  environment["XDG_CONFIG_HOME"] = path("nowhere");
  CHECK(policies() == "modes ");
  environment["OCILINT_POLICY"] = "image-secrets";
  CHECK(policies() == "image-secrets ");
  const Finished named = (*this)({"check", bad, "-p", path("work/p.yaml"), "-o", "json"});
  CHECK(parse_json(named.out)["images"][0]["policies"].size() == 1);
  CHECK(named.status == 1);
}

namespace {

/// The commands that --help lists, and those below them.
std::vector<std::vector<std::string>> every_command(const Program& run, const std::vector<std::string>& above = {}) {
  std::vector<std::vector<std::string>> out = {above};
  std::vector<std::string> words = above;
  words.push_back("--help");
  const std::string text = run(words).out;
  const std::size_t head = text.find("ommands:\n");
  std::istringstream lines(head == std::string::npos ? "" : text.substr(head + 9));
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
    if (line[2] == ' ') continue;  // the second line of a summary
    std::vector<std::string> deeper = above;
    deeper.push_back(line.substr(2, line.find(' ', 2) - 2));
    for (auto& one : every_command(run, deeper)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

TEST_CASE("help fits a screen and shows examples, for every command") {
  Program run;
  const auto commands = every_command(run);
  CHECK(commands.size() >= 18);
  for (std::vector<std::string> words : commands) {
    words.push_back("--help");
    const Finished got = run(words);
    INFO(got.out);
    CHECK(got.status == 0);
    CHECK(contains(got.out, "Examples:\n  "));
    CHECK(contains(got.out, "Exit status: 0 "));
    CHECK(got.out.ends_with('\n'));
    CHECK(std::count(got.out.begin(), got.out.end(), '\n') <= 45);
    words.back() = "--help-all";
    for (const std::string& text : {got.out, run(words).out}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(line.size() <= 80);
      }
    }
  }
}

TEST_CASE_METHOD(Fixture, "every option of check has a variable, which the command line overrules") {
  const std::string all = (*this)({"check", "--help-all"}).out;
  std::istringstream lines(all);
  std::string text;
  for (std::string word; lines >> word;) text += word + " ";
  std::size_t options = 0;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2), ++options) {
    std::string variable = "OCILINT_";
    for (std::size_t i = at + 2; i < text.size() && (std::islower(text[i]) || text[i] == '-'); ++i)
      variable += text[i] == '-' ? '_' : static_cast<char>(std::toupper(text[i]));
    if (variable.starts_with("OCILINT_HELP") || variable == "OCILINT_") continue;
    INFO(variable);
    CHECK((contains(text, "$" + variable) || variable == "OCILINT_AUTHFILE"));
  }
  CHECK(options >= 25);

  const std::string bad = image("bad", bad_image);
  const auto json = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"check", bad};
    words.insert(words.end(), more.begin(), more.end());
    return (*this)(words);
  };
  environment = {{"OCILINT_POLICY", "p.yaml"}, {"OCILINT_OUTPUT", "json"}};
  CHECK(parse_json(json({}).out)["images"][0]["exit_status"] == 1);
  environment["OCILINT_VIEW"] = "spec";
  CHECK(parse_json(json({}).out)["images"][0]["view"] == "spec");
  CHECK(parse_json(json({"--view", "overlay"}).out)["images"][0]["view"] == "overlay");
  environment["OCILINT_MAX_LAYER"] = "1";
  CHECK(json({}).status == 3);
  environment["OCILINT_VIEW"] = "sideways";
  CHECK(json({}).status == 2);
  CHECK(contains(json({}).err, "($OCILINT_VIEW)"));
  CHECK_FALSE(contains(json({"--view", "askew"}).err, "$OCILINT_VIEW"));
}

TEST_CASE("rules, explain, policy and schema say what there is") {
  Program run;
  const Finished rules = run({"rules"});
  CHECK(rules.status == 0);
  std::istringstream lines(rules.out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string id = line.substr(0, line.find(' '));
    const Finished page = run({"explain", id});
    CHECK(page.status == 0);
    CHECK(page.out.starts_with("# " + id + "\n"));
  }
  CHECK(count >= 14);
  const Finished list = run({"policy", "list"});
  for (const char* const name : {"debian-baseline", "image-secrets", "rocm-ordering-edge", "rocm-vllm"}) {
    CHECK(contains(list.out, name));
    CHECK(run({"policy", "validate", name}).status == 0);
  }
  CHECK(parse_json(run({"schema"}).out)["$schema"] == "http://json-schema.org/draft-07/schema#");
  CHECK(run({"--version"}).out.starts_with("ocilint 0."));
}
