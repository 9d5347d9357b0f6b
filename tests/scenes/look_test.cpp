// What the verbs that look print about scenes of real parts. Digests, sizes, shares and Debian's point releases are
// taken out: they change with the packages that the scenes are made of.
// To accept new texts: OCILINT_APPROVE=1 ctest -R ^scenes
#include <catch2/catch.hpp>

#include <cctype>
#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "cli/program.h"
#include "support/places.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

bool is_any_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// Where a run of these bytes that begins at `at` ends.
std::size_t run_end(const std::string& text, std::size_t at, std::string_view set) {
  while (at < text.size() && is_any_of(text[at], set)) ++at;
  return at;
}

std::string masked(const std::string& text) {
  constexpr std::string_view hex = "0123456789abcdef", digits = "0123456789.";
  constexpr std::size_t shortest_digest = 12;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    if (const std::size_t end = run_end(text, at, hex); begins && end - at >= shortest_digest) {
      out += "HEX";
      at = end;
    } else if (const std::size_t number = run_end(text, at, digits); begins && number > at) {
      bool size = false;
      for (const std::string_view unit : {" B", " KiB", " MiB", " bytes", " %", " names", " name", " months", " years"})
        if (!size && text.compare(number, unit.size(), unit) == 0) {
          // So does the margin of a column of numbers that begins a line.
          if (const std::size_t last = out.find_last_not_of(' '); last == std::string::npos || out[last] == '\n')
            out.resize(last == std::string::npos ? 0 : last + 1);
          out += "N" + std::string(unit);
          at = number + unit.size();
          size = true;
        }
      if (!size) {
        out += text.substr(at, number - at);
        at = number;
      }
    } else if (text.compare(at, 6, "+deb12") == 0) {
      out += "+deb12uN";
      at = run_end(text, at + 7, "0123456789");
    } else if (text[at] == ' ' && !out.empty() && out.back() == ' ' && out.find_last_not_of(' ') != std::string::npos &&
               out[out.find_last_not_of(' ')] != '\n') {
      ++at;  // columns are as wide as what was masked
    } else {
      out += text[at++];
    }
  }
  return out;
}

struct Call {
  std::string name;  // of the approved file
  std::vector<std::string> words;
  int status = 0;
};

const std::string gone = "oci:libdw1-removed-vllm", kept = "oci:libdw1-kept-vllm", back = "oci:reverted",
                  swapped = "oci:swap-done-right";
const std::string lib = "/opt/rocm-7.2.4/lib";

const std::vector<Call> calls = {
    {"inspect_gone", {"inspect", gone}},
    {"inspect_back", {"inspect", back, "-p", "rocm-ordering-edge", "-p", "image-secrets"}},
    {"history_gone", {"history", gone}},
    {"layers_back", {"layers", back}},
    {"ls_back", {"ls", back, lib}},
    {"stat_back", {"stat", back, "/opt/rocm/lib/libhsa-runtime64.so.1"}},
    {"find_back", {"find", back, "/opt/**", "--layer", "3"}},
    {"cat_gone", {"cat", gone, "/app/versions.txt"}},
    {"blame_gone", {"blame", gone, "/usr/lib/x86_64-linux-gnu/libdw.so.1"}},
    {"blame_back", {"blame", back, lib + "/libhsa-runtime64.so.1.18.70204"}},
    {"packages_back", {"packages", back}},
    {"why_gone", {"packages", gone, "--why", "libdw1"}},
    {"why_kept", {"packages", kept, "--why", "libdw1"}},
    {"elf_gone", {"elf", gone, "/opt/rocm/lib/librocprofiler-sdk.so.1"}},
    {"elf_tree", {"elf", gone, "/usr/local/lib/python3.12/dist-packages/torch/lib/libtorch_cpu.so", "--tree"}},
    {"diff_back", {"diff", swapped, back}, 1},
};

}  // namespace

TEST_CASE("masking takes out what a rebuild of the scenes changes, and no more") {
  CHECK(masked("x 0123456789abcdef y") == "x HEX y");
  CHECK(masked("7 layers, 713.2 KiB") == "7 layers, N KiB");
  CHECK(masked("base-files 12.4+deb12u15 x") == "base-files 12.4+deb12uN x");
  CHECK(masked("  a    b\n    c") == "  a b\n    c");
  CHECK(masked("a\n   14.1 KiB  /x\n10 months ago") == "a\nN KiB /x\nN months ago");
}

TEST_CASE("verbs that look print of the scenes what was approved") {
  const char* const folder = std::getenv("OCILINT_SCENES");
  if (folder == nullptr) {
    WARN("skipped: OCILINT_SCENES names no folder; ctest sets it");
    return;
  }
  Program run;
  run.where = std::string(folder) + "/images";
  for (const Call& call : calls) {
    const Finished got = run(call.words);
    INFO(call.name << ": " << got.err);
    CHECK(got.status == call.status);
    CHECK(got.err == "");
    const std::string text = masked(got.out),
                      path = std::string(test::source_dir) + "/testdata/approved/scenes/" + call.name + ".txt";
    if (std::getenv("OCILINT_APPROVE") != nullptr) std::ofstream(path, std::ios::binary) << text;
    CHECK(text == read_file(path, 1u << 20));
  }
}
