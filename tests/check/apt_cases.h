// Small package databases with what `apt-get autoremove` does on them: a package that sets up a repository and
// depends on two libraries, in the states that images were found in (row numbers of the project's notes).
#pragma once

#include <string>
#include <vector>

namespace ocilint::test {

struct AptCase {
  std::string name;
  std::string status, states;
  std::string conf;                  // a file of apt.conf.d
  std::vector<std::string> removed;  // sorted, as apt names them
  std::vector<std::string> architectures = {"amd64"};
};

inline std::string stanza(const std::string& name, const std::string& more = {},
                          const std::string& status = "install ok installed", const std::string& architecture = "amd64",
                          const std::string& version = "1.0-1") {
  return "Package: " + name + "\nStatus: " + status + "\nPriority: optional\nSection: libs\nMaintainer: x <x@y>\n" +
         "Architecture: " + architecture + "\nVersion: " + version + "\n" + more + "Description: d\n\n";
}

inline std::string automatic(const std::string& name, const std::string& architecture = "amd64") {
  return "Package: " + name + "\nArchitecture: " + architecture + "\nAuto-Installed: 1\n\n";
}

inline const std::string setup_package = stanza("acme-setup", "Depends: libdw1 (>= 0.1), libelf1\n");
inline const std::string two_libraries = stanza("libdw1", "Depends: libelf1\n") + stanza("libelf1");
inline const std::string both_automatic = automatic("libdw1") + automatic("libelf1");
inline const std::string suggests_off = "APT::AutoRemove::SuggestsImportant \"false\";\n";

inline std::vector<AptCase> apt_cases() {
  const std::vector<std::string> both{"libdw1", "libelf1"};
  return {
      {"A-1 the setup package keeps both", setup_package + two_libraries, both_automatic, "", {}},
      {"A-2 the setup package was purged", two_libraries, both_automatic, "", both},
      {"A-4 marked manual; its dependency stays", two_libraries, automatic("libelf1"), "", {}},
      {"A-7 nothing records what is automatic", two_libraries, "", "", {}},
      {"A-8 a manual package suggests it",
       stanza("tool", "Suggests: libdw1\n") + two_libraries,
       both_automatic,
       "",
       {}},
      {"A-8 and the image says that suggestions do not count", stanza("tool", "Suggests: libdw1\n") + two_libraries,
       both_automatic, suggests_off, both},
      {"A recommendation counts",
       stanza("tool", "Recommends: libdw1\n") + two_libraries,
       both_automatic,
       suggests_off,
       {}},
      {"A recommendation that the image does not count", stanza("tool", "Recommends: libdw1\n") + two_libraries,
       both_automatic, "Apt { AutoRemove { RecommendsImportant \"no\"; }; };\n", both},
      {"A-9 NeverAutoRemove", two_libraries, both_automatic, "APT::NeverAutoRemove { \"^LIBDW1$\"; };\n", {}},
      {"A-10 on hold",
       stanza("libdw1", "Depends: libelf1\n", "hold ok installed") + stanza("libelf1"),
       both_automatic,
       "",
       {}},
      {"Holds are ignored", stanza("libdw1", "Depends: libelf1\n", "hold ok installed") + stanza("libelf1"),
       both_automatic, "APT::Ignore-Hold \"1\";\n", both},
      {"A-12 what depends on it is removed but for its configuration",
       stanza("acme-setup", "Depends: libdw1, libelf1\n", "deinstall ok config-files") + two_libraries, both_automatic,
       "", both},
      {"A-14 a manual package keeps its whole chain",
       stanza("elfutils", "Depends: libasm1, libdw1\n") + stanza("libasm1", "Depends: libelf1\n") + two_libraries,
       both_automatic + automatic("libasm1"),
       "",
       {}},
      {"A-14 marked automatic, it takes the chain along",
       stanza("elfutils", "Depends: libasm1, libdw1\n") + stanza("libasm1", "Depends: libelf1\n") + two_libraries,
       both_automatic + automatic("libasm1") + automatic("elfutils"),
       "",
       {"elfutils", "libasm1", "libdw1", "libelf1"}},
      {"A-16 one architecture of two",
       stanza("libdw1", "Multi-Arch: same\n") + stanza("libdw1", "Multi-Arch: same\n", "install ok installed", "i386"),
       automatic("libdw1", "i386"),
       "",
       {"libdw1:i386"},
       {"amd64", "i386"}},
      {"Every alternative that is there is kept",
       stanza("tool", "Depends: libdw1 | libelf1\n") + two_libraries,
       both_automatic,
       "",
       {}},
      {"A version that does not fit keeps nothing", stanza("tool", "Suggests: libdw1 (>= 9)\n") + two_libraries,
       both_automatic, "", both},
      {"A virtual package keeps each provider",
       stanza("tool", "Depends: elf-library\n") + stanza("libdw1", "Provides: elf-library\n") +
           stanza("libelf1", "Provides: elf-library (= 3)\n"),
       both_automatic,
       "",
       {}},
      {"A versioned relation asks for a versioned Provides",
       stanza("tool", "Depends: elf-library (>= 2)\n") + stanza("libdw1", "Provides: elf-library\n") +
           stanza("libelf1", "Provides: elf-library (= 3)\n"),
       both_automatic,
       "",
       {"libdw1"}},
      {"Of one source only the newest is kept",
       stanza("tool", "Depends: elf-library\n") + stanza("libdw1", "Source: elfutils (1.0)\nProvides: elf-library\n") +
           stanza("libelf1", "Source: elfutils (2.0)\nProvides: elf-library\n"),
       both_automatic,
       "",
       {"libdw1"}},
      {"Essential, protected and required packages stay, with what they need",
       stanza("base", "Essential: yes\nDepends: libdw1\n") + two_libraries,
       both_automatic + automatic("base"),
       "",
       {}},
      {"A circle of dependencies keeps nobody",
       stanza("libdw1", "Depends: libelf1\n") + stanza("libelf1", "Depends: libdw1\n"), both_automatic, "", both},
      {"Of another architecture, only Multi-Arch: foreign satisfies",
       stanza("tool", "Depends: libdw1, libelf1\n", "install ok installed", "i386") +
           stanza("libdw1", "Multi-Arch: foreign\n") + stanza("libelf1", "Multi-Arch: same\n") +
           stanza("libelf1", "Multi-Arch: same\n", "install ok installed", "i386"),
       both_automatic + automatic("libelf1", "i386"),
       "",
       {"libelf1"},
       {"amd64", "i386"}},
  };
}

}  // namespace ocilint::test
