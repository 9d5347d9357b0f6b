// The program's own sources, documents and executable hold nothing that its search for secrets finds: whoever checks an
// image with the program in it, or the repository, gets no finding for our sake.
#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "facts/credential_files.h"
#include "facts/secret_scan.h"
#include "support/places.h"

using namespace ocilint;

namespace {

std::vector<std::string> tracked_files() {
  const std::string command = "git -C '" + std::string(test::source_dir) + "' ls-files -z 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string names;
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
    names.append(buffer.data(), got);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = names.find('\0', at);
    out.push_back(names.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// "line 7: github-token", for each. Samples too.
std::vector<std::string> found_in(const std::string& path, SecretScan& scan, std::size_t& bytes) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  bytes += text.size();
  scan.begin(may_hold_credentials(path) ? SecretScope::credential_file : SecretScope::file);
  scan.add(as_bytes(text), true);
  std::vector<std::string> out;
  for (const FileSecret& secret : scan.take().kept)
    out.push_back("line " + std::to_string(secret.line) + ", byte " + std::to_string(secret.offset) + ": " +
                  secret.detector);
  return out;
}

}  // namespace

TEST_CASE("own secrets: no file of the repository holds what the search finds") {
  const std::vector<std::string> names = tracked_files();
  if (names.empty()) {
    WARN("skipped: the checkout has no git");
    return;
  }
  const SecretScanner scanner{std::span<const ExtraDetector>{}};
  SecretScan scan(scanner);
  std::size_t bytes = 0;
  for (const std::string& name : names) {
    INFO(name);
    CHECK(found_in(std::string(test::source_dir) + "/" + name, scan, bytes) == std::vector<std::string>{});
    CHECK(kept_credentials("/" + name).empty());
  }
  CHECK(names.size() > 500);
  CHECK(bytes > 1'000'000);
}

TEST_CASE("own secrets: the program holds nothing that its search finds") {
  const SecretScanner scanner{std::span<const ExtraDetector>{}};
  SecretScan scan(scanner);
  std::size_t bytes = 0;
  CHECK(found_in(test::binary, scan, bytes) == std::vector<std::string>{});
  CHECK(bytes > 1'000'000);
}
