// The house rules that a machine can check: which folder may include which, sizes of files, names of rules.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/places.h"

namespace fs = std::filesystem;

namespace {

const fs::path root = ocilint::test::source_dir;

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && (extension == ".h" || extension == ".cpp")) out.push_back(entry.path());
  }
  return out;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Folders of the quoted includes of a file: "base/error.h" -> base.
std::set<std::string> included_folders(const fs::path& file) {
  std::set<std::string> out;
  std::istringstream lines(read(file));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::string name = line.substr(10);
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) out.insert(name.substr(0, slash));
  }
  return out;
}

// What each folder may include, besides itself. The pipeline's order; docs/architecture.md has the picture.
const std::map<std::string, std::set<std::string>> allowed = {
    {"base", {}},
    {"oci", {"base"}},
    {"blob", {"base", "oci"}},
    {"source", {"base", "oci", "blob"}},
    {"tar", {"base", "oci", "blob"}},
    {"facts", {"base", "oci", "tar"}},
    {"layer", {"base", "oci", "blob", "tar", "facts"}},
    {"tree", {"base", "oci", "tar", "facts", "layer"}},
    {"check", {"base", "oci", "source", "tar", "facts", "layer", "tree"}},
    {"policy", {"base", "oci", "facts", "layer", "tree", "check"}},
    {"run", {"base", "oci", "source", "blob", "tar", "facts", "layer", "tree", "check", "policy"}},
    {"look", {"base", "oci", "source", "tar", "facts", "layer", "tree", "check", "policy", "run"}},
    {"cases", {"base", "oci", "source", "check", "policy", "run"}},
    {"report", {"base", "check", "policy", "run", "look", "cases"}},
    {"cli", {"base", "oci", "check", "policy", "run", "look", "cases", "report"}},
};

const std::set<std::string> allowed_to_rules = {"base", "oci", "facts", "tree", "check"};

}  // namespace

TEST_CASE("includes point one way through the pipeline") {
  for (const auto& [folder, others] : allowed) {
    for (const fs::path& file : sources_below(root / "inspector" / folder)) {
      for (const std::string& included : included_folders(file)) {
        INFO(fs::relative(file, root).string() << " includes " << included << "/");
        const bool fine = included == folder || others.contains(included);
        CHECK(fine);
      }
    }
  }
}

TEST_CASE("every folder of the inspector is a stage that the order knows") {
  for (const auto& entry : fs::directory_iterator(root / "inspector"))
    CHECK(allowed.contains(entry.path().filename().string()));
}

TEST_CASE("a rule can open no file, no socket and no layer") {
  for (const fs::path& file : sources_below(root / "rules"))
    for (const std::string& included : included_folders(file)) {
      INFO(file.filename().string() << " includes " << included << "/");
      CHECK(allowed_to_rules.contains(included));
    }
}

TEST_CASE("a file holds one thing") {
  constexpr std::ptrdiff_t most = 600;
  for (const char* const folder : {"inspector", "rules", "tests"})
    for (const fs::path& file : sources_below(root / folder)) {
      const std::string text = read(file);
      INFO(fs::relative(file, root).string());
      CHECK(std::count(text.begin(), text.end(), '\n') <= most);
    }
}

TEST_CASE("file name, symbol and id of a rule agree") {
  for (const auto& entry : fs::directory_iterator(root / "rules")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string symbol = entry.path().stem().string();
    std::string id = symbol;
    std::replace(id.begin(), id.end(), '_', '-');
    const std::string text = read(entry.path());
    INFO(symbol);
    CHECK(text.find("const Rule " + symbol + "{") != std::string::npos);
    CHECK(text.find(".id = \"" + id + "\"") != std::string::npos);
  }
}

TEST_CASE("no product of a vendor is special in C++") {
  // What the program knows about a stack of libraries stands in policies; comments and help may name one, rules not.
  for (const char* const folder : {"inspector", "rules"})
    for (const fs::path& file : sources_below(root / folder)) {
      std::istringstream lines(read(file));
      for (std::string line; std::getline(lines, line);) {
        const bool quoted =
            line.find("\"/opt/rocm") != std::string::npos || line.find("libhsa-runtime64") != std::string::npos;
        const bool comment = line.find("//") != std::string::npos;
        INFO(fs::relative(file, root).string() << ": " << line);
        std::string small = line;
        std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
        const bool in_rule = folder == std::string_view("rules") && small.find("rocm") != std::string::npos;
        const bool special = (quoted && !comment) || in_rule;
        CHECK_FALSE(special);
      }
    }
}

TEST_CASE("the library prints nothing, ends nothing and reads no environment") {
  for (const auto& [folder, others] : allowed) {
    if (folder == "cli") continue;
    for (const fs::path& file : sources_below(root / "inspector" / folder)) {
      const std::string text = read(file);
      INFO(fs::relative(file, root).string());
      for (const char* const word : {"std::cout", "std::cerr", "printf(", "std::exit", "::abort(", "getenv("})
        CHECK(text.find(word) == std::string::npos);
    }
  }
}
