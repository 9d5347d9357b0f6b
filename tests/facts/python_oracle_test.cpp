// Versions, conditions and markers at random, against the module `packaging` of this machine's Python: one
// process for a batch. Before release 26 that module had its own mind about conditions and markers (`~=` with an
// epoch, `<` within one release, texts by order): then only the order of versions is compared.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <sstream>

#include "base/error.h"
#include "facts/elf_support.h"
#include "facts/python_requirement.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

constexpr const char* script = R"(
import sys
from packaging.version import Version
from packaging.specifiers import Specifier, SpecifierSet
from packaging.requirements import Requirement
from packaging.markers import Marker
def version(text):
    try: return str(Version(text))
    except ValueError: return '-'
def order(a, b):
    try: a, b = Version(a), Version(b)
    except ValueError: return '-'
    return '<' if a < b else '>' if a > b else '='
def fits(specifier, text):
    try: s = SpecifierSet(specifier)
    except ValueError: return '-'
    try: v = Version(text)
    except ValueError: return '-'
    return str(s.contains(v, prereleases=True))
def marker(text, *values):
    try: m = Marker(text)
    except ValueError: return '-'
    env = dict(value.split('=') for value in values)
    try: return str(m.evaluate(env))
    except Exception: return '-'
def requirement(text):
    try: r = Requirement(text)
    except ValueError: return '-'
    specifiers = ','.join(sorted({str(s) for s in r.specifier}))
    return '|'.join([r.name, ','.join(sorted(e.lower() for e in r.extras)), specifiers, r.url or ''])
for line in open(sys.argv[1]):
    what, *rest = line.rstrip('\n').split('\t')
    print(globals()[what](*rest))
)";

class Oracle {
 public:
  /// At least this release of the module.
  bool available(int release) const {
    const std::string ask = "import packaging; raise SystemExit(int(packaging.__version__.split(\".\")[0]) < " +
                            std::to_string(release) + ")";
    return have("python3") && std::system(("python3 -c '" + ask + "' >/dev/null 2>&1").c_str()) == 0;
  }
  void ask(const std::string& question, std::string ours) {
    questions_ += question + "\n";
    asked_.push_back(question);
    ours_.push_back(std::move(ours));
  }
  void compare() {
    store(folder_ / "ask.py", script);
    store(folder_ / "questions", questions_);
    std::istringstream answers(
        output_of("python3 '" + (folder_ / "ask.py").string() + "' '" + (folder_ / "questions").string() + "'"));
    std::size_t count = 0, refused = 0;
    std::string differences;
    for (std::string theirs; std::getline(answers, theirs); ++count) {
      REQUIRE(count < asked_.size());
      refused += theirs == "-";
      if (theirs == ours_[count]) continue;
      differences += asked_[count] + ": they " + theirs + ", we " + ours_[count] + "\n";
    }
    CHECK(differences.substr(0, 5000) == "");
    CHECK(count == asked_.size());
    CHECK(refused < count * 9 / 10);
  }

 private:
  Workshop folder_;
  std::string questions_;
  std::vector<std::string> asked_, ours_;
};

class Random {
 public:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }
  bool chance(std::size_t in) { return below(in) == 0; }
  std::string pick(std::initializer_list<const char*> of) { return of.begin()[below(of.size())]; }

  std::string number() { return pick({"0", "1", "2", "3", "10", "01", "00", "7", "99999999999999999999"}); }
  std::string release() {
    std::string out = chance(12) ? pick({"0!", "1!", "01!"}) : "";
    for (std::size_t i = 0, n = 1 + below(4); i < n; ++i) out += (i ? "." : "") + pick({"0", "1", "1", "2", "0", "01"});
    return out;
  }
  std::string suffix() {
    std::string out;
    const auto separator = [&] { return pick({"", "", ".", "-", "_"}); };
    const auto part = [&](std::initializer_list<const char*> words) {
      out += separator() + pick(words) + separator() + (chance(3) ? "" : number());
    };
    if (chance(3)) part({"a", "b", "rc", "c", "alpha", "beta", "pre", "preview", "RC", "Alpha"});
    if (chance(4))
      part({"post", "rev", "r", "POST"});
    else if (chance(12))
      out += "-" + number();
    if (chance(4)) part({"dev", "dev", "Dev"});
    return out;
  }
  std::string version() {
    std::string out = (chance(15) ? "v" : "") + release() + suffix();
    if (chance(4)) out += "+" + pick({"abc", "1", "01.2", "cu128", "rocm7.0", "ABC-1", "a_1.x", "0"});
    if (chance(20)) out.insert(below(out.size() + 1), pick({".", "-", "+", "x", "!", "*", "1", " ", "dev", "r"}));
    return out;
  }
  std::string specifier() {
    const std::string op = pick({"<", "<=", ">", ">=", "==", "!=", "~=", "===", "==", "!="});
    std::string out = op + pick({"", " "});
    if ((op == "==" || op == "!=") && chance(3)) return out + release() + ".*";
    if (op == "===") return out + PythonVersion::parse(release() + suffix()).value().normal();
    out += release() + suffix();
    if (op.size() == 2 && chance(6)) out += "+abc";
    return out;
  }
  std::string specifiers() {
    std::string out = specifier();
    while (chance(2)) out += pick({",", " , "}) + specifier();
    return out;
  }
  std::string item() {
    switch (below(4)) {
      case 0: {
        const std::string name = pick({"python_version", "python_full_version", "implementation_version"});
        const std::string op = pick({"<", "<=", ">", ">=", "==", "!=", "~=", "in", "not in"});
        const std::string text =
            "'" + pick({"3.8", "3.12", "3.12.1", "3.9.*", "3", "3.12.0", "3.13.0rc1", "4", "x"}) + "'";
        if (op.find("in") != op.npos) return name + " " + op + " '3.8 3.12 3.12.1'";
        return chance(4) ? text + " " + op + " " + name : name + op + text;
      }
      case 1: return "extra == '" + pick({"dev", "Dev_x", "dev-X", "all", ""}) + "'";
      case 2:
        return pick({"os_name", "os.name", "sys_platform", "platform_system"}) + pick({"==", " != ", " in "}) + "\"" +
               pick({"linux", "posix", "Linux", "nt", ""}) + "\"";
      default: return pick({"'64'", "'arm'", "'x86_64'"}) + pick({" in ", " not in ", " == "}) + "platform_machine";
    }
  }
  std::string marker(std::size_t depth = 0) {
    std::string out = depth < 4 && chance(4) ? "(" + marker(depth + 1) + ")" : item();
    while (chance(2))
      out += pick({" and ", " or "}) + (depth < 4 && chance(4) ? "( " + marker(depth + 1) + " )" : item());
    if (chance(60)) out.insert(below(out.size() + 1), pick({"(", ")", "and", "'", " or", "x"}));
    return out;
  }

 private:
  std::mt19937 engine_{20261130};
};

bool skipped(const Oracle& oracle, int release = 26) {
  if (oracle.available(release)) return false;
  WARN("skipped: python3 cannot import packaging, or one before release " << release);
  return true;
}

}  // namespace

TEST_CASE("Python versions at random, as the module packaging reads and orders them") {
  Oracle oracle;
  if (skipped(oracle, 21)) return;
  Random random;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = random.version();
    const auto read = PythonVersion::parse(text);
    oracle.ask("version\t" + text, read ? read->normal() : "-");
    const std::string other = random.version();
    const auto second = PythonVersion::parse(other);
    std::string ours = "-";
    if (read && second) {
      const int sign = compare(*read, *second);
      ours = sign < 0 ? "<" : sign > 0 ? ">" : "=";
    }
    oracle.ask("order\t" + text + "\t" + other, ours);
  }
  oracle.compare();
}

TEST_CASE("conditions on Python versions at random, as the module packaging judges them") {
  Oracle oracle;
  if (skipped(oracle)) return;
  Random random;
  for (int i = 0; i < 12000; ++i) {
    const std::string specifiers = i % 2 ? random.specifiers() : random.specifier();
    std::string version = random.version();
    if (i % 3 == 0 && specifiers.find('*') == std::string::npos && specifiers.find(',') == std::string::npos)
      version = specifiers.substr(specifiers.find_first_not_of("<>=!~ "));  // the very same
    std::string ours = "-";
    if (PythonVersion::parse(version)) {
      try {
        ours = PythonSpecifiers::parse(specifiers).matches(version) ? "True" : "False";
      } catch (const Error&) {
      }
    }
    oracle.ask("fits\t" + specifiers + "\t" + version, ours);
  }
  oracle.compare();
}

TEST_CASE("markers at random, as the module packaging evaluates them") {
  Oracle oracle;
  if (skipped(oracle)) return;
  Random random;
  for (int i = 0; i < 6000; ++i) {
    PythonEnvironment environment = {{"python_version", random.pick({"3.8", "3.12", "3.13"})},
                                     {"os_name", "posix"},
                                     {"sys_platform", "linux"},
                                     {"platform_system", "Linux"},
                                     {"platform_machine", random.pick({"x86_64", "aarch64"})},
                                     {"extra", random.pick({"", "dev", "dev-x", "all"})}};
    environment["python_full_version"] = environment["python_version"] + random.pick({".0", ".1", ".17"});
    environment["implementation_version"] = environment["python_full_version"];
    const std::string text = random.marker();
    std::string question = "marker\t" + text, ours = "-";
    for (const auto& [name, value] : environment) question += "\t" + name + "=" + value;
    try {
      const auto answer = PythonMarker::parse(text).evaluate(environment);
      ours = !answer ? "unknown" : *answer ? "True" : "False";
    } catch (const Error&) {
    }
    oracle.ask(question, ours);
  }
  oracle.compare();
}

TEST_CASE("requirements at random, as the module packaging reads them") {
  Oracle oracle;
  if (skipped(oracle)) return;
  Random random;
  for (int i = 0; i < 4000; ++i) {
    std::string text = random.pick({"a", "A.b", "ruamel.yaml", "x_y-z", "9a", "a-", "_a", "a.", "a_"});
    if (random.chance(3)) text += random.pick({"[x]", " [x, y]", "[ ]", "[x y]", "[x,]", "[,x]", "[X_1]"});
    const std::string conditions = random.specifiers();
    if (random.chance(2))
      text += random.chance(3) ? " (" + conditions + ")" : random.pick({"", " "}) + conditions;
    else if (random.chance(4))
      text += random.pick({" @ https://x.invalid/a.zip", "@file:///a;b", "@ ", " @"});
    if (random.chance(3)) text += random.pick({"; ", ";", " ;"}) + random.marker();
    if (random.chance(20)) text.insert(random.below(text.size() + 1), random.pick({",", ";", " ", "(", "]", "@"}));
    std::string ours = "-";
    try {
      PythonRequirement read = PythonRequirement::parse(text);
      std::vector<std::string> specifiers;
      for (const PythonSpecifier& each : read.specifiers.all) specifiers.push_back(each.text);
      const auto joined = [](std::vector<std::string> parts) {
        std::sort(parts.begin(), parts.end());
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        std::string out;
        for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
        return out;
      };
      for (std::string& extra : read.extras)
        if (extra == "x-1") extra = "x_1";
      ours = read.name + "|" + joined(read.extras) + "|" + joined(specifiers) + "|" + read.url;
    } catch (const Error&) {
    }
    oracle.ask("requirement\t" + text, ours);
  }
  oracle.compare();
}
