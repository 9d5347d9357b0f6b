// The verbs inspect, elf, packages and diff as a program: exit statuses, and what is said where.
#include <catch2/catch.hpp>

#include "base/file.h"
#include "program.h"
#include "support/tar_writer.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr const char* old_image = R"(
layers:
  - run: ADD rootfs /
    files: {/etc/a: "one\n", /etc/os-release: "ID=debian\nVERSION_ID=12\n", /usr/bin/tool: "#!/bin/sh\n"}
)";
constexpr const char* new_image = R"(
layers:
  - run: ADD rootfs /
    files: {/etc/a: "two\n", /etc/os-release: "ID=debian\nVERSION_ID=12\n", /usr/bin/tool: "#!/bin/sh\n"}
)";
constexpr const char* broken_packages = "layers: [{files: {/var/lib/dpkg/status: 'no stanza at all'}}]";
constexpr const char* with_packages =
    "layers: [{files: {/var/lib/dpkg/status: \"Package: a\\nStatus: install ok installed\\nArchitecture: amd64\\nVersion: 1\\n\\n\","
    " /var/lib/dpkg/info/a.list: \"/.\\n/x\\n\", /x: x}}]";

}  // namespace

TEST_CASE("inspect: 0 whatever it finds, 2 when something could not be told, 3 without an image") {
  Program run;
  const std::string image = run.image("image", old_image);
  const Finished text = run({"inspect", image});
  INFO(text.err << text.out);
  CHECK(text.status == 0);
  CHECK(text.err == "");
  for (const char* const part :
       {"system      debian 12", "Package files that differ", "Secrets: 0", "runs-unprivileged"})
    CHECK(contains(text.out, part));
  const Json json = parse_json(run({"inspect", image, "-o", "json"}).out);
  CHECK(json["verb"] == "inspect");
  CHECK(json["system"]["id"] == "debian");
  CHECK(json["checks_failed"] > 0);
  CHECK(json["policies"] == Json::array({"debian-baseline", "image-secrets"}));

  const Finished broken = run({"inspect", run.image("broken", broken_packages)});
  CHECK(broken.status == 2);
  CHECK(contains(broken.out, "not to be trusted"));
  CHECK(run({"inspect", run.path("nowhere")}).status == 3);
  CHECK(run({"inspect"}).status == 2);
  CHECK(run({"inspect", image, "-p", "no-such-policy"}).status == 2);
  const Finished own = run({"inspect", image, "-p", "image-secrets", "-o", "json"});
  CHECK(parse_json(own.out)["policies"] == Json::array({"image-secrets"}));
  const Finished page = run({"inspect", image, "-o", "html=page.html"});
  INFO(page.err);
  CHECK(page.status == 0);
  CHECK(page.out == "");
  const std::string html = read_file(run.path("work/page.html"), 8 << 20);
  for (const char* const part :
       {"Made by ocilint inspect", "debian 12", "Where the bytes are", "runs-unprivileged", "i0-layer0"})
    CHECK(contains(html, part));
  CHECK(run({"inspect", run.image("broken", broken_packages), "-o", "html=page.html"}).status == 2);
  CHECK(contains(read_file(run.path("work/page.html"), 8 << 20), "not to be trusted"));
  CHECK(run({"inspect", image, "-o", "html="}).status == 2);
  CHECK(run({"ls", image, "-o", "html=page.html"}).status == 2);
  run.output = Program::Output::full;
  CHECK(run({"inspect", image}).status == 2);
}

TEST_CASE("elf: 0 shown, 2 no such file or not to be told, 3 no image") {
  Program run;
  const std::string image = run.image("image", old_image);
  CHECK(run({"elf", image, "/usr/bin/none"}).status == 2);
  CHECK(contains(run({"elf", image, "/usr/bin/none"}).err, "never in the image"));
  CHECK(run({"elf", image, "/etc"}).status == 2);
  CHECK(run({"elf", image}).status == 2);
  CHECK(run({"elf", image, "/usr/bin/tool", "--symbols", "("}).status == 2);
  CHECK(run({"elf", image, "/usr/bin/tool", "--cpu-level", "9"}).status == 2);
  CHECK(run({"elf", run.path("nowhere"), "/x"}).status == 3);
  const Finished script = run({"elf", image, "/usr/bin/tool"});
  INFO(script.out << script.err);
  CHECK((script.status == 0 || script.status == 2));
  CHECK_FALSE(contains(script.out + script.err, "internal error"));
}

TEST_CASE("packages: 0 shown, 2 no such package, 3 no image; a database that cannot be read is never 0") {
  Program run;
  const std::string image = run.image("packages", with_packages);
  CHECK(run({"packages", image}).status == 0);
  CHECK(run({"packages", image, "--files", "a"}).status == 0);
  CHECK(run({"packages", image, "--why", "a"}).status == 0);
  CHECK(run({"packages", image, "--why", "b"}).status == 2);
  CHECK(run({"packages", image, "--files", "b"}).status == 2);
  CHECK(run({"packages", image, "--files", "a", "--why", "a"}).status == 2);
  CHECK(run({"packages", run.image("broken", broken_packages)}).status >= 2);
  CHECK(run({"packages", run.path("nowhere")}).status == 3);
  CHECK(run({"packages", run.image("none", old_image)}).status == 0);
}

TEST_CASE("diff: 0 no difference, 1 some, 2 a wrong call, 3 no image on either side") {
  Program run;
  const std::string old = run.image("old", old_image), fresh = run.image("new", new_image);
  CHECK(run({"diff", old, old}).status == 0);
  const Finished some = run({"diff", old, fresh});
  CHECK(some.status == 1);
  CHECK(contains(some.out, "/etc/a"));
  const Finished page = run({"diff", old, fresh, "-o", "html=diff.html"});
  CHECK(page.status == 1);
  const std::string html = read_file(run.path("work/diff.html"), 8 << 20);
  for (const char* const part : {"Layers before", "Layers after", "/etc/a", "d-a-layer0"}) CHECK(contains(html, part));
  CHECK(run({"diff", old}).status == 2);
  CHECK(run({"diff", run.path("nowhere"), fresh}).status == 3);
  CHECK(run({"diff", old, run.path("nowhere")}).status == 3);
  run.output = Program::Output::full;
  CHECK(run({"diff", old, old}).status == 2);
}

TEST_CASE("limits and the time of a verb that looks: 3, and it says which") {
  Program run;
  const std::string image = run.image("image", old_image);
  const Finished entries = run({"ls", image, "--max-entries", "1"});
  CHECK(entries.status == 3);
  CHECK(contains(entries.err, "--max-entries"));
  const Finished layer = run({"cat", image, "/etc/a", "--max-layer", "512"});
  CHECK(layer.status == 3);
  CHECK(contains(layer.err, "--max-layer"));
  CHECK(run({"ls", image, "--timeout", "60"}).status == 0);
  run.stalled = true;
  const Finished stuck = run({"ls", "-", "--timeout", "1"});
  CHECK(stuck.status == 3);
  CHECK(contains(stuck.err, "--timeout"));
}

TEST_CASE("explain: a rule, a check, a check of a file; a mistyped one gets the nearest") {
  Program run;
  CHECK(contains(run({"explain", "same-file"}).out, "# same-file"));
  const Finished check = run({"explain", "debian-baseline/known-setuid"});
  CHECK(check.status == 0);
  for (const char* const part :
       {"# debian-baseline/known-setuid", "Rule setuid-files", "allow: /usr/bin/passwd, /usr/bin/su", "# setuid-files"})
    CHECK(contains(check.out, part));
  // In two shipped policies: both are shown, and the page of their rule once.
  const Finished both = run({"explain", "no-secrets"});
  CHECK(contains(both.out, "# debian-baseline/no-secrets"));
  CHECK(contains(both.out, "# image-secrets/no-secrets"));
  CHECK(both.out.find("\n# history-secrets") == both.out.rfind("\n# history-secrets"));
  const std::string own = run.file("house.yaml", two_checks);
  const Finished of_file = run({"explain", "modes", "-p", own});
  CHECK(contains(of_file.out, "deny: o+w"));
  CHECK(contains(of_file.out, "house.yaml:"));
  const Finished wrong = run({"explain", "same-fiel"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "same-file"));
  CHECK(run({"explain", "same-file", "-p", own}).status == 2);
}

TEST_CASE("cat: a file of more than 64 MiB goes to a pipe whole") {
  Program run;
  TestImage image;
  test::TarWriter tar;
  const std::string big((70u << 20) + 3, 'x');
  tar.file("big", big);
  tar.file("small", "s");
  image.layer_tars.push_back(tar.finish());
  image.created_by.push_back("COPY big /");
  const std::string reference = write_oci_layout(image, run.path("big"), "gzip");
  const Finished whole = run({"cat", reference, "/big"});
  CHECK(whole.status == 0);
  const bool same = whole.out == big;
  CHECK(same);
  const Finished json = run({"cat", reference, "/big", "-o", "json"});
  CHECK(json.status == 3);
  CHECK(json.out == "");
  run.output = Program::Output::full;
  CHECK(run({"cat", reference, "/big"}).status == 2);
  CHECK(run({"cat", reference, "/small"}).status == 2);
}
