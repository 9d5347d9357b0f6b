// The verbs that look at an image: what they print where, and their exit statuses.
#include <catch2/catch.hpp>

#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr const char* image_text = R"(
config: {env: [A=b]}
layers:
  - run: ADD rootfs /
    files: {/etc/a: "one\n", /etc/b: "\u001b[2J::error::x"}
  - run: RUN /bin/sh -c rm /etc/a && echo done
    remove: [/etc/a]
)";

}  // namespace

TEST_CASE("0: every verb shows what it looked at, as text and as JSON") {
  Program run;
  const std::string image = run.image("image", image_text);
  const std::vector<std::vector<std::string>> calls = {
      {"history", image}, {"layers", image}, {"blame", image, "/etc/a"}};
  for (std::vector<std::string> call : calls) {
    const Finished text = run(call);
    INFO(call[0]);
    CHECK(text.status == 0);
    CHECK(contains(text.out, "rm /etc/a && echo done"));
    CHECK(text.err == "");
    call.insert(call.end(), {"-o", "json"});
    const Finished json = run(call);
    CHECK(json.status == 0);
    CHECK(parse_json(json.out)["verb"] == call[0]);
  }
}

TEST_CASE("0: files are listed, told of, shown and found") {
  Program run;
  const std::string image = run.image("image", image_text);
  CHECK(run({"ls", image}).out == "etc\n");
  CHECK(run({"ls", image, "/etc"}).out == "b\n");
  CHECK(run({"ls", image, "/etc", "--layer", "0", "-R"}).out == "/etc/a\n/etc/b\n");
  CHECK(contains(run({"ls", image, "-l"}).out, "drwxr-xr-x"));
  CHECK(contains(run({"stat", image, "/etc/b"}).out, "layer 0 (ADD rootfs /)"));
  CHECK(run({"cat", image, "/etc/a", "--layer", "0"}).out == "one\n");
  CHECK(run({"cat", image, "/etc/b"}).out == "\x1b[2J::error::x");  // a pipe gets the bytes
  CHECK(run({"find", image, "/etc/*", "--type", "f"}).out == "/etc/b\n");
  CHECK(run({"find", image, "--size", "-2K", "--size", "+1"}).out == "/etc/b\n");
  CHECK(run({"find", image, "--mode", "u+s"}).out == "");
  for (const char* const verb : {"ls", "find"})
    CHECK(parse_json(run({verb, image, "-o", "json"}).out)["files"].size() > 0);
  CHECK(parse_json(run({"cat", image, "/etc/b", "-o", "json"}).out)["file"]["path"] == "/etc/b");
}

TEST_CASE("2: mistakes and documents that cannot be read; 3: no image") {
  Program run;
  const std::string image = run.image("image", image_text);
  CHECK(run({"history", run.path("nowhere")}).status == 3);
  CHECK(run({"layers", "oci:" + run.path("nowhere")}).status == 3);
  CHECK(run({"history"}).status == 2);
  CHECK(run({"history", image, "-o", "sarif"}).status == 2);
  CHECK(run({"layers", image, "--platform", "linux"}).status == 2);
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"ls", image, "/etc/a"}, "gone since layer 1 (RUN rm /etc/a"},
      {{"cat", image, "/etc"}, "not a regular file"},
      {{"cat", image, "/etc/b", "--layer", "7"}, "0 to 1"},
      {{"blame", image, "/etc/c"}, "no layer ever had it"},
      {{"stat", image, "/etc/c"}, "never in the image"},
      {{"find", image, "etc/*"}, ""},
      {{"find", image, "--owner", "root"}, "no number"},
      {{"find", image, "--package", "x"}, "--package"}};
  for (const auto& [call, part] : mistakes) {
    const Finished got = run(call);
    INFO(call[0] << ": " << got.err);
    CHECK(got.status == 2);
    CHECK(got.out == "");
    CHECK(contains(got.err, part));
  }
  TestImage odd = describe_image(image_text);
  odd.config_extra["moby.buildkit.buildinfo.v1"] = "no base64!";
  const Finished unread = run({"history", write_oci_layout(odd, run.path("odd"))});
  CHECK(unread.status == 2);
  CHECK(contains(unread.out, "not to be trusted"));
}

TEST_CASE("2: standard output that cannot be written is no success") {
  Program run;
  const std::string image = run.image("image", image_text);
  run.output = Program::Output::full;
  CHECK(run({"history", image}).status == 2);
  run.output = Program::Output::closed;
  CHECK(run({"layers", image}).status == 2);
}

TEST_CASE("packages: a database that cannot be read is 2, whosever it is: the image itself was read") {
  const Program run;
  const std::string good =
      "'/var/lib/dpkg/status': \"Package: a\\nStatus: install ok installed\\nVersion: 1\\nArchitecture: amd64\\n\\n\", "
      "'/var/lib/dpkg/info/a.list': \"/.\\n\", '/var/lib/dpkg/info/a.md5sums': '', ";
  const std::vector<std::pair<std::string, std::string>> databases = {
      {"'/var/lib/dpkg/status': \"Package: a\\nStatus: what\\n\"", "/var/lib/dpkg/status"},
      {"'/lib/apk/db/installed': nonsense", "/lib/apk/db/installed"},
      {"'/var/lib/rpm/rpmdb.sqlite': nonsense", "/var/lib/rpm/rpmdb.sqlite"},
      {good + "'/var/lib/apt/extended_states': {base64: AAo=}", "/var/lib/apt/extended_states"}};
  int number = 0;
  for (const auto& [file, named] : databases) {
    const std::string image = run.image("broken" + std::to_string(++number), "layers: [{files: {" + file + "}}]\n");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"packages", image},
                                                  {"packages", image, "-o", "json"},
                                                  {"packages", image, "-o", "spdx"},
                                                  {"packages", image, "--why", "a"},
                                                  {"inspect", image}}) {
      const Finished got = run(words);
      INFO(words.back() << " of " << named << "\n" << got.out << got.err);
      CHECK(got.status == 2);
      CHECK(contains(got.out + got.err, named));
    }
  }
  CHECK(run({"find", "oci:" + run.path("broken1"), "/**", "--package", "a"}).status == 2);
  const std::string whole = run.image("whole", "layers: [{files: {" + good + "'/a': x}}]\n");
  CHECK(run({"packages", whole}).status == 0);
  CHECK(run({"packages", whole, "--why", "a"}).status == 0);
}
