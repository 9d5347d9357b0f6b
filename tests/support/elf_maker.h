// Small programs and libraries made by `as` and `ld` in a folder that goes away: a root of an image, a row each.
//
//   ElfMaker maker;
//   const auto root = maker.make("rpath /a; prog /prog $R @liba.so; so /a/liba.so liba.so");
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/loader_oracle.h"

namespace ocilint::test {

// so OUT SONAME [ld options, NEEDED names as @name]; prog OUT …: made by ld alone, of one empty object.
inline constexpr const char* elf_maker_prelude = R"sh(
set -e
stubs() { words=(); for w in "$@"; do case $w in
  @*) n=${w#@}; f="$STUBS/$(echo "$n" | tr '/$' '__')"; [ -e "$f" ] || ld -shared -soname "$n" -o "$f" "$STUBS/empty.o"; words+=("$f");;
  *) words+=("$w");; esac; done; }
so() { out=.$1; name=$2; shift 2; mkdir -p "$(dirname "$out")"; stubs "$@"
  ld -shared --hash-style=gnu --allow-shlib-undefined ${name:+-soname $name} -o "$out" "$STUBS/empty.o" "${words[@]}"; }
prog() { out=.$1; shift; mkdir -p "$(dirname "$out")"; stubs "$@"
  ld -pie -dynamic-linker ${INTERPRETER} --allow-shlib-undefined -o "$out" "$STUBS/start.o" "${words[@]}"; }
rpath() { R="-rpath $1 --disable-new-dtags"; }
runpath() { R="-rpath $1 --enable-new-dtags"; }
byte() { printf "$3" | dd of=".$1" bs=1 seek="$2" conv=notrunc status=none; }
)sh";

class ElfMaker {
 public:
  static bool possible() { return std::system("command -v ld >/dev/null && command -v as >/dev/null") == 0; }

  explicit ElfMaker(std::string interpreter = "/lib64/ld-linux-x86-64.so.2") : interpreter_(std::move(interpreter)) {
    std::string name = (std::filesystem::temp_directory_path() / "ocilint-made-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "stubs");
    std::ofstream(folder_ / "empty.s")
        << ".data\n.globl here\nhere: .long 1\n.section .note.GNU-stack,\"\",@progbits\n";
    std::ofstream(folder_ / "start.s") << ".globl _start\n_start: ret\n.section .note.GNU-stack,\"\",@progbits\n";
    const std::string as = "cd " + folder_.string() +
                           " && as -o stubs/empty.o empty.s && as -o stubs/start.o start.s && "
                           "as --32 -o stubs/empty32.o empty.s";
    REQUIRE(std::system(as.c_str()) == 0);
  }
  ~ElfMaker() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ElfMaker(const ElfMaker&) = delete;
  ElfMaker& operator=(const ElfMaker&) = delete;

  /// A new directory in which the steps ran.
  std::filesystem::path make(const std::string& steps) {
    const std::filesystem::path root = folder_ / ("root" + std::to_string(++count_));
    std::filesystem::create_directories(root);
    std::ofstream(folder_ / "steps.sh") << elf_maker_prelude << steps;
    const std::string command = "cd " + root.string() + " && STUBS=" + (folder_ / "stubs").string() +
                                " INTERPRETER=" + interpreter_ + " bash ../steps.sh 2>&1";
    int status = 0;
    const std::string said = run_command(command, &status);
    INFO(steps << "\n" << said);
    REQUIRE(status == 0);
    return root;
  }

 private:
  std::string interpreter_;
  std::filesystem::path folder_;
  int count_ = 0;
};

}  // namespace ocilint::test
