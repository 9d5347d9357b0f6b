// The simulation against the real ldconfig: links and cache of made and of random trees, one by one.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/path.h"
#include "check/ldconfig_simulation.h"
#include "support/library_root.h"

namespace fs = std::filesystem;
using namespace ocilint;
using namespace ocilint::test;

namespace {

LdconfigSimulation simulate(const LayerIndex& layer, const MergedTree& tree,
                            const std::vector<std::string>& alone = {}) {
  std::vector<LdSoConfDirectory> directories;
  if (const auto conf = tree.find("/etc/ld.so.conf"); conf && alone.empty())
    for (const auto& line : LdSoConf::parse(layer.contents.at(tree[*conf].inode.ordinal)).lines)
      directories.push_back({line.text, "/etc/ld.so.conf", line.number});
  std::vector<std::string> defaults = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"};
  for (const std::string& path : alone.empty() ? defaults : alone) directories.push_back({path, "default", 0});
  LdconfigOptions options;
  options.architecture = "amd64";
  return simulate_ldconfig(tree, directories, options,
                           [&](InodeId inode) -> const ElfFacts& { return *layer.elf.at(inode.ordinal); });
}

Links links_after(Links links, const LdconfigSimulation& simulation) {
  for (const LdconfigDirectory& directory : simulation.directories) {
    for (const std::string& name : directory.removed) links.erase(join(directory.canonical, name));
    for (const LdconfigChoice& choice : directory.choices)
      if (choice.deed == LdconfigDeed::create || choice.deed == LdconfigDeed::repoint)
        links[join(directory.canonical, choice.soname)] = choice.files.front().name;
  }
  return links;
}

std::vector<std::string> texts(const std::vector<LdSoCache::Entry>& entries) {
  std::vector<std::string> out;
  char hwcap[32];
  for (const LdSoCache::Entry& entry : entries) {
    // Only of a glibc-hwcaps folder is the value an index; of a 32-bit file the kind of C library may differ.
    std::snprintf(hwcap, sizeof hwcap, "%llx",
                  entry.hwcaps.empty() ? static_cast<unsigned long long>(entry.hwcap) : 0ULL);
    out.push_back(entry.name + " " + std::to_string(entry.flags >> 8) + " " + entry.hwcaps + " " + hwcap + " " +
                  entry.path);
  }
  return out;
}

std::string listing(const LibraryRoot& root) {
  std::string out;
  for (const auto& [path, target] : root.links()) out += path + " -> " + target + "\n";
  for (const auto& entry : fs::recursive_directory_iterator(root.at("/")))
    if (!entry.is_symlink() && entry.is_regular_file())
      out += entry.path().string() + " " + std::to_string(entry.file_size()) + "\n";
  return out;
}

/// Both on the same tree; the real one changes it.
void agree(const LibraryRoot& root, const std::string& options = "", const std::vector<std::string>& alone = {}) {
  const std::string before = listing(root);
  INFO(before);
  const LayerIndex layer = root.layer();
  const MergedTree tree = MergedTree::build(pointers_to(layer), View::overlay);
  const LdconfigSimulation simulation = simulate(layer, tree, alone);
  const Links expected = links_after(root.links(), simulation);
  REQUIRE(root.run(options));
  CHECK(root.links() == expected);
  if (alone.empty()) {
    const auto ours = texts(simulation.cache);
    auto real = texts(root.cache());
    // The simulation puts names whose numbers wrap last; among others they have no order.
    std::stable_partition(real.begin(), real.end(),
                          [](const std::string& line) { return line.find("4294967301 ") == line.npos; });
    CHECK(ours == real);
  }
}

bool ready() {
  if (fs::exists(real_ldconfig)) return true;
  WARN("skipped: no ldconfig");
  return false;
}

const LdconfigChoice& choice_of(const LdconfigSimulation& simulation, const std::string& directory,
                                const std::string& soname) {
  const LdconfigDirectory* const found = simulation.find(directory);
  REQUIRE(found != nullptr);
  for (const LdconfigChoice& choice : found->choices)
    if (choice.soname == soname) return choice;
  FAIL("no such SONAME");
  return found->choices.front();
}

LdconfigChoice chosen(const LibraryRoot& root, const std::string& soname) {
  const LayerIndex layer = root.layer();
  const MergedTree tree = MergedTree::build(pointers_to(layer), View::overlay);
  return choice_of(simulate(layer, tree), "/a", soname);
}

}  // namespace

TEST_CASE("ldconfig re-points a link to the name that compares highest") {
  if (!ready()) return;
  const LibraryRoot root;
  root.file("/etc/ld.so.conf", "/a\n");
  root.library("/a/libx.so.7.2.70204", "libx.so.7", "stock");
  root.library("/a/libx.so.7.2.53211-b539bf7", "libx.so.7", "other");
  root.link("/a/libx.so.7", "libx.so.7.2.53211-b539bf7");
  root.link("/a/libx.so", "libx.so.7");
  CHECK(chosen(root, "libx.so.7").deed == LdconfigDeed::repoint);
  CHECK(chosen(root, "libx.so.7").files.front().name == "libx.so.7.2.70204");
  agree(root);
  CHECK(chosen(root, "libx.so.7").deed == LdconfigDeed::none);
  agree(root);
}

TEST_CASE("ldconfig and backups, hard links, empty files, texts, other machines and regular SONAME files") {
  if (!ready()) return;
  const LibraryRoot root;
  root.file("/etc/ld.so.conf", "/a\n/b\n");
  SECTION("a backup beside the library wins") {
    root.library("/a/libx.so.1.18.70204", "libx.so.1");
    root.library("/a/libx.so.1.18.70204.bak", "libx.so.1", "old");
    root.link("/a/libx.so.1", "libx.so.1.18.70204");
    CHECK(chosen(root, "libx.so.1").files.front().name == "libx.so.1.18.70204.bak");
  }
  SECTION("hard links keep what they are") {
    root.library("/a/libx.so.7.2.5", "libx.so.7");
    root.hard_link("/a/libx.so.7.2.9", "/a/libx.so.7.2.5");
    root.link("/a/libx.so.7", "libx.so.7.2.5");
    CHECK(chosen(root, "libx.so.7").deed == LdconfigDeed::none);
  }
  SECTION("a regular file under the SONAME stays") {
    root.library("/a/libx.so.1", "libx.so.1");
    root.library("/a/libx.so.1.2", "libx.so.1", "new");
    CHECK(chosen(root, "libx.so.1").deed == LdconfigDeed::blocked);
  }
  SECTION("what is no library of this machine does not count") {
    root.library("/a/libx.so.1.0", "libx.so.1");
    root.file("/a/libx.so.1.1", "");
    root.file("/a/libx.so.1.2", "INPUT(libx.so.1.0) but long enough to hold a header, which is sixty-four bytes\n");
    root.file("/a/libx.so.1.3", "!<arch>\n");
    root.file("/a/libx.so.1.4", made_library({.soname = "libx.so.1", .machine = EM_AARCH64}));
    root.file("/a/libx.so.1.5", made_library({.soname = "libx.so.1", .type = ET_EXEC}));
    root.file("/a/libx.so.1.6",
              "\x7f"
              "ELF");
    root.file("/a/libx.so.1.0.1", made_library({.soname = "libx.so.1"}).substr(0, 64));
    CHECK(chosen(root, "libx.so.1").files.size() == 1);
  }
  SECTION("without a SONAME the name counts") {
    root.library("/a/liby.so.1.2", "");
    root.library("/a/libz-2.31.so", "libz.so.6");
    root.library("/a/ld-2.31.so", "ld-linux-x86-64.so.2");
    root.library("/a/other.so", "other.so");
    root.library("/a/ld.so.1.2", "");
  }
  SECTION("Debian's leaves the link to the dynamic linker alone") {
    root.library("/a/ld-2.31.so", "ld-linux-x86-64.so.2");
    root.library("/a/ld-2.36.so", "ld-linux-x86-64.so.2", "new");
    root.link("/a/ld-linux-x86-64.so.2", "ld-2.31.so");
    CHECK(chosen(root, "ld-linux-x86-64.so.2").deed == LdconfigDeed::linker);
  }
  SECTION("dangling links go when they have a version, and SONAME links are made") {
    root.library("/a/libx.so.1.0", "libx.so.1");
    root.link("/a/libx.so.1", "libx.so.0.9");
    root.link("/a/libgone.so.3", "nowhere");
    root.link("/a/libgone.so", "nowhere");
    root.link("/b/libx.so.1", "/a/libx.so.1");  // leads somewhere once /a is done
  }
  SECTION("links that are files to ldconfig") {
    root.library("/a/implementation-1.0", "libx.so.1");
    root.link("/a/libx.so", "implementation-1.0");
    root.link("/a/libx.so.0", "implementation-1.0");
    root.link("/b/libx.so.1", "../a/implementation-1.0");
  }
  SECTION("directories that are one, and glibc-hwcaps") {
    root.library("/a/libx.so.1.0", "libx.so.1");
    root.library("/a/glibc-hwcaps/x86-64-v3/libx.so.1.0", "libx.so.1", "v3");
    root.library("/a/glibc-hwcaps/x86-64-v3/libx.so.1.1", "libx.so.1", "v3");
    root.library("/a/glibc-hwcaps/.hidden/libx.so.1.1", "libx.so.1", "v3");
    root.library("/a/glibc-hwcaps/x86-64-v2/libx.so.1.0", "libx.so.1", "v2");
    root.link("/b", "a");
  }
  SECTION("processor folders") {
    for (const char* const folder : {"haswell", "tls", "haswell/x86_64", "plain", "tls/x86_64"})
      root.library("/a/" + std::string(folder) + "/libx.so.1.0", "libx.so.1");
    root.library("/b/real/libx.so.1.0", "libx.so.1");
    root.link("/b/sse2", "real");
  }
  SECTION("two architectures") {
    root.file("/a/libx.so.1.0", made_library({.soname = "libx.so.1", .wide = false, .machine = EM_386}));
    root.library("/b/libx.so.1.1", "libx.so.1");
  }
  agree(root);
}

TEST_CASE("ldconfig -n sets the links of a directory that is not configured") {
  if (!ready()) return;
  const LibraryRoot root;
  root.library("/opt/libx.so.1.9", "libx.so.1");
  root.library("/opt/libx.so.1.10", "libx.so.1", "new");
  root.link("/opt/libx.so.1", "libx.so.1.9");
  agree(root, "-n /opt", {"/opt"});
  CHECK(root.links().at("/opt/libx.so.1") == "libx.so.1.10");
}

TEST_CASE("names that compare equal are told: the directory's order decides") {
  if (!ready()) return;
  const LibraryRoot root;
  root.file("/etc/ld.so.conf", "/a\n");
  root.library("/a/libx.so.1.2", "libx.so.1");
  root.library("/a/libx.so.1.02", "libx.so.1", "other");
  root.library("/a/libx.so.1.1", "libx.so.1", "third");
  CHECK(chosen(root, "libx.so.1").tied == 1);
}

TEST_CASE("ldconfig on 300 random trees: every link and every cache entry") {
  if (!ready()) return;
  std::mt19937 random(20'261);
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const std::vector<std::string> folders = {"/a", "/b", "/opt/x/lib", "/lib", "/usr/lib", "/usr/lib/x86_64-linux-gnu"};
  const std::vector<std::string> stems = {"x", "y", "z9"};
  const std::vector<std::string> tails = {
      "",    ".1",   ".2",    ".1.0",  ".1.10",           ".1.9", ".1.2.70204", ".1.2.53211-b5", ".1.0.bak",
      ".1~", ".2.0", ".2.0a", ".10.1", ".1.0.4294967301", "-2.31"};
  const std::vector<std::string> sonames = {"libx.so.1", "libx.so.2", "liby.so.1", "libz9.so",
                                            "libx.so",   "",          "libq.so.3"};
  for (int round = 0; round < 300; ++round) {
    INFO("round " << round);
    const LibraryRoot root;
    std::string conf;
    for (const std::string& folder : folders)
      if (random() % 2 == 0) conf += folder + "\n";
    root.file("/etc/ld.so.conf", conf);
    std::vector<std::string> made;
    const std::size_t files = 3 + random() % 12;
    for (std::size_t i = 0; i < files; ++i) {
      std::string folder = pick(folders);
      if (random() % 12 == 0)
        folder += pick({"/glibc-hwcaps/x86-64-v2", "/glibc-hwcaps/v9", "/haswell", "/tls", "/sub"});
      const std::string path = folder + "/" + pick({"lib", "lib", "lib", "ld-"}) + pick(stems) + ".so" + pick(tails);
      if (fs::exists(fs::symlink_status(root.at(path)))) continue;
      switch (random() % 12) {
        case 0: root.file(path, ""); break;
        case 1:
          root.file(path, "/* GNU ld script */ INPUT(-lx) and so on, as long as an ELF header at the least is");
          break;
        case 2: root.file(path, made_library({.soname = "libx.so.1", .machine = EM_AARCH64})); break;
        case 3:
          root.link(path, pick({"libx.so.1", "libx.so.1.0", "liby.so.1", "/a/libx.so.1", "../b/liby.so.1.0", "nowhere",
                                "."}));
          break;
        case 4:
        case 5:
          if (made.empty()) continue;
          fs::create_directories(root.at(path).parent_path());
          if (random() % 2 == 0)
            root.hard_link(path, pick(made));
          else
            root.link(path, pick(made));
          break;
        default: root.library(path, pick(sonames), std::to_string(random() % 3)); made.push_back(path);
      }
    }
    agree(root);
  }
}
