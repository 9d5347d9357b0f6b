// Real ELF files for the tests: made by the compiler of the machine in a folder that goes away.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "facts/elf.h"

namespace ocilint::test {

using Blob = std::vector<std::uint8_t>;

inline Blob load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Blob(std::istreambuf_iterator<char>(in), {});
}

inline void store(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Standard output of a command; fails the test when the command does, unless `may_fail`.
inline std::string output_of(const std::string& command, bool may_fail = false) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[65536];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  const int status = pclose(pipe);
  INFO(command);
  if (!may_fail) REQUIRE(status == 0);
  return text;
}

inline bool have(const std::string& tool) {
  return std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
}

class Workshop {
 public:
  Workshop() {
    std::string name = (std::filesystem::temp_directory_path() / "ocilint-elf-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  void run(const std::string& command) const { output_of("cd " + folder_.string() + " && " + command + " 2>&1"); }
  /// A shared object from C source, without the C library, so that also -m32 works.
  Blob library(const std::string& source, const std::string& options, const std::string& name = "lib.so") const {
    store(folder_ / "lib.c", source);
    run("gcc -O1 -shared -fPIC -nostdlib lib.c -o " + name + " " + options);
    return load(folder_ / name);
  }

 private:
  std::filesystem::path folder_;
};

inline ElfFacts facts_of(const Blob& blob, std::vector<std::string> symbols = {}) {
  return read_elf(blob, ElfRequest{std::move(symbols), {}, {}});
}

}  // namespace ocilint::test
