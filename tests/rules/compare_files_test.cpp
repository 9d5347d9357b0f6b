#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

using Lines = std::vector<std::string>;
const Lines pass{"pass"};

CheckResult checked(const std::string& with, const std::string& layers, const std::string& base) {
  const ImageResult result =
      run_on(describe_image("{layers: [" + layers + "], others: {base: {layers: [" + base + "]}}}"),
             run_options(policy_of("compare-files", "{other: base, " + with + "}")));
  INFO((result.unreadable ? result.unreadable->what() : ""));
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return *check;
}

Lines found(const std::string& with, const std::string& layers, const std::string& base) {
  return lines_of(checked(with, layers, base));
}

}  // namespace

TEST_CASE("compare-files: equal") {
  const std::string all = "equal: [/l/**]", base = "{files: {/l/a: one, /l/d/b: two}, links: {/l/s: a}}";
  CHECK(found(all, base, base) == pass);
  CHECK(found(all, base + ", {files: {/app: x}}", base) == pass);
  CHECK(found(all, base + ", {files: {/l/a: ONE}}", base) == Lines{"content /l/a", "content /l/s"});
  CHECK(found(all, base + ", {files: {/l/a: longer}}", base) == Lines{"content /l/a", "content /l/s"});
  CHECK(found(all, base + ", {remove: [/l/d/b]}", base) == Lines{"missing /l/d/b"});
  CHECK(found(all, base + ", {files: {/l/new: x}}", base) == Lines{"added /l/new"});
  CHECK(found(all + ", allow_added: true", base + ", {files: {/l/new: x}}", base) == pass);
  CHECK(found(all, base + ", {links: {/l/s: ./a}}", base) == Lines{"target /l/s"});
  CHECK(found(all, base + ", {files: {/l/s: one}}", base) == Lines{"type /l/s"});
  CHECK(found(all, base + ", {files: {/l/d: x}}", base) == Lines{"missing /l/d/b", "type /l/d"});
  // Written again with the same bytes: it is another entry, and equal.
  CHECK(found(all, base + ", {files: {/l/a: one}}", base) == pass);
  CHECK(found("equal: [/l/a]", "{files: {/l/a: {content: one, mode: '755'}}}", "{files: {/l/a: one}}") == pass);
  CHECK(found("equal: [/l/a], mode: true", "{files: {/l/a: {content: one, mode: '755'}}}", "{files: {/l/a: one}}") ==
        Lines{"mode /l/a"});
  CHECK(found("equal: [/l/a], mode: true", "{files: {/l/a: {content: one, owner: '1:0'}}}", "{files: {/l/a: one}}") ==
        Lines{"mode /l/a"});
}

TEST_CASE("compare-files: the finding names the layer, its history line and both digests") {
  const CheckResult check = checked(
      "equal: [/l/a]", "{run: FROM, files: {/l/a: one}}, {run: RUN apt, files: {/l/a: ONE}}", "{files: {/l/a: one}}");
  REQUIRE(check.findings.size() == 1);
  CHECK(check.findings[0].finding.layer == 1u);
  CHECK(check.findings[0].created_by == "RUN apt");
  CHECK(check.findings[0].finding.details == Lines{"here: 3 bytes, " + Digest::sha256_of("ONE").text(),
                                                   "base: 3 bytes, " + Digest::sha256_of("one").text()});
}

TEST_CASE("compare-files: links in folders are followed in each image by itself") {
  CHECK(found("equal: [/opt/p/lib/*]", "{files: {/opt/p-2/lib/a: x}, links: {/opt/p: p-2}}",
              "{files: {/opt/p-1/lib/a: x}, links: {/opt/p: p-1}}") == pass);
  CHECK(found("equal: [/opt/p/lib/*]", "{files: {/opt/p-2/lib/a: y}, links: {/opt/p: p-2}}",
              "{files: {/opt/p-1/lib/a: x}, links: {/opt/p: p-1}}") == Lines{"content /opt/p/lib/a"});
  // A content that no pattern foresaw is read in a second pass, of either image.
  CHECK(found("equal: [/v]", "{files: {/x/1: same}, links: {/v: x/1}}", "{files: {/x/1: same}, links: {/v: x/1}}") ==
        pass);
  CHECK(found("equal: [/v]", "{files: {/x/1: same}, links: {/v: x/1}}", "{files: {/x/1: none}, links: {/v: x/1}}") ==
        Lines{"content /v"});
  CHECK(found("equal: [/v]", "{links: {/v: gone}}", "{links: {/v: gone}}") == pass);
  CHECK(found("equal: [/v]", "{links: {/v: gone}}", "{links: {/v: gone}, files: {/gone: x}}") == Lines{"type /v"});
}

TEST_CASE("compare-files: a folder that equal names stands for what is below it") {
  const std::string base = "{files: {/opt/p-1/lib/a: one, /opt/p-1/lib/d/b: two}, links: {/opt/p: p-1}}";
  for (const std::string folder : {"/opt/p", "/opt/p-1", "/opt/p/lib"}) {
    CAPTURE(folder);
    const std::string with = "equal: [" + folder + "]";
    CHECK(found(with, base, base) == pass);
    const Lines changed = found(with, base + ", {files: {/opt/p-1/lib/d/b: TWO}}", base);
    REQUIRE(changed.size() == 1);
    CHECK(changed[0] == "content " + folder + (folder == "/opt/p/lib" ? "/d/b" : "/lib/d/b"));
    CHECK(found(with, base + ", {files: {/opt/p-1/lib/new: x}}", base).size() == 1);
    CHECK(found(with, base + ", {remove: [/opt/p-1/lib/d/b]}", base).size() == 1);
  }
  const std::string here = "{files: {/opt/p: x}}";
  CHECK(found("equal: [/opt/p]", here, base).front() == "missing /opt/p/lib");
  CHECK(found("equal: [/]", base + ", {files: {/etc/new: x}}", base) == Lines{"added /etc"});
  // A pattern says how deep it goes.
  CHECK(found("equal: ['/opt/p/*']", base + ", {files: {/opt/p-1/lib/d/b: TWO}}", base) == pass);
}

TEST_CASE("compare-files: present") {
  const std::string base = "{files: {/l/x.so.1.0: a, /l/x.so.1.1: b}, links: {/l/x.so.1: x.so.1.1, /l/x.so.0: gone}}";
  const std::string names = "present: ['/l/x.so.*']";
  CHECK(found(names, base, base) == pass);
  CHECK(found(names, "{files: {/l/x.so.1: new}, links: {/l/x.so.1.0: x.so.1, /l/x.so.1.1: x.so.1, /l/x.so.0: gone}}",
              base) == pass);
  CHECK(found(names, base + ", {remove: [/l/x.so.1.0]}", base) == Lines{"missing /l/x.so.1.0"});
  CHECK(found(names, base + ", {links: {/l/x.so.1.0: nowhere}}", base) == Lines{"missing /l/x.so.1.0"});
  const CheckResult check = checked(names, base + ", {run: RUN rm, remove: [/l/x.so.1.0]}", base);
  CHECK(check.findings.at(0).created_by == "RUN rm");
}

TEST_CASE("compare-files: absent") {
  const std::string base = "{files: {/opt/tool/a: x, /opt/tool/b: y}}";
  CHECK(found("absent: [/opt/tool/*]", base + ", {remove: [/opt/tool]}", base) == pass);
  CHECK(found("absent: [/opt/tool/*]", base + ", {remove: [/opt/tool/a]}", base) == Lines{"present /opt/tool/b"});
  CHECK(found("absent: [/opt/none/*]", base, base) == Lines{"missing /opt/none/*"});
}

TEST_CASE("compare-files: different") {
  const std::string base = "{files: {/l/a: stock}}";
  CHECK(found("different: [/l/a]", base + ", {files: {/l/a: patched}}", base) == pass);
  CHECK(found("different: [/l/a]", base + ", {files: {/l/a: STOCK}}", base) == pass);
  CHECK(found("different: [/l/a]", base, base) == Lines{"same /l/a"});
  // A fresh time is no other content.
  CHECK(found("different: [/l/a]", base + ", {files: {/l/a: stock}}", base) == Lines{"same /l/a"});
  CHECK(found("different: [/l/a]", base + ", {remove: [/l/a]}", base) == Lines{"missing /l/a"});
  CHECK(found("different: [/l/a]", base + ", {links: {/l/a: b}, files: {/l/b: stock}}", base) == Lines{"same /l/a"});
  CHECK(found("different: [/l/none]", base, base) == Lines{"missing /l/none"});
}

TEST_CASE("compare-files: a set that matches nothing is a finding unless it may") {
  for (const std::string list : {"equal", "present", "absent", "different"}) {
    CHECK(found(list + ": [/none/*]", "{files: {/a: x}}", "{files: {/a: x}}") == Lines{"missing /none/*"});
    CHECK(found(list + ": [/none/*], allow_empty: true", "{files: {/a: x}}", "{files: {/a: x}}") == pass);
  }
  CHECK(found("mode: true", "{files: {/a: x}}", "{files: {/a: x}}").front().starts_with("error"));
}

TEST_CASE("compare-files: many of one kind below one folder are one finding") {
  std::string files, other;
  for (int i = 0; i < 50; ++i) {
    files += "/opt/lib/f" + std::to_string(i) + ": x, ";
    other += "/opt/lib/f" + std::to_string(i) + ": y, ";
  }
  const std::string base = "{files: {" + files + "/etc/a: x}}";
  const CheckResult gone = checked("equal: [/**]", base + ", {run: RUN rm, remove: [/opt]}", base);
  Lines lines = lines_of(gone);
  CHECK(lines == Lines{"missing /opt"});
  CHECK(gone.findings[0].finding.details == Lines{"with 51 names below it"});
  CHECK(gone.findings[0].created_by == "RUN rm");
  const CheckResult changed = checked("equal: [/**]", base + ", {files: {" + other + "/etc/a: x}}", base);
  CHECK(lines_of(changed) == Lines{"content /opt/lib"});
  CHECK(changed.findings[0].finding.message == "50 names below it: other content");
  CHECK(changed.findings[0].finding.details.size() == 6);
}
