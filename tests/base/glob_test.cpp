#include "base/glob.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <fnmatch.h>
#include <random>
#include <set>

#include "base/error.h"

using namespace ocilint;

namespace {

bool matches(std::string_view glob, std::string_view path) { return Glob::parse(glob).matches(path); }

// The meaning spelled out, exponential and simple: `**` takes any number of whole components.
bool by_definition(const std::vector<std::string>& glob, std::size_t g, const std::vector<std::string>& path,
                   std::size_t p) {
  if (g == glob.size()) return p == path.size();
  if (glob[g] == "**") {
    if (g + 1 == glob.size()) return p < path.size();
    for (std::size_t skip = p; skip <= path.size(); ++skip)
      if (by_definition(glob, g + 1, path, skip)) return true;
    return false;
  }
  return p < path.size() && fnmatch(glob[g].c_str(), path[p].c_str(), 0) == 0 &&
         by_definition(glob, g + 1, path, p + 1);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += "/" + part;
  return text;
}

std::string random_word(std::mt19937& random, std::string_view alphabet) {
  std::string word;
  for (unsigned n = 1 + random() % 4; n > 0; --n) word += alphabet[random() % alphabet.size()];
  return word;
}

// Of this process: other work on the machine does not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TEST_CASE("stars stay within a component", "[glob]") {
  CHECK(matches("/usr/lib/*.so", "/usr/lib/libx.so"));
  CHECK(matches("/usr/lib/*.so", "/usr/lib/.so"));
  CHECK_FALSE(matches("/usr/lib/*.so", "/usr/lib/a/libx.so"));
  CHECK(matches("/usr/*/libx.so*", "/usr/lib/libx.so.1.2"));
  CHECK_FALSE(matches("/usr/*", "/usr"));
  CHECK(matches("/a?c", "/abc"));
  CHECK_FALSE(matches("/a?c", "/a/c"));
  CHECK(matches("/*a*b*", "/xxaxxbxx"));
  CHECK_FALSE(matches("/*ab", "/aab/ab"));
}

TEST_CASE("two stars span directories", "[glob]") {
  CHECK(matches("/a/**/b", "/a/b"));
  CHECK(matches("/a/**/b", "/a/x/y/b"));
  CHECK_FALSE(matches("/a/**/b", "/a/x/y/bb"));
  CHECK(matches("/x/**", "/x/y"));
  CHECK(matches("/x/**", "/x/.y/z"));
  CHECK_FALSE(matches("/x/**", "/x"));
  CHECK_FALSE(matches("/x/**", "/xy"));
  CHECK(matches("/**", "/a"));
  CHECK_FALSE(matches("/**", "/"));
  CHECK(matches("**/id_rsa", "/id_rsa"));
  CHECK(matches("**/id_rsa", "/root/.ssh/id_rsa"));
  CHECK(matches("**", "/a/b"));
  CHECK(matches("/opt/*/lib/**/*.so", "/opt/rocm/lib/a/b/x.so"));
  CHECK(matches("/a/**/b/**/c", "/a/b/b/c/c"));
  CHECK_FALSE(matches("/a/*/**", "/a/b"));
}

TEST_CASE("classes and escapes", "[glob]") {
  CHECK(matches("/[a-c]x", "/bx"));
  CHECK_FALSE(matches("/[!a-c]x", "/bx"));
  CHECK(matches("/[^a-c]x", "/dx"));
  CHECK(matches("/[]a]", "/]"));
  CHECK(matches("/[a-]", "/-"));
  CHECK(matches("/[\\]]", "/]"));
  CHECK(matches("/\\*\\?\\[", "/*?["));
  CHECK_FALSE(matches("/\\*", "/a"));
  CHECK(matches("/a\\\\b", "/a\\b"));
  CHECK(matches("/\xc3\xa9*", "/\xc3\xa9t\xc3\xa9"));
  CHECK(matches("/[\x80-\xff]*", "/\xc3\xa9"));
}

TEST_CASE("literal parts", "[glob]") {
  CHECK(Glob::parse("/etc/passwd").is_literal());
  CHECK(Glob::parse("/etc/passwd").literal_prefix() == "/etc/passwd");
  CHECK(Glob::parse("/a\\*b").is_literal());
  CHECK(Glob::parse("/a\\*b").literal_prefix() == "/a*b");
  CHECK(Glob::parse("/usr/lib/*.so").literal_prefix() == "/usr/lib/");
  CHECK(Glob::parse("/usr/lib/lib*.so").literal_prefix() == "/usr/lib/lib");
  CHECK(Glob::parse("/opt/rocm-*/lib").literal_prefix() == "/opt/rocm-");
  CHECK(Glob::parse("/x/**").literal_prefix() == "/x/");
  CHECK(Glob::parse("/x/**").is_subtree());
  CHECK_FALSE(Glob::parse("/x/**/y*").is_subtree());
  CHECK_FALSE(Glob::parse("/x/*").is_subtree());
  CHECK(Glob::parse("**/x").literal_prefix() == "/");
  CHECK(Glob::parse("**/x").literal_name() == "x");
  CHECK(Glob::parse("/a/x*").literal_name().empty());
  CHECK(Glob::parse("/").is_literal());
  CHECK(matches("/", "/"));
  CHECK_FALSE(matches("/", "/a"));
  CHECK(Glob::parse("/a/*").text() == "/a/*");
}

TEST_CASE("what is no glob is refused with its position", "[glob]") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "position 1"},       {"etc/passwd", "position 1"}, {"*/x", "position 1"},
      {"/a/**b", "position 4"}, {"/a/b**", "position 5"},     {"/a//b", "position 4"},
      {"/a/", "position 4"},    {"/a/./b", "position 4"},     {"/a/../b", "position 4"},
      {"/a/[bc", "position 4"}, {"/a/[b/c]", "position 4"},   {"/a/{b,c}", "position 4"},
      {"/a\\", "position 3"},   {"/[z-a]", "position 3"},     {"/[[:alpha:]]", "position 3"},
      {"/a/***", "position 4"}, {"/a\\/b", "position 3"}};
  for (const auto& [glob, position] : cases) {
    INFO(glob);
    try {
      Glob::parse(glob);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::policy);
      CHECK_THAT(error.what(), Catch::Contains(std::string(position)));
    }
  }
  CHECK_THROWS_AS(Glob::parse(std::string("/a\0b", 4)), Error);
  CHECK_THROWS_AS(Glob::parse("/" + std::string(5000, 'a')), Error);
}

TEST_CASE("random globs mean what the definition says", "[glob]") {
  std::mt19937 random(42);
  unsigned hits = 0;
  for (int i = 0; i < 60000; ++i) {
    std::vector<std::string> glob, path;
    for (unsigned n = 1 + random() % 5; n > 0; --n) {
      auto word = random_word(random, "aab**?");
      if (random() % 3 == 0) word = "**";
      if (word != "**" && word.find("**") != word.npos) word = "*";
      glob.push_back(word);
    }
    for (unsigned n = 1 + random() % 6; n > 0; --n) path.push_back(random_word(random, "aaab"));
    const bool expected = by_definition(glob, 0, path, 0);
    hits += expected;
    INFO(joined(glob) << " on " << joined(path));
    const Glob parsed = Glob::parse(joined(glob));
    REQUIRE(parsed.matches(joined(path)) == expected);
    if (expected) REQUIRE(joined(path).starts_with(parsed.literal_prefix()));
  }
  CHECK(hits > 5000);
}

TEST_CASE("a set finds what its globs find one by one", "[glob]") {
  std::mt19937 random(43);
  GlobSet set;
  std::vector<Glob> globs;
  for (std::uint32_t id = 0; id < 200; ++id) {
    std::string text;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      auto word = random_word(random, "ab*");
      if (random() % 4 == 0 || word.find("**") != word.npos) word = "**";
      text += "/" + word;
    }
    globs.push_back(Glob::parse(text));
    set.add(globs.back(), id);
  }
  set.freeze();
  CHECK(set.size() == 200);
  std::size_t found_all = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string path;
    for (unsigned n = 1 + random() % 4; n > 0; --n) path += "/" + random_word(random, "ab");
    std::multiset<std::uint32_t> found, expected;
    set.match(path, [&](std::uint32_t id) { found.insert(id); });
    for (std::uint32_t id = 0; id < globs.size(); ++id)
      if (globs[id].matches(path)) expected.insert(id);
    REQUIRE(found == expected);
    REQUIRE(set.any(path) == !expected.empty());
    found_all += found.size();
  }
  CHECK(found_all > 1000);
}

TEST_CASE("hostile globs and paths take no exponential time", "[glob]") {
  std::string glob = "/";
  for (int i = 0; i < 1000; ++i) glob += "*a";
  const double start = cpu_seconds();
  CHECK_FALSE(matches(glob + "b", "/" + std::string(4000, 'a')));
  std::string spans, path;
  for (int i = 0; i < 500; ++i) spans += "/**/a";
  for (int i = 0; i < 2000; ++i) path += "/a";
  CHECK_FALSE(matches(spans + "/b", path + "/c"));
  CHECK_FALSE(matches("/c" + spans + "/b", path + "/b"));
  CHECK(matches(spans, path));
  CHECK(cpu_seconds() - start < 2);
}

TEST_CASE("forty globs over many paths", "[glob]") {
  GlobSet set;
  std::uint32_t id = 0;
  for (const char* text : {"/etc/os-release",
                           "/etc/passwd",
                           "/etc/shadow",
                           "/var/lib/dpkg/status",
                           "/app/versions.txt",
                           "**/id_rsa",
                           "**/id_ed25519",
                           "**/.npmrc",
                           "**/.netrc",
                           "**/credentials",
                           "/opt/*/.info/version",
                           "/opt/rocm/lib/libhsa-runtime64.so*",
                           "/opt/rocm-*/lib/librccl.so*",
                           "/opt/rocm*/lib/libamdhip64.so*",
                           "/usr/lib/**/libdw.so*",
                           "/usr/lib/x86_64-linux-gnu/*.so",
                           "/usr/local/lib/python3*/dist-packages/**",
                           "/root/**",
                           "/tmp/**",
                           "/var/cache/**",
                           "/var/log/**",
                           "/home/*/.ssh/**",
                           "**/*.pem",
                           "**/*.key",
                           "**/*.p12",
                           "/etc/apt/apt.conf.d/*",
                           "/etc/dpkg/dpkg.cfg.d/*",
                           "/var/lib/dpkg/info/*.list",
                           "/var/lib/dpkg/info/*.md5sums",
                           "/usr/bin/*",
                           "/usr/sbin/*",
                           "/srv/**",
                           "/mnt/**",
                           "/media/**",
                           "/run/secrets/**",
                           "/etc/ssl/private/*",
                           "**/*.env",
                           "**/.aws/*",
                           "**/.docker/config.json",
                           "/opt/venv/lib/python3.1[0-9]/site-packages/torch/lib/*.so"})
    set.add(Glob::parse(text), id++);
  set.freeze();
  REQUIRE(id == 40);
  std::vector<std::string> paths;
  for (int i = 0; i < 20000; ++i) {
    const auto n = std::to_string(i);
    paths.push_back("/usr/share/doc/package" + n + "/changelog.Debian.gz");
    paths.push_back("/usr/lib/x86_64-linux-gnu/libfoo" + n + ".so.1.2");
    paths.push_back("/opt/rocm-6.4.0/include/hip/detail/header_" + n + ".hpp");
    paths.push_back("/usr/local/lib/python3.12/dist-packages/torch/nn/module_" + n + ".py");
    paths.push_back("/var/lib/dpkg/info/package" + n + ".list");
  }
  std::size_t found = 0;
  const double start = cpu_seconds();
  for (const auto& path : paths) set.match(path, [&](std::uint32_t) { ++found; });
  const double each = (cpu_seconds() - start) / static_cast<double>(paths.size());
  CHECK(found == 40000);
  INFO(each * 1e9 << " ns a path");
  CHECK(each < 20e-6);  // measured 0.3e-6 to 0.5e-6; the bound allows for sanitizers and a busy machine
}
