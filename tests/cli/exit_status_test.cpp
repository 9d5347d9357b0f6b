// Exit statuses: 0 good, 1 findings, 2 the answer cannot be trusted, 3 the image could not be read.
#include <catch2/catch.hpp>

#include <array>

#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

/// The only layer of a layout that put_image() wrote: the largest blob.
fs::path layer_blob(const std::string& layout) {
  fs::path largest;
  for (const auto& entry : fs::directory_iterator(layout + "/blobs/sha256"))
    if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
  return largest;
}

std::string big_image() { return "layers:\n- files: {/app/run: '" + std::string(20000, 'x') + "'}\n"; }

}  // namespace

TEST_CASE("0, 1: what the policy says of the image") {
  Program run;
  const std::string good = run.image("good", good_image), bad = run.image("bad", bad_image);
  run.file("p.yaml", mode_policy);
  CHECK(run({"check", good, "-p", "p.yaml"}).status == 0);
  CHECK(run({"check", bad, "-p", "p.yaml"}).status == 1);
  CHECK(run({"check", good, bad, "-p", "p.yaml"}).status == 1);
  CHECK(run({"check", "-p", "p.yaml", good}).status == 0);  // an option takes one value
}

TEST_CASE("0, 1: --fail-on moves the threshold") {
  Program run;
  const std::string bad = run.image("bad", bad_image);
  std::string policy = mode_policy;
  policy.insert(policy.find(", with"), ", severity: warning");
  run.file("p.yaml", policy);
  CHECK(run({"check", bad, "-p", "p.yaml"}).status == 0);
  CHECK(run({"check", bad, "-p", "p.yaml", "--fail-on", "warning"}).status == 1);
  CHECK(run({"check", bad, "-p", "p.yaml", "--fail-on=note"}).status == 1);
  run.environment["OCILINT_FAIL_ON"] = "warning";
  CHECK(run({"check", bad, "-p", "p.yaml"}).status == 1);
}

TEST_CASE("2: mistakes in the call, said once, with what was probably meant") {
  Program run;
  const std::string good = run.image("good", good_image);
  run.file("p.yaml", mode_policy);
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{"chek", good}, "did you mean 'check'?"},
      {{}, "--help"},
      {{"check"}, "REF is required"},
      {{"check", good, "-p", "p.yaml", "-o", "jsn"}, "did you mean 'json'?"},
      {{"check", good, "-p", "p.yaml", "-o", "json="}, "name of the file is missing"},
      {{"check", good, "-p", "p.yaml", "-o", "json", "-o", "text"}, "standard output already"},
      {{"check", good, "-p", "p.yaml", "-o", "json=x", "-o", "text=x"}, "that file already"},
      {{"check", good, "-p", "p.yaml", "--gate", "rocm"}, "NAME=VALUE"},
      {{"check", good, "-p", "p.yaml", "--gate", "rocm=maybe"}, "auto or required"},
      {{"check", good, "-p", "p.yaml", "--set", "=x"}, "NAME=VALUE"},
      {{"check", good, "-p", "p.yaml", "--fail-on", "fatal"}, "fatal"},
      {{"check", good, "-p", "p.yaml", "--jobs", "100000"}, "100000"},
      {{"check", good, "-p", "p.yaml", "--nonsense"}, "'--nonsense' is no option of ocilint check"},
      {{"check", good, "--plicy", "p.yaml"}, "did you mean '--policy'?"},
      {{"check", "--fial-on=note", good}, "did you mean '--fail-on'?"},
      {{"ls", good, "--lnog"}, "did you mean '--long'?"},
      {{"policy", "valdate", "p.yaml"}, "did you mean 'validate'?"},
      {{"completion", "tcsh"}, "tcsh"},
      {{"man", "chek"}, "did you mean 'check'?"},
      {{"check", good, "-p", "debian-baselin"}, "did you mean 'debian-baseline'?"},
      {{"check", good, "-p", "./absent.yaml"}, "absent.yaml"},
      {{"check", good, "-p", "p.yaml", "-p", "p.yaml"}, "two policies"},
      {{"check", good, "-p", "p.yaml", "--platform", "linux"}, "platform"},
      {{"explain", "same-fil"}, "did you mean 'same-file'?"},
      {{"explain", "debian-baselin/known-setuid"}, "did you mean 'debian-baseline/known-setuid'?"},
      {{"explain", "moeds", "-p", "p.yaml"}, "did you mean 'modes'?"},
      {{"policy"}, "--help"},
  };
  for (const auto& [words, part] : calls) {
    const Finished got = run(words);
    INFO(got.err);
    CHECK(got.status == 2);
    CHECK(contains(got.err, part));
    CHECK(got.out.empty());
    CHECK(std::count(got.err.begin(), got.err.end(), '\n') == 1);
  }
}

TEST_CASE("2: what a run asks of a policy that it does not have") {
  Program run;
  const std::string good = run.image("good", good_image);
  run.file("p.yaml", mode_policy);
  run.file("p.yaml", std::string(two_checks) +
                         "- {id: same, rule: base-image, with: {other: base}}\n"
                         "gates: {rocm: {detect: {file: /x}}}\nvariables: {site: {env: SITE}}\n");
  for (const auto& [flag, value, meant] :
       std::vector<std::array<std::string, 3>>{{"--gate", "rcom=required", "rocm"},
                                               {"--set", "sit=x", "site"},
                                               {"--only", "moeds", "modes"},
                                               {"--skip", "mods", "modes"},
                                               {"--with", "bas=" + good, "base"},
                                               {"--gate", "nothing-like-it=required", ""}}) {
    std::vector<std::string> words = {"check", good, "-p", "p.yaml", flag, value};
    const Finished got = run(words);
    INFO(flag << "\n" << got.out << got.err);
    CHECK(got.status == 2);
    CHECK(contains(got.out, meant.empty() ? "has no gate" : "did you mean '" + meant + "'?"));
  }
}

TEST_CASE("2: a policy that is wrong names the place") {
  Program run;
  const std::string good = run.image("good", good_image);
  run.file("p.yaml", "policy: p\nlanguage: 1\nsummary: s\nchecks:\n- {id: a, rule: fil-mode}\n");
  const Finished got = run({"check", good, "-p", "p.yaml"});
  CHECK(got.status == 2);
  CHECK(contains(got.err, "p.yaml:5:"));
  CHECK(contains(got.err, "file-mode"));
  CHECK(run({"policy", "validate", "p.yaml"}).status == 2);
}

TEST_CASE("2: a layout of several images without a choice lists the choices") {
  Program run;
  TestImage one = describe_image(good_image), two = describe_image(bad_image);
  one.ref_name = "first";
  two.ref_name = "second";
  const std::string layout = run.path("two");
  const std::string reference = write_index(layout, {put_image(one, layout), put_image(two, layout)});
  run.file("p.yaml", mode_policy);
  const Finished got = run({"check", reference, "-p", "p.yaml"});
  INFO(got.out << got.err);
  CHECK(got.status == 2);
  CHECK(contains(got.out, "\n           oci:" + layout + ":first  linux/amd64"));
  CHECK(contains(got.out, "\n           oci:" + layout + ":second  linux/amd64"));
  CHECK(run({"check", reference + ":first", "-p", "p.yaml"}).status == 0);
  CHECK(run({"check", reference + ":second", "-p", "p.yaml"}).status == 1);
  CHECK(run({"check", reference + ":@0", "-p", "p.yaml"}).status == 0);
}

TEST_CASE("2: a run of which no check applies proves nothing") {
  Program run;
  const std::string good = run.image("good", good_image);
  run.file("p.yaml",
           "policy: p\nlanguage: 1\nsummary: s\ngates: {g: {detect: {file: /absent}}}\n"
           "checks:\n- {id: modes, rule: file-mode, when: g, with: {files: [/app/**], deny: o+w}}\n");
  const Finished got = run({"check", good, "-p", "p.yaml"});
  CHECK(got.status == 2);
  CHECK(contains(got.out, "no check applies"));
}

TEST_CASE("3: an image that is not there or not whole") {
  Program run;
  run.file("p.yaml", mode_policy);
  const std::string image = run.image("image", big_image(), "");
  const std::string layout = image.substr(4);
  REQUIRE(run({"check", image, "-p", "p.yaml"}).status == 0);

  CHECK(run({"check", "oci:" + run.path("absent"), "-p", "p.yaml"}).status == 3);
  CHECK(run({"check", run.path("absent.tar"), "-p", "p.yaml"}).status == 3);
  CHECK(run({"check", image + ":no-such-tag", "-p", "p.yaml"}).status == 3);
  for (const auto& [wrong, right] :
       std::vector<std::pair<std::string, std::string>>{{"docker-archve:image.tar", "docker-archive:image.tar"},
                                                        {"ocj:image:tag", "oci:image:tag"},
                                                        {"dri:image", "dir:image"},
                                                        {"dokcer://127.0.0.1:9/a:1", "docker://127.0.0.1:9/a:1"},
                                                        {"docker:/127.0.0.1/a", "docker://127.0.0.1/a"},
                                                        {"docker-deamon:a:1", "docker-daemon:a:1"},
                                                        {"container-storage:a", "containers-storage:a"}}) {
    const Finished got = run({"check", wrong, "-p", "p.yaml"});
    INFO(got.out);
    CHECK(got.status == 3);
    CHECK(contains(got.out, "'" + wrong + "' is no file or folder; did you mean '" + right + "'?"));
  }

  const fs::path blob = layer_blob(layout);
  std::string bytes = run.file("copy", "");
  fs::copy_file(blob, bytes, fs::copy_options::overwrite_existing);
  SECTION("a changed byte") {
    std::fstream file(blob, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(700);
    file.put('y');
  }
  SECTION("cut short") { fs::resize_file(blob, fs::file_size(blob) - 512); }
  SECTION("bytes behind the end") { fs::resize_file(blob, fs::file_size(blob) + 512); }
  SECTION("gone") { fs::remove(blob); }
  const Finished got = run({"check", image, "-p", "p.yaml"});
  INFO(got.out);
  CHECK(got.status == 3);
  CHECK(contains(got.out, "unreadable"));

  // The worst of several images counts, and the others are reported all the same.
  const std::string bad = run.image("bad", bad_image);
  const Finished both = run({"check", bad, image, "-p", "p.yaml"});
  CHECK(both.status == 3);
  CHECK(contains(both.out, "/app/run"));
}

TEST_CASE("policies that need no file read no layer") {
  Program run;
  const std::string image = run.image("image", big_image(), "");
  const fs::path blob = layer_blob(image.substr(4));
  write_file(blob, std::string(fs::file_size(blob), '?'));
  run.file("d.yaml", "policy: d\nlanguage: 1\nsummary: s\nchecks:\n- {id: a, rule: history-secrets}\n");
  const Finished documents = run({"check", image, "-p", "d.yaml"});
  INFO(documents.out);
  CHECK(documents.status == 0);
  run.file("p.yaml", mode_policy);
  CHECK(run({"check", image, "-p", "p.yaml"}).status == 3);
  CHECK(run({"check", image, "-p", "p.yaml", "-p", "d.yaml"}).status == 3);
  // Nor does it need them to be there, as long as nothing asks for files; the report says so.
  fs::remove(blob);
  const Finished thin = run({"check", image, "-p", "d.yaml"});
  CHECK(thin.status == 0);
  CHECK(contains(thin.out, "layers were not read, of which 1 could not be"));
  CHECK(run({"check", image, "-p", "p.yaml"}).status == 3);
  CHECK(run({"check", image, "-p", "p.yaml", "-p", "d.yaml"}).status == 3);
}

TEST_CASE("2: names of a layout cannot add a line to the list of choices") {
  Program run;
  TestImage one = describe_image(good_image), two = one;
  one.ref_name = "a\n::error::b";
  two.ref_name = "x";
  two.architecture = "arm\nverdict: pass";
  const std::string layout = run.path("two");
  const std::string reference = write_index(layout, {put_image(one, layout), put_image(two, layout)});
  const Finished got = run({"check", reference, "-p", "image-secrets"});
  INFO(got.out);
  CHECK(got.status >= 2);
  CHECK_FALSE(contains(got.out, "\n         ::"));
  std::istringstream lines(got.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && first > 0) CHECK(line.compare(first, 4, "oci:") == 0);
  }
}
