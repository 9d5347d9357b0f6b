// The facts of this machine's own libraries, against nm and eu-readelf. Both go by sections, the facts do
// not.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "facts/elf.h"
#include "facts/elf_support.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

struct Names {
  std::multiset<std::string> defined, undefined;
};

Names names_by_nm(const std::filesystem::path& path) {
  Names names;
  std::istringstream lines(output_of("nm -D --with-symbol-versions '" + path.string() + "' 2>/dev/null", true));
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < 12) continue;
    // "ADDRESS T name@@VERSION"; undefined ones have spaces for an address.
    const std::size_t type = line[0] == ' ' ? line.find_first_not_of(' ') : line.find(' ') + 1;
    if (std::string("bdnrst").find(line[type]) != std::string::npos) continue;  // local
    (line[0] == ' ' ? names.undefined : names.defined).insert(line.substr(type + 2));
  }
  return names;
}

struct Dynamic {
  std::vector<std::string> needed;
  std::string soname, rpath, runpath;
};

Dynamic dynamic_by_readelf(const std::filesystem::path& path) {
  Dynamic result;
  std::istringstream lines(output_of("eu-readelf -d '" + path.string() + "' 2>/dev/null", true));
  for (std::string line; std::getline(lines, line);) {
    const auto open = line.find('[');
    const auto close = line.rfind(']');
    if (open == std::string::npos || close == std::string::npos) continue;
    const std::string value = line.substr(open + 1, close - open - 1);
    std::string tag;
    std::istringstream(line) >> tag;
    if (tag == "NEEDED") result.needed.push_back(value);
    if (tag == "SONAME") result.soname = value;
    if (tag == "RPATH") result.rpath = value;
    if (tag == "RUNPATH") result.runpath = value;
  }
  return result;
}

std::vector<std::filesystem::path> libraries() {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           "/usr/lib", std::filesystem::directory_options::skip_permission_denied, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(ignored) || entry.is_symlink(ignored)) continue;
    if (name.find(".so") == std::string::npos || entry.file_size(ignored) > (8U << 20U)) continue;
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string difference(const std::multiset<std::string>& left, const std::multiset<std::string>& right) {
  std::vector<std::string> only;
  std::set_symmetric_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(only));
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(only.size(), 8); ++i) text += only[i] + " ";
  return text;
}

bool compare(const std::filesystem::path& path) {
  const Blob blob = load(path);
  const ElfFacts facts = facts_of(blob);
  if (facts.kind != ElfKind::elf || facts.type != 3) return false;
  INFO(path);
  INFO(facts.malformed);
  REQUIRE(facts.complete());
  const Dynamic dynamic = dynamic_by_readelf(path);
  CHECK(facts.soname.value_or("") == dynamic.soname);
  CHECK(facts.needed == dynamic.needed);
  CHECK(facts.rpath.value_or("") == dynamic.rpath);
  CHECK(facts.runpath.value_or("") == dynamic.runpath);
  Names ours;
  for (const ElfSymbol& symbol : dynamic_symbols(CapturedFile::whole(blob), [](auto, bool) { return true; })) {
    if (symbol.binding == SymbolBinding::local) continue;
    (symbol.defined ? ours.defined : ours.undefined).insert(symbol.text());
  }
  const Names theirs = names_by_nm(path);
  CHECK(difference(ours.defined, theirs.defined) == "");
  CHECK(difference(ours.undefined, theirs.undefined) == "");
  // Each name can also be looked up, and the lookup finds as many definitions.
  std::map<std::string, std::size_t> wanted;
  for (const std::string& name : theirs.defined) {
    if (wanted.size() < 200) ++wanted[name.substr(0, name.find('@'))];
  }
  std::vector<std::string> request{"no_library_defines_this"};
  for (const auto& [name, count] : wanted) request.push_back(name);
  const ElfFacts looked_up = facts_of(blob, request);
  CHECK(looked_up.lookup("no_library_defines_this").state == SymbolState::absent);
  for (const auto& [name, count] : wanted) {
    const SymbolAnswer answer = looked_up.lookup(name);
    INFO(name);
    CHECK(answer.state != SymbolState::unread);
    CHECK(!answer.found.empty());
  }
  return true;
}

void compare_some(std::size_t most) {
  if (!have("nm") || !have("eu-readelf")) {
    WARN("skipped: nm or eu-readelf is not installed");
    return;
  }
  const auto found = libraries();
  const std::size_t step = std::max<std::size_t>(1, found.size() / most);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < found.size(); i += step) compared += compare(found[i]) ? 1 : 0;
  WARN("compared " << compared << " libraries");
  CHECK(compared > 0);
}

}  // namespace

TEST_CASE("libraries of this machine have the facts that nm and eu-readelf see", "[elf]") { compare_some(80); }

TEST_CASE("every library of this machine has the facts that nm and eu-readelf see", "[.full][elf]") {
  compare_some(100'000);
}
