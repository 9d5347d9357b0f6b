// Images to compare with, the time a run may take, and the limits that can be raised.
#include <catch2/catch.hpp>

#include <chrono>

#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

const char* const derived = "layers:\n- {run: FROM, files: {/l/a: one}}\n- {run: COPY, files: {/app: x}}\n";
const char* const reverted = "layers:\n- {run: FROM, files: {/l/a: one}}\n- {run: RUN apt, files: {/l/a: ONE}}\n";
const char* const base = "layers:\n- {run: FROM, files: {/l/a: one}}\n";

struct Compares : Program {
  Compares() {
    file("p.yaml",
         "policy: p\nlanguage: 1\nsummary: s\nchecks:\n"
         "- {id: kept, rule: compare-files, with: {other: base, equal: [/l/**]}}\n");
  }
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE_METHOD(Compares, "--with names an image that checks compare with") {
  const std::string good = image("good", derived), bad = image("bad", reverted), with = "base=" + image("base", base);
  const Finished passed = (*this)({"check", good, "-p", "p.yaml", "--with", with});
  INFO(passed.out << passed.err);
  CHECK(passed.status == 0);
  CHECK(contains(passed.out, "compared with base · oci:"));
  CHECK(contains(passed.out, "1 layer, 1 of them the image's own"));
  const Finished failed = (*this)({"check", bad, "-p", "p.yaml", "--with", with, "-o", "json"});
  CHECK(failed.status == 1);
  const Json report = parse_json(failed.out)["images"][0];
  CHECK(report["others"][0]["name"] == "base");
  CHECK(report["others"][0]["manifest_digest"].get<std::string>().starts_with("sha256:"));
  // Each image of a call is compared.
  CHECK((*this)({"check", good, bad, "-p", "p.yaml", "--with", with}).status == 1);
}

TEST_CASE_METHOD(Compares, "--with: 2 for what was not given or is no pair, 3 for what cannot be read") {
  const std::string good = image("good", derived), other = image("base", base);
  const Finished none = (*this)({"check", good, "-p", "p.yaml"});
  CHECK(none.status == 2);
  CHECK(contains(none.out, "--with base=REF"));
  CHECK((*this)({"check", good, "-p", "p.yaml", "--with", "base=" + other, "--with", "more=" + other}).status == 2);
  CHECK((*this)({"check", good, "-p", "p.yaml", "--with", "base"}).status == 2);
  CHECK((*this)({"check", good, "-p", "p.yaml", "--with", "base="}).status == 2);
  CHECK((*this)({"check", good, "-p", "p.yaml", "--with", "base=" + other, "--with", "base=" + good}).status == 2);
  CHECK((*this)({"check", good, "-p", "p.yaml", "--with", "base=oci:" + path("none")}).status == 3);
  CHECK((*this)({"check", "-", "-p", "p.yaml", "--with", "base=-"}).status == 2);
  CHECK((*this)({"check", good, good, "-p", "p.yaml", "--with", "base=-"}).status == 2);
}

TEST_CASE_METHOD(Compares, "--with takes standard input") {
  const std::string good = image("good", derived);
  write_docker_archive(describe_image(base), path("base.tar"));
  input = slurp(path("base.tar"));
  CHECK((*this)({"check", good, "-p", "p.yaml", "--with", "base=-"}).status == 0);
  input.resize(input.size() / 2);
  CHECK((*this)({"check", good, "-p", "p.yaml", "--with", "base=-"}).status == 3);
}

TEST_CASE("--timeout ends a run that waits for standard input, with status 3 and a report") {
  Program run;
  run.file("p.yaml", mode_policy);
  const std::string good = run.image("good", good_image);
  write_docker_archive(describe_image(good_image), run.path("image.tar"));
  run.input = slurp(run.path("image.tar")).substr(0, 700);
  run.stalled = true;
  const auto begin = std::chrono::steady_clock::now();
  const Finished got =
      run({"check", good, "-", good, "-p", "p.yaml", "--timeout", "1", "-o", "json=report.json", "-o", "text"});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  INFO(got.out << got.err);
  CHECK(got.status == 3);
  CHECK(seconds < 30);
  CHECK(contains(got.out, "not done within 1 seconds (--timeout)"));
  const Json report = parse_json(slurp(run.path("work/report.json")));
  REQUIRE(report["images"].size() == 3);
  CHECK(report["images"][0]["exit_status"] == 0);  // done in time
  CHECK(report["images"][1]["exit_status"] == 3);
  CHECK(report["images"][2]["exit_status"] == 3);

  // To a file alone, it is said on standard error.
  const Finished quiet = run({"check", "-", "-p", "p.yaml", "--timeout", "1", "-o", "json=report.json"});
  CHECK(quiet.status == 3);
  CHECK(contains(quiet.err, "not done within 1 seconds"));
}

TEST_CASE("--timeout changes nothing in a run that is done in time") {
  Program run;
  run.file("p.yaml", mode_policy);
  const std::string good = run.image("good", good_image);
  CHECK(run({"check", good, "-p", "p.yaml", "--timeout", "600"}).status == 0);
  for (const char* const text : {"0", "-1", "soon", "999999999"})
    CHECK(run({"check", good, "-p", "p.yaml", "--timeout", text}).status == 2);
}

TEST_CASE("limits: 3 with the flag that raises them") {
  Program run;
  run.file("p.yaml",
           "policy: p\nlanguage: 1\nsummary: s\nchecks:\n- {id: a, rule: file, with: {file: /app/run, content: x}}\n");
  const std::string image = run.image("image", "layers:\n- files: {/app/run: xxxx, /app/b: x, /app/c: x}\n");
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"check", image, "-p", "p.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  for (const auto& [flag, low, enough] : {std::tuple("--max-entries", "2", "3"),
                                          {"--max-layer", "1KiB", "1MiB"},
                                          {"--max-unpacked", "1000", "1g"},
                                          {"--max-kept", "3", "4"}}) {
    const Finished refused = with({flag, low});
    INFO(flag << "\n" << refused.out << refused.err);
    CHECK(refused.status == 3);
    CHECK(contains(refused.out, flag));
    CHECK(with({flag, enough}).status == 0);
    CHECK(with({flag, "much"}).status == 2);
  }
}
