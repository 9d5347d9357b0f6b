#include "look/command_text.h"

#include <catch2/catch.hpp>

using namespace ocilint;

namespace {

std::string instruction_of(std::string_view line) { return parse_command(line).instruction; }
std::string text_of(std::string_view line) { return parse_command(line).text(); }
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("history lines of every builder become the instruction that was written") {
  CHECK(text_of("/bin/sh -c #(nop)  ENV API=x y Z=q") == "ENV API=x y Z=q");
  CHECK(text_of("/bin/sh -c #(nop) COPY file:0123 in /dst ") == "COPY file:0123 in /dst");
  CHECK(text_of("/bin/busybox sh -c #(nop)  SHELL [/bin/busybox sh -c]") == "SHELL [/bin/busybox sh -c]");
  CHECK(text_of("cmd /S /C #(nop)  CMD [\"c:\\\\windows\\\\system32\\\\cmd.exe\"]") ==
        "CMD [\"c:\\\\windows\\\\system32\\\\cmd.exe\"]");
  CHECK(text_of("/bin/sh -c apt-get update") == "RUN apt-get update");
  CHECK(text_of("RUN /bin/bash -o pipefail -c make # buildkit") == "RUN make");
  CHECK(text_of("RUN /bin/bash -euxo pipefail -c make # buildkit") == "RUN make");
  CHECK(text_of("COPY --chown=1:1 src /dst # buildkit") == "COPY --chown=1:1 src /dst");
  CHECK(text_of("RUN npm ci") == "RUN npm ci");
  CHECK(text_of("bazel build //label") == "bazel build //label");
  CHECK(text_of("ko build ko://import/path") == "ko build ko://import/path");
  CHECK(instruction_of("bazel build //label").empty());
  CHECK(instruction_of("CMDX x").empty());
  CHECK(text_of("").empty());
  CHECK(text_of(" \n ").empty());
}

TEST_CASE("build arguments stand apart from what ran") {
  for (const char* const line : {"|2 A=b c D= /bin/sh -c make all", "RUN |2 A=b c D= /bin/sh -c make all # buildkit"}) {
    const Command command = parse_command(line);
    CHECK(command.instruction == "RUN");
    CHECK(command.arguments == "A=b c D=");
    CHECK(command.lines == Lines{"make all"});
  }
  CHECK(parse_command("|0 /bin/bash -o pipefail -c x").arguments.empty());
  CHECK(text_of("|0 /bin/bash -o pipefail -c x") == "RUN x");
  CHECK(text_of("RUN |1 A=b without a shell # buildkit") == "RUN |1 A=b without a shell");
}

TEST_CASE("a RUN is broken at && and at line ends, not within quotes or parentheses") {
  CHECK(parse_command("/bin/sh -c a   \t b  &&  c 'd && e' \"f && g\" && (h && i) || j").lines ==
        Lines{"a b", "&& c 'd && e' \"f && g\"", "&& (h && i) || j"});
  CHECK(parse_command("RUN /bin/sh -c one\n two\n # buildkit").lines == Lines{"one", "two"});
  CHECK(parse_command("RUN a \\\n b").lines == Lines{"a b"});
  CHECK(parse_command("RUN a \\&& b").lines == Lines{"a \\&& b"});
  CHECK(parse_command("CMD [\"a && b\"] && c").lines == Lines{"[\"a && b\"] && c"});
  CHECK(parse_command("RUN it's && b").lines == Lines{"it's && b"});
  CHECK(parse_command("RUN a && && b").lines == Lines{"a", "&&", "&& b"});
}

TEST_CASE("no bytes of a line get lost but blanks, and long lines take no long time") {
  std::string line = "|9 ";
  for (int i = 0; i < 200'000; ++i) line += "A=b ";
  CHECK(parse_command(line).arguments.empty());
  const std::string odd = std::string("a") + '\0' + "b\x1b[2J\xff && ) c";
  CHECK(text_of("/bin/sh -c " + odd) == "RUN " + odd);
}
