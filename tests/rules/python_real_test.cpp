// This machine's own Python distributions as an image: their requirements against `pip check` in a virtual
// environment that has the same ones (some taken away, some with another version), their RECORD against
// Python's csv and hashlib.
#include <sys/utsname.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "check/python_requires.h"
#include "support/toy_packages.h"

using namespace ocilint;
using namespace ocilint::test;
namespace fs = std::filesystem;

namespace {

std::string output_of(const std::string& command) {
  FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[65536];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  pclose(pipe);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "ocilint-python-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

/// The site folder of python3 with at least 20 wheels; "" with a printed reason.
fs::path own_site() {
  const std::string site = output_of("python3 -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])'");
  std::size_t count = 0;
  if (!site.empty() && fs::is_directory(site))
    for (const auto& entry : fs::directory_iterator(site)) count += entry.path().extension() == ".dist-info";
  if (count >= 20) return site;
  WARN("skipped: python3 has " << count << " wheels in its site-packages, at least 20 are needed");
  return {};
}

using Pairs = std::set<std::pair<std::string, std::string>>;  // who requires what

/// "a 1 requires b, which is not installed." and "a 1 has requirement b>=2, but you have b 1."
Pairs parse_pip_check(const std::string& text) {
  Pairs out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string by, version, verb, what;
    words >> by >> version >> verb >> what;
    if (verb == "has") words >> what;
    if (verb != "has" && verb != "requires") continue;
    out.emplace(normal_python_name(by), normal_python_name(what.substr(0, what.find_first_of("<>=!~,;[("))));
  }
  return out;
}

}  // namespace

TEST_CASE("python-dists: requirements of this machine's distributions as pip check has them", "[.full]") {
  const fs::path site = own_site();
  if (site.empty()) return;
  if (output_of("python3 -m pip --version").empty()) {
    WARN("skipped: python3 has no pip");
    return;
  }
  const std::string version = output_of("python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'");
  const std::string full = output_of("python3 -c 'import platform; print(platform.python_version())'");
  utsname host{};
  REQUIRE(uname(&host) == 0);
  std::mt19937 random(1);
  std::size_t unmet = 0;
  for (int round = 0; round < 5; ++round) {
    const Folder folder;
    const std::string env = folder.path / "venv";
    (void)output_of("python3 -m venv --without-pip '" + env + "'");
    const fs::path target = fs::path(env) / "lib" / ("python" + version) / "site-packages";
    REQUIRE(fs::is_directory(target));
    const std::string in_image = "/opt/venv/lib/python" + version + "/site-packages/";
    ToyImage image;
    LayerBuilder& layer = image.layer("RUN").raw();
    for (const auto& entry : fs::directory_iterator(site)) {
      const std::string name = entry.path().filename();
      if (!name.ends_with(".dist-info") || name.starts_with('~') || (round > 0 && random() % 12 == 0)) continue;
      std::string text = read(entry.path() / "METADATA");
      if (round > 0 && random() % 12 == 0) {
        const std::size_t at = text.find("\nVersion: ") + 1;
        text.replace(at, text.find('\n', at) - at, "Version: 0.0.1.dev1");
      }
      layer.file(in_image + name + "/METADATA", text);
      fs::create_directory(target / name);
      std::ofstream(target / name / "METADATA", std::ios::binary) << text;
    }
    const Pairs theirs = parse_pip_check(output_of("python3 -m pip --python '" + env + "/bin/python' check"));

    const ImageView& view = image.view("python-dists", Params(rule_of("python-dists").doc.params));
    const std::vector<PythonPath> paths = find_python_paths(view, {});
    REQUIRE(paths.size() == 1);
    const PythonDists dists = PythonDists::read(view, paths.front());
    for (const PythonDist& dist : dists.all) CHECK(dist.problem == "");
    PythonEnvironment environment = python_environment(paths.front(), view);
    environment["platform_machine"] = host.machine;
    environment["python_full_version"] = environment["implementation_version"] = full;
    environment["platform_release"] = host.release;
    const RequirementsFacts facts = check_requirements(dists, environment, [](auto, auto) { return false; });
    CHECK(facts.undecided == std::vector<std::string>{});
    Pairs ours;
    for (const PythonAsk& each : facts.unmet)
      if (each.extra.empty()) ours.emplace(each.by->normal, each.requirement.normal);
    CHECK(ours == theirs);
    CHECK(facts.satisfied > 20);
    unmet += ours.size();
  }
  CHECK(unmet > 10);
}

TEST_CASE("python-dists: names, versions and requirements of this machine as importlib has them", "[.full]") {
  const fs::path own = own_site();
  if (own.empty()) return;
  std::size_t eggs = 0;
  for (const fs::path& site : {own, fs::path("/usr/lib/python3/dist-packages")}) {
    if (!fs::is_directory(site)) continue;
    std::set<std::string> theirs, ours;
    std::istringstream answers(
        output_of("python3 -c 'import sys, importlib.metadata as m\nfor d in "
                  "m.distributions(path=[sys.argv[1]]): print(d.metadata[\"Name\"], d.version, "
                  "len(d.requires or []))' '" +
                  site.string() + "'"));
    for (std::string line; std::getline(answers, line);) theirs.insert(line);
    ToyImage image;
    LayerBuilder& layer = image.layer("RUN").raw();
    for (const auto& entry : fs::directory_iterator(site)) {
      const std::string name = entry.path().filename(), in_image = "/opt/lib/python3.11/site-packages/" + name;
      if (!name.ends_with(".dist-info") && !name.ends_with(".egg-info")) continue;
      if (fs::is_regular_file(entry.path())) layer.file(in_image, read(entry.path()));
      for (const char* file : {"METADATA", "PKG-INFO", "requires.txt"})
        if (fs::is_regular_file(entry.path() / file)) layer.file(in_image + "/" + file, read(entry.path() / file));
    }
    const ImageView& view = image.view("python-dists", Params(rule_of("python-dists").doc.params));
    for (const PythonPath& path : find_python_paths(view, {}))
      for (const PythonDist& dist : PythonDists::read(view, path).all) {
        CHECK(dist.problem == "");
        eggs += dist.kind == PythonDist::Kind::egg_info;
        for (const std::string& text : dist.requirements) CHECK_NOTHROW(PythonRequirement::parse(text));
        ours.insert(dist.name + " " + dist.version + " " + std::to_string(dist.requirements.size()));
      }
    CHECK(ours == theirs);
  }
  if (eggs == 0) WARN("this machine has no .egg-info to compare");
}

TEST_CASE("wheel-record: this machine's wheels as hashlib has them", "[.full]") {
  const fs::path site = own_site();
  if (site.empty()) return;
  const Folder folder;
  std::ofstream(folder.path / "ask.py") << R"(
import base64, csv, hashlib, os, sys
site = sys.argv[1]
for info in sorted(os.listdir(site)):
    record = os.path.join(site, info, 'RECORD')
    if not info.endswith('.dist-info') or not os.path.exists(record): continue
    rows = list(csv.reader(open(record, newline='')))
    paths = [os.path.normpath(os.path.join(site, row[0])) for row in rows]
    if sum(os.path.getsize(p) for p in paths if os.path.isfile(p)) > 3000000: continue
    print('dist', info)
    for row, path in zip(rows, paths):
        if not os.path.isfile(path):
            if not path.endswith('.pyc'): print('missing', path)
            continue
        print('file', path)
        if not row[1]: continue
        digest = base64.urlsafe_b64encode(hashlib.sha256(open(path, 'rb').read()).digest()).rstrip(b'=').decode()
        if row[1] != 'sha256=' + digest: print('modified', path)
)";
  std::istringstream answers(output_of("python3 '" + (folder.path / "ask.py").string() + "' '" + site.string() + "'"));
  ToyImage image;
  LayerBuilder& layer = image.layer("RUN").raw();
  std::set<std::string> files;
  std::vector<std::string> theirs, dists;
  for (std::string line; std::getline(answers, line);) {
    const std::size_t blank = line.find(' ');
    const std::string what = line.substr(0, blank), path = line.substr(blank + 1);
    if (what == "dist")
      dists.push_back(path);
    else if (what == "file")
      files.insert(path);
    else
      theirs.push_back(line);
  }
  REQUIRE(dists.size() > 10);
  for (const std::string& path : files) layer.file(path, read(path));
  // One byte more in one file, and one file less.
  std::string victim, gone;
  for (const std::string& path : files) {
    if (path.find("dist-info") != path.npos || !path.ends_with(".py")) continue;
    if (victim.empty())
      victim = path;
    else if (gone.empty())
      gone = path;
  }
  image.layer("RUN sed").raw().file(victim, read(victim) + "#").whiteout(gone);
  theirs.push_back("modified " + victim);
  theirs.push_back("missing " + gone);
  std::sort(theirs.begin(), theirs.end());
  theirs.erase(std::unique(theirs.begin(), theirs.end()), theirs.end());
  CHECK(lines(image.check("wheel-record", {{"site", paths({escape_glob(site.string())})}})) == theirs);
}
