// elf-needed by the name of a Python distribution, through the whole pipeline.
#include <catch2/catch.hpp>

#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
using Lines = std::vector<std::string>;

namespace {

Lines ask(const std::string& with) {
  const TestImage image = describe_image(R"(layers:
- files:
    /opt/venv/lib/python3.12/site-packages/torch-2.9.dist-info/METADATA: "Name: torch\nVersion: 2.9\n\n"
    /opt/venv/lib/python3.12/site-packages/torch-2.9.dist-info/RECORD: "torch/_C.so,,\ntorch/lib/libc10.so,,\ntorch/x.py,,\n"
    /opt/venv/lib/python3.12/site-packages/torch/_C.so: "no ELF file"
    /opt/venv/lib/python3.12/site-packages/six-1.dist-info/METADATA: "Name: six\nVersion: 1\n\n"
    /opt/venv/lib/python3.12/site-packages/six-1.dist-info/RECORD: "six.py,,\n"
    /opt/venv/lib/python3.12/site-packages/old-1.egg-info: "Name: old\nVersion: 1\n\n"
- run: RUN strip
  files: {/opt/venv/lib/python3.12/site-packages/torch/lib/libc10.so: x}
- run: RUN rm
  remove: [/opt/venv/lib/python3.12/site-packages/torch/lib/libc10.so]
)");
  const ImageResult result = run_on(image, run_options(policy_of("elf-needed", with)));
  REQUIRE_FALSE(result.unreadable);
  const CheckResult* const check = find_check(result, "tested");
  REQUIRE(check != nullptr);
  return lines_of(*check);
}

}  // namespace

TEST_CASE("elf-needed: the shared objects of a distribution are there, and are some") {
  const std::string site = "/opt/venv/lib/python3.12/site-packages/";
  const Lines found = ask("{distribution: [Torch]}");
  CHECK(std::ranges::find(found, "missing " + site + "torch/lib/libc10.so") != found.end());
  CHECK(std::ranges::find(found, "not-elf " + site + "torch/_C.so") != found.end());
  CHECK(found.size() == 2);
  CHECK(ask("{distribution: [six]}") == Lines{"missing " + site + "six-1.dist-info"});
  CHECK(ask("{distribution: [vllm]}") == Lines{"missing vllm"});
  CHECK(ask("{distribution: [old]}").front().starts_with("error old 1 has no RECORD"));
}
