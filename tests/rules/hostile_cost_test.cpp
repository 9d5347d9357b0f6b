// What a hostile image can make long must not be looked through once for each name that is asked for. The limits are
// generous: seconds of processor time where one look a name takes milliseconds, and a look at all of them minutes.
#include <catch2/catch.hpp>

#include <elf.h>

#include <ctime>

#include "check/ldconfig_simulation.h"
#include "check/loader_system.h"
#include "check/python_abi.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

constexpr double seconds_allowed = 3;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A loader cache whose entries all say one name, none of them for this machine but the last.
std::string cache_of_one_name(std::uint32_t count) {
  std::string out = "glibc-ld.so.cache1.1";
  const auto put = [&](std::uint64_t value, unsigned width) {  // little-endian, any width
    for (unsigned i = 0; i < width; ++i, value >>= 8) out += static_cast<char>(value & 0xffU);
  };
  const std::string strings = std::string("libx.so.1") + '\0' + "/l/libx.so.1" + '\0';
  put(count, 4);
  put(strings.size(), 4);
  put(2, 4);  // little-endian
  put(0, 4);
  put(0, 12);
  const std::uint32_t at = 48 + count * 24;
  for (std::uint32_t i = 0; i < count; ++i) {
    put(i + 1 == count ? 0x0303 : 0x0a03, 4);
    put(at, 4);
    put(at + 10, 4);
    put(0, 4);
    put(0, 8);
  }
  return out + strings;
}

}  // namespace

TEST_CASE("many entries of one name in ld.so.cache are not looked through for every look-up") {
  constexpr std::uint32_t count = 150'000;
  const std::string text = cache_of_one_name(count);
  const LdSoCache cache = LdSoCache::parse(as_bytes(text));
  double start = processor_seconds();
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < count; ++i) found += cache.find("libx.so.01").size() == count;
  CHECK(found == count);
  CHECK(processor_seconds() - start < seconds_allowed);

  ToyImage image;
  image.layer("FROM").raw().file("/etc/ld.so.cache", text).file("/prog", "x");
  Params with(rule_of("elf-needed").doc.params);
  with.set("file", paths({"/prog"}));
  LoaderSystem system(image.view("elf-needed", with), {});
  ElfFacts program;
  program.kind = ElfKind::elf;
  program.elf_class = ElfClass::elf64;
  program.machine = EM_X86_64;
  program.type = ET_DYN;
  program.interp = "/lib64/ld-linux-x86-64.so.2";
  const SystemLoader& loader = system.loader_for(program);
  const LoaderMachine* const machine = find_machine(EM_X86_64, ElfClass::elf64);
  REQUIRE(machine != nullptr);
  start = processor_seconds();
  for (std::uint32_t i = 0; i < count; ++i) {
    const LdSoCache::Entry* const entry = system.cached("libx.so.1", loader, machine);
    if (entry == nullptr || entry->flags != 0x0303) FAIL("the entry of this machine is not found");
  }
  CHECK(processor_seconds() - start < seconds_allowed);
}

TEST_CASE("many directories of ldconfig are not looked through for every directory that is asked for") {
  constexpr std::size_t count = 60'000;
  LayerBuilder layer;
  std::vector<LdSoConfDirectory> directories;
  for (std::size_t i = 0; i < count; ++i) {
    directories.push_back({"/some/where/in/the/image/d" + std::to_string(i), "/etc/ld.so.conf", i + 1});
    layer.dir(directories.back().path);
  }
  const LayerIndex index = layer.build();
  const MergedTree tree = MergedTree::build(pointers_to(index), View::overlay);
  const ElfFacts none;
  const LdconfigSimulation simulation =
      simulate_ldconfig(tree, directories, {}, [&](InodeId) -> const ElfFacts& { return none; });
  REQUIRE(simulation.directories.size() == count);
  const double start = processor_seconds();
  for (const LdSoConfDirectory& directory : directories) {
    const LdconfigDirectory* const found = simulation.find(directory.path);
    if (found == nullptr || found->path != directory.path) FAIL(directory.path << " is not found");
  }
  CHECK(simulation.find("/elsewhere") == nullptr);
  CHECK(processor_seconds() - start < seconds_allowed);
}

TEST_CASE("many extension modules of two interpreters in one folder") {
  constexpr int count = 40'000;
  ToyImage image;
  LayerBuilder& layer = image.layer("FROM").raw();
  const std::string site = "/usr/lib/python3/dist-packages";
  for (int i = 0; i < count; ++i) {
    const std::string stem = site + "/package/module_with_a_name_" + std::to_string(i);
    layer.file(stem + ".cpython-312-x86_64-linux-gnu.so");
    layer.file(stem + (i == 7 ? "_too" : "") + ".cpython-311-x86_64-linux-gnu.so");
  }
  const ImageView& view = image.view("python-dists", Params(rule_of("python-dists").doc.params));
  const double start = processor_seconds();
  const PythonModules found = find_modules(view, site, {"3.12"});
  CHECK(processor_seconds() - start < seconds_allowed);
  CHECK(found.tagged == 2 * count);
  REQUIRE(found.foreign.size() == 1);
  CHECK(found.foreign[0].files ==
        std::vector<std::string>{site + "/package/module_with_a_name_7_too.cpython-311-x86_64-linux-gnu.so"});
}
