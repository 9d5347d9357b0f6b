// Every ELF file of a real root against the machine's own ld.so (scripts/test --full): the machine itself, or the
// folder of OCILINT_LOADER_ROOT. Prints the figures that docs/loader.md has, and each difference.
#include <catch2/catch.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

#include "check/loader.h"
#include "support/loader_oracle.h"
#include "support/root_image.h"

namespace ocilint {
namespace {

constexpr const char* interpreter = "/lib64/ld-linux-x86-64.so.2";

unsigned level_of_machine() {
  const std::string help = test::run_command(std::string(interpreter) + " --help");
  for (const unsigned level : {4U, 3U, 2U})
    if (help.find("x86-64-v" + std::to_string(level) + " (supported, searched)") != std::string::npos) return level;
  return 1;
}

bool not_of_the_system(const std::string& path) {
  for (const char* const folder : {"/proc", "/sys", "/dev", "/tmp", "/work", "/root", "/home", "/run", "/var/tmp"})
    if (path == folder) return true;
  return false;
}

}  // namespace

TEST_CASE("every ELF file of a real root loads what ld.so says", "[.full]") {
  const char* const chosen = std::getenv("OCILINT_LOADER_ROOT");
  const std::string root = chosen == nullptr ? "/" : chosen;
  if (geteuid() != 0 || access((root + interpreter).c_str(), X_OK) != 0) {
    WARN("skipped: needs root, and an x86-64 glibc in " << root);
    return;
  }
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  const test::RootImage image(root, {}, not_of_the_system);
  LoaderOptions options;
  options.cpu_level = level_of_machine();
  options.origin_as_given = true;
  Loader loader(image.view(), options);
  const std::string loader_file = image.view().resolve(interpreter).path;

  std::map<std::string, std::size_t> kinds;
  std::size_t same = 0, different = 0, edges = 0, complete = 0, incomplete = 0;
  Clock::duration ours{}, theirs{};
  for (const std::string& path : image.elf_files()) {
    const auto begun = Clock::now();
    const Closure closure = loader.closure_of(path);
    ours += Clock::now() - begun;
    if (closure.state != RootState::loadable) {
      const std::string_view problem = closure.problem;
      ++kinds[problem.starts_with("malformed") ? "without what their headers name (split debug information)"
                                               : "not for a loader (objects, other systems)"];
      continue;
    }
    const ElfFacts& facts = *closure.objects[0].facts;
    if (facts.machine != 62 || facts.elf_class != ElfClass::elf64) {
      ++kinds["another processor"];
      continue;
    }
    if (!facts.has_dynamic || closure.loader != LoaderKind::glibc || path == loader_file) {
      ++kinds[!facts.has_dynamic ? "static" : closure.loader == LoaderKind::musl ? "for musl" : "the loader itself"];
      continue;
    }
    edges += closure.edges.size();
    const auto asked = Clock::now();
    int status = 0;
    const std::string text = test::run_inside(root, {interpreter, path}, {"LD_TRACE_LOADED_OBJECTS=1"}, &status);
    theirs += Clock::now() - asked;
    const test::LoaderAnswer real = test::parse_list(
        text, status, interpreter, [&](const std::string& file) { return image.view().resolve(file).path; });
    const test::LoaderAnswer mine = test::answer_of(closure, loader_file);
    if (mine == real) {
      ++same;
      ++(mine.missing.empty() && mine.versions.empty() && !mine.failed ? complete : incomplete);
      continue;
    }
    ++different;
    std::cout << "== " << path << "\nld.so:\n" << real.text << "ours:\n";
    for (const std::string& file : mine.loaded) std::cout << "  " << file << "\n";
    for (const std::string& name : mine.missing) std::cout << "  missing " << name << "\n";
    for (const std::string& version : mine.versions) std::cout << "  version " << version << "\n";
    if (mine.failed) std::cout << "  failed: " << mine.text << "\n";
  }
  std::cout << "ELF files: " << image.elf_files().size() << ", compared: " << same + different << ", the same: " << same
            << " (" << complete << " complete, " << incomplete << " not), different: " << different
            << ", names: " << edges << "\nseconds: ours " << seconds(ours) << ", ld.so " << seconds(theirs) << "\n";
  for (const auto& [kind, count] : kinds) std::cout << "  " << count << " " << kind << "\n";
  for (const std::string& line : loader.basis()) std::cout << "  " << line << "\n";
  CHECK(same > 0);
  CHECK(different == 0);
}

}  // namespace ocilint
