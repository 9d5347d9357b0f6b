// The simulation over the libraries of this machine: the cache that its ldconfig wrote, entry by entry.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/path.h"
#include "check/ld_so_cache_comparison.h"
#include "check/ldconfig_simulation.h"
#include "facts/elf_support.h"
#include "support/layer_builder.h"

namespace fs = std::filesystem;
using namespace ocilint;
using namespace ocilint::test;

namespace {

/// What ldconfig looks at of this machine, as a layer: the names of library directories and what they lead to.
class Machine {
 public:
  void directory(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return;
    links_to(path);
    if (!done_.insert(real.string()).second) return;
    for (const auto& entry : fs::directory_iterator(real)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("lib") || name.starts_with("ld")) file(entry.path().string());
    }
    if (fs::is_directory(real / "glibc-hwcaps"))
      for (const auto& entry : fs::directory_iterator(real / "glibc-hwcaps")) directory(entry.path().string());
  }
  LayerIndex build() { return builder_.build(); }
  std::size_t libraries = 0;

 private:
  /// The links on the way to a path, and behind it.
  void links_to(const std::string& path) {
    std::string at;
    const std::string normal = normalise(path).path;
    for (std::size_t slash = 0; slash != std::string::npos;) {
      slash = normal.find('/', slash + 1);
      at = normal.substr(0, slash);
      std::error_code error;
      if (!fs::is_symlink(fs::symlink_status(at, error)) || !done_.insert("link " + at).second) continue;
      const std::string target = fs::read_symlink(at).string();
      builder_.symlink(at, target);
      links_to(target.starts_with('/') ? target : join(parent_path(at), target));
    }
  }
  void file(const std::string& path) {
    links_to(path);
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || !fs::is_regular_file(real) || !done_.insert(real.string()).second) return;
    const Blob bytes = load(real);
    builder_.file(real.string());
    builder_.last_index().entries.back().size = bytes.size();
    builder_.elf(std::make_shared<ElfFacts>(read_elf(bytes, {})));
    ++libraries;
  }

  LayerBuilder builder_;
  std::set<std::string> done_;
};

}  // namespace

TEST_CASE("ldconfig over this machine: the cache is what the simulation would write", "[.full]") {
  if (!fs::exists("/sbin/ldconfig") || !fs::exists("/usr/lib/x86_64-linux-gnu")) {
    WARN("skipped: no ldconfig of Debian on amd64");
    return;
  }
  const fs::path fresh = fs::temp_directory_path() / ("ocilint-cache-" + std::to_string(getpid()));
  // Another cache file, and no link is touched: -X.
  output_of("/sbin/ldconfig -X -C " + fresh.string() + " 2>/dev/null");
  const LdSoCache real = LdSoCache::parse(load(fresh));
  fs::remove(fresh);

  const LdSoConfSource source{[](const std::string& path) -> std::optional<std::string> {
                                if (!fs::is_regular_file(path)) return std::nullopt;
                                const Blob bytes = load(path);
                                return std::string(bytes.begin(), bytes.end());
                              },
                              [](const std::string& glob) {
                                std::istringstream lines(output_of("ls -1d " + glob + " 2>/dev/null", true));
                                std::vector<std::string> out;
                                for (std::string line; std::getline(lines, line);) out.push_back(line);
                                std::sort(out.begin(), out.end());
                                return out;
                              }};
  std::vector<LdSoConfDirectory> directories = read_ld_so_conf("/etc/ld.so.conf", source).directories;
  for (const char* const path : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"})
    directories.push_back({path, "default", 0});
  Machine machine;
  for (const LdSoConfDirectory& directory : directories) machine.directory(directory.path);
  const LayerIndex layer = machine.build();
  const MergedTree tree = MergedTree::build(pointers_to(layer), View::overlay);
  LdconfigOptions options;
  options.architecture = "amd64";
  const LdconfigSimulation simulation = simulate_ldconfig(
      tree, directories, options, [&](InodeId inode) -> const ElfFacts& { return *layer.elf.at(inode.ordinal); });

  const auto all = [](const LdSoCache::Entry&, const std::string&) { return true; };
  const LdSoCacheComparison compared = compare_ld_so_cache(tree, real.entries, simulation.cache, all);
  for (const auto& [directory, paths] : compared.stale)
    for (const std::string& path : paths) FAIL_CHECK("only in the real cache: " << path);
  for (const auto& [directory, paths] : compared.absent)
    for (const std::string& path : paths) FAIL_CHECK("only in the simulation: " << path);
  CHECK(compared.reordered.empty());
  CHECK(compared.same + 1 > real.entries.size() / 2);
  REQUIRE(simulation.cache.size() == real.entries.size());
  for (std::size_t i = 0; i < real.entries.size(); ++i) {
    CHECK(simulation.cache[i].path == real.entries[i].path);
    CHECK(simulation.cache[i].flags >> 8 == real.entries[i].flags >> 8);
  }
  WARN(machine.libraries << " files, " << real.entries.size() << " entries");
}
