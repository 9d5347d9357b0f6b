// What the rules about plain files were given for markers, records and layers below.
#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
using Lines = std::vector<std::string>;

namespace {

Lines run(const std::string& rule, const std::string& with, const std::string& layers) {
  const ImageResult result = run_on(describe_image("layers: [" + layers + "]"), run_options(policy_of(rule, with)));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return lines_of(*check);
}

}  // namespace

TEST_CASE("file: every line of a list, and how many") {
  const std::string list = "{files: {/m: \"liba.so.1\\nlibb.so.7\\n\", /n: \"liba.so.1\\nother\"}}";
  const std::string form = "lines: '^lib[^/]+\\.so\\.[0-9]+$'";
  CHECK(run("file", "{file: /m, " + form + ", line_count: 2}", list) == Lines{"pass"});
  CHECK(run("file", "{file: /n, " + form + "}", list) == Lines{"content /n"});
  CHECK(run("file", "{file: /m, line_count: 3}", list) == Lines{"content /m"});
}

TEST_CASE("file: several patterns, and patterns that must not match") {
  const std::string record = "{files: {/r: \"A: 0a\\nB: img@sha256:00\\nC:\\n\"}}";
  CHECK(run("file", "{file: /r, content: ['^A: [0-9a-f]+$', '@sha256:'], without: [':latest'], keys: [A, B]}",
            record) == Lines{"pass"});
  CHECK(run("file", "{file: /r, content: ['^A: [0-9a-f]+$', '^D:']}", record) == Lines{"content /r"});
  CHECK(run("file", "{file: /r, without: ['@sha256']}", record) == Lines{"content /r"});
  CHECK(run("file", "{file: /r, keys: [A, C, D]}", record) == Lines{"content /r", "content /r"});
}

TEST_CASE("file: each pattern is a promise") {
  const std::string two = "{files: {/x/bin/a: b}, directories: [/x/lib]}";
  CHECK(run("file", "{files: [/x/bin, /x/lib, /x/share], type: directory}", two) == Lines{"pass"});
  CHECK(run("file", "{files: [/x/bin, /x/lib, /x/share], each: true}", two) == Lines{"missing /x/share"});
  CHECK(run("file", "{files: [/x/bin, /x/lib], each: true, non_empty: true}", two) == Lines{"empty /x/lib"});
}

TEST_CASE("file: sizes and digests that must not be") {
  const std::string file = "{files: {/f: stock}}";
  CHECK(run("file", "{file: /f, max_size: 5}", file) == Lines{"pass"});
  CHECK(run("file", "{file: /f, max_size: 4}", file) == Lines{"size /f"});
  const std::string digest = Digest::sha256_of("stock").hex(), other = Digest::sha256_of("mine").hex();
  CHECK(run("file", "{file: /f, not_sha256: [" + digest + "]}", file) == Lines{"digest /f"});
  CHECK(run("file", "{file: /f, not_sha256: [" + other + "]}", file) == Lines{"pass"});
}

TEST_CASE("file-absent: layers below are looked at when asked") {
  const std::string layers =
      "{files: {/usr/bin/tool: x, /k: key, /h: key}, hardlinks: {/g: /h}}, "
      "{remove: [/usr/bin/tool, /g, /h], files: {/k: other}}";
  CHECK(run("file-absent", "{files: [/usr/bin/tool]}", layers) == Lines{"pass"});
  CHECK(run("file-absent", "{files: [/usr/bin/tool], in_any_layer: true}", layers) == Lines{"hidden /usr/bin/tool"});
  CHECK(run("file-absent", "{files: [/k], in_any_layer: true, matching: key}", layers) == Lines{"hidden /k"});
  CHECK(run("file-absent", "{files: [/k], in_any_layer: true}", layers) == Lines{"present /k"});
  CHECK(run("file-absent", "{files: [/g], in_any_layer: true, matching: key}", layers) == Lines{"hidden /g"});
  CHECK(run("file-absent", "{files: [/none, '/usr/**/tool2'], in_any_layer: true}", layers) == Lines{"pass"});
}

TEST_CASE("file-absent: names through a link are found in the layers below") {
  const std::string layers = "{files: {/opt/x-1/secret: x}, links: {/opt/x: x-1}}, {remove: [/opt/x-1/secret]}";
  CHECK(run("file-absent", "{files: [/opt/x/secret], in_any_layer: true}", layers) == Lines{"hidden /opt/x-1/secret"});
}

TEST_CASE("same-file: the number of hard links") {
  const std::string layers = "{files: {/l/a.1: x}, hardlinks: {/l/a: /l/a.1, /backup: /l/a.1}}";
  CHECK(run("same-file", "{files: [/l/*], links: 3}", layers) == Lines{"pass"});
  CHECK(run("same-file", "{files: [/l/*], links: 2}", layers) == Lines{"links /l/a"});
}

TEST_CASE("file: the pattern of a target is of links only, and of the whole target") {
  const auto lines = [](const std::string& with, const std::string& image) {
    const ImageResult result = run_on(describe_image(image), run_options(policy_of("file", with)));
    REQUIRE_FALSE(result.unreadable);
    return lines_of(*find_check(result, "tested"));
  };
  const std::string image =
      "layers: [{files: {/l/a.so.1.0: x, /etc/alternatives/a: x}, links: {/l/a.so.1: a.so.1.0, "
      "/l/b: /etc/alternatives/a, /l/c: ../l/a.so.1.0, /l/d: \"/x\\ny\", /l/e: gone}}]";
  using Lines = std::vector<std::string>;
  CHECK(lines("{files: ['/l/*'], target_pattern: '^[^/]+$'}", image) ==
        Lines{"target /l/b", "target /l/c", "target /l/d"});
  CHECK(lines("{files: ['/l/*'], target_pattern: '^([^/]|/etc/alternatives/)'}", image) == Lines{"target /l/d"});
  CHECK(lines("{files: ['/l/a*'], type: symlink, target_pattern: '^[^/]+$'}", image) == Lines{"type /l/a.so.1.0"});
  CHECK(lines("{file: /l/e, target_pattern: '^[^/]+$', dangling: false}", image) == Lines{"dangling /l/e"});
}
