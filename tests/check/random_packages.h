// Random package databases, small and nasty: half-installed packages, holds, virtual packages with and without
// versions, packages of one source, foreign architectures, odd versions.
//
// Two generators. `general` spreads its relations over everything; `concentrated` has few targets that many packages
// of two sources provide, where the rules on sources and on order decide. The same seed gives the same database on
// every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace ocilint::test {

struct RandomPackages {
  std::string status, states;
  bool suggests = true, recommends = true;
};

class RandomDatabase {
 public:
  struct Kind {
    bool foreign = false;  // packages of i386 beside amd64
    bool concentrated = false;
    bool conflicts = false;  // Conflicts and Breaks too
  };

  static RandomPackages make(std::uint64_t seed, Kind kind) { return RandomDatabase(seed, kind).make(); }

 private:
  using Texts = std::vector<std::string>;

  RandomDatabase(std::uint64_t seed, Kind kind) : random_(seed), kind_(kind) {}

  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }
  std::string pick(std::initializer_list<const char*> list) { return *(list.begin() + below(list.size())); }

  std::string version() { return pick({"1.0-1", "1:0.5-2", "2.0~rc1-1", "2.0-1", "2.0-1+b1", "1.10-1", "1.9-1"}); }
  std::string constraint() { return " (" + pick({">=", "<=", "=", "<<", ">>"}) + " " + version() + ")"; }

  std::string relation() {
    Texts targets = names_;
    if (kind_.concentrated) {
      targets.resize(2);
      for (int i = 0; i < 4; ++i) targets.insert(targets.end(), virtual_.begin(), virtual_.end());
    } else {
      targets.insert(targets.end(), names_.begin(), names_.end());
      targets.insert(targets.end(), virtual_.begin(), virtual_.end());
      targets.emplace_back("gone");
    }
    std::string out = one_of(targets);
    if (kind_.foreign && chance(25)) out += pick({":any", ":amd64", ":i386"});
    if (chance(30)) out += constraint();
    return out;
  }

  std::string field(std::size_t groups) {
    std::string out;
    for (std::size_t i = 0; i < groups; ++i) {
      const std::size_t alternatives = chance(60) ? 1 : 1 + below(3);
      out += i == 0 ? "" : ", ";
      for (std::size_t k = 0; k < alternatives; ++k) out += (k == 0 ? "" : " | ") + relation();
    }
    return out;
  }

  std::string provided() {
    std::string out = one_of(virtual_);
    if (chance(40)) out += " (= " + version() + ")";
    return out;
  }

  std::string stanza(const std::string& name, const std::string& architecture) {
    const std::string want = pick(
        {"install", "install", "install", "install", "install", "install", "install", "install", "hold", "deinstall"});
    const std::string state = pick({"installed", "installed", "installed", "installed", "installed", "installed",
                                    "installed", "installed", "installed", "installed", "config-files", "unpacked",
                                    "half-configured", "triggers-pending", "half-installed"});
    std::string out =
        "Package: " + name + "\nStatus: " + want + (state == "half-installed" ? " reinstreq " : " ok ") + state + "\n";
    if (chance(6)) out += "Essential: yes\n";
    if (chance(4)) out += "Protected: yes\n";
    if (chance(4)) out += "Important: yes\n";
    out += "Priority: " + (chance(75) ? "optional" : pick({"required", "important", "standard", "extra"})) + "\n";
    out += "Section: " + pick({"libs", "metapackages", "oldlibs", "misc"}) + "\nMaintainer: x <x@y>\n";
    out += "Architecture: " + (architecture == "amd64" && chance(20) ? std::string("all") : architecture) + "\n";
    if (kind_.foreign && chance(50)) out += "Multi-Arch: " + pick({"same", "foreign", "allowed"}) + "\n";
    if (chance(kind_.concentrated ? 90 : 30)) out += "Source: " + pick({"srca", "srcb (3.0-1)", "srcb (4.0-1)"}) + "\n";
    out += "Version: " + version() + "\n";
    if (chance(kind_.concentrated ? 90 : 35))
      out += "Provides: " + provided() + (chance(50) ? ", " + provided() : "") + "\n";
    if (chance(50)) out += "Depends: " + field(1 + below(3)) + "\n";
    if (chance(10)) out += "Pre-Depends: " + field(1) + "\n";
    if (chance(20)) out += "Recommends: " + field(1 + below(2)) + "\n";
    if (chance(20)) out += "Suggests: " + field(1 + below(2)) + "\n";
    if (kind_.conflicts && chance(20)) out += pick({"Conflicts: ", "Breaks: "}) + relation() + "\n";
    return out + "Description: d\n long: text\n .\n more\n\n";
  }

  RandomPackages make() {
    RandomPackages out;
    const std::size_t count = 3 + below(12);
    for (std::size_t i = 0; i < count; ++i) names_.push_back("p" + std::to_string(10 + i));
    for (const std::string& name : names_) {
      const std::string architecture = kind_.foreign && chance(30) ? "i386" : "amd64";
      out.status += stanza(name, architecture);
      if (!chance(kind_.concentrated ? 93 : 75)) continue;
      out.states += "Package: " + name + "\n";
      if (!kind_.concentrated || !chance(11)) out.states += "Architecture: " + architecture + "\n";
      out.states += chance(90) ? "Auto-Installed: 1\n\n" : "Auto-Installed: 0\n\n";
    }
    out.suggests = chance(50);
    out.recommends = chance(80);
    return out;
  }

  std::mt19937_64 random_;
  Kind kind_;
  Texts names_;
  Texts virtual_{"v0", "v1", "v2"};
};

}  // namespace ocilint::test
