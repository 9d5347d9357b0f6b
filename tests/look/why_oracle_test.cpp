// `packages --why` of rpm against `rpm -q --whatrequires` and `rpm -V`: packages with random requirements, installed by
// rpm.
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "look/packages.h"
#include "look_kit.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

constexpr int packages = 8;

bool run(const std::string& command) { return std::system(command.c_str()) == 0; }

std::string name_of(int number) { return "toy" + std::to_string(number); }

std::string spec_of(int number, std::mt19937& random) {
  const std::string name = name_of(number), path = "/opt/" + name + "/file";
  std::string out = "Name: " + name + "\nVersion: 1." + std::to_string(number) +
                    "\nRelease: 1\nSummary: toy\nLicense: MIT\nBuildArch: noarch\n";
  const auto some = [&](int of) { return std::to_string(random() % of); };
  for (int i = 0; i < 2; ++i)
    out +=
        "Provides: cap" + some(4) + (random() % 2 == 0 ? "" : " = 2.0") + "\nProvides: so" + some(4) + ".so()(64bit)\n";
  std::set<std::string> named;
  for (int i = 0; i < 4; ++i) {
    const std::string other = some(packages);
    switch (random() % 4) {
      case 0: out += "Requires: cap" + some(4) + "\n"; break;
      case 1: out += "Requires: so" + some(4) + ".so()(64bit)\n"; break;
      case 2: out += "Requires: /opt/toy" + other + "/file\n"; break;
      default:
        // One of a name, so that what rpm calls unsatisfied is all that is asked by it.
        if (named.insert(other).second)
          out +=
              "Requires: toy" + other + (random() % 3 == 0 ? "" : " = 1." + (random() % 2 == 0 ? other : "99")) + "\n";
    }
  }
  return out + "%description\ntoy\n%install\nmkdir -p %{buildroot}/opt/" + name + "\necho " + name + " > %{buildroot}" +
         path + "\n%files\n" + path + "\n";
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// By rpm itself, of everything that the package gives: by name, but for what rpm says is not met.
std::set<std::string> users_by_rpm(const std::string& folder, const std::string& name) {
  const std::string rpm = "rpm --root " + folder + "/root --dbpath /var/lib/rpm -q ",
                    to = " > " + folder + "/users; true";
  std::set<std::string> out;
  REQUIRE(run("{ " + rpm + "--provides " + name + " | sed 's/ = .*//' | grep -v '^" + name + "$'; " + rpm + "-l " +
              name + "; } | while read -r cap; do " + rpm +
              "--qf '%{NAME}\\n' --whatrequires \"$cap\" | grep ^toy; done" + to));
  for (const std::string& line : lines_of(folder + "/users")) out.insert(line);
  REQUIRE(run(rpm + "--qf '%{NAME}\\n' --whatrequires " + name + to));
  for (const std::string& user : lines_of(folder + "/users")) {
    const auto unmet = lines_of(folder + "/unmet." + user);
    const auto asks_in_vain = [&](const std::string& line) {
      return line.find("\t" + name + " = ") != std::string::npos;
    };
    if (user.starts_with("toy") && std::ranges::none_of(unmet, asks_in_vain)) out.insert(user);
  }
  out.erase(name);
  return out;
}

}  // namespace

TEST_CASE("why: rpm names the same packages that ask for each") {
  if (!run("command -v rpmbuild >/dev/null && command -v rpm >/dev/null")) {
    WARN("skipped: no rpmbuild; `scripts/setup test` installs it");
    return;
  }
  const TempDir dir;
  std::mt19937 random(11);
  for (int number = 0; number < packages; ++number)
    write_file(dir / (name_of(number) + ".spec"), spec_of(number, random));
  const std::string in = "cd " + dir.path() + " && ";
  REQUIRE(run(in + "for s in *.spec; do rpmbuild --define \"_topdir $PWD/b\" -bb $s || exit 1; done >log 2>&1"));
  REQUIRE(
      run(in + "mkdir root && rpm --root $PWD/root --dbpath /var/lib/rpm --nodeps -i b/RPMS/noarch/*.rpm >>log 2>&1"));
  for (int number = 0; number < packages; ++number)
    REQUIRE(run(in + "rpm --root $PWD/root --dbpath /var/lib/rpm -V --nofiles " + name_of(number) + " >unmet." +
                name_of(number) + " 2>&1; true"));
  test::TarWriter tar;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir / "root"))
    if (entry.is_regular_file())
      tar.file(entry.path().string().substr((dir / "root/").size()), read_file(entry.path().string(), 64u << 20));
  TestImage image;
  image.layer_tars = {tar.finish()};
  image.created_by = {"RUN rpm -i"};
  const std::string reference = write_oci_layout(image, dir / "image");
  std::size_t all = 0;
  for (int number = 0; number < packages; ++number) {
    const PackagesLook look = look_at_packages(look_options(reference), {.why = name_of(number), .files = {}});
    INFO(name_of(number));
    REQUIRE(look.reasons.size() == 1);
    std::set<std::string> users;
    for (const PackageUser& user : look.reasons[0].users) users.insert(user.name);
    const std::set<std::string> wanted = users_by_rpm(dir.path(), name_of(number));
    CHECK(users == wanted);
    all += wanted.size();
  }
  CHECK(all >= packages);
}
