// package-files against `rpm -Va`: packages that rpmbuild made and rpm installed into a folder, which is then spoiled.
// Owner, mode and time are rpm's alone.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "base/file.h"
#include "support/check_kit.h"

using namespace ocilint;
using namespace ocilint::testing;
namespace fs = std::filesystem;

namespace {

bool run(const std::string& command) { return std::system(command.c_str()) == 0; }

std::string spec_of(int number) {
  const std::string name = "toy" + std::to_string(number), below = "/opt/" + name;
  std::string install = "mkdir -p %{buildroot}" + below + "/d %{buildroot}/etc %{buildroot}/var/log\n", files;
  for (int i = 0; i < 12; ++i) {
    const std::string path = below + "/f" + std::to_string(i);
    install += "echo content" + std::to_string(number * 100 + i) + " > %{buildroot}" + path + "\n";
    install += "ln -s f" + std::to_string(i) + " %{buildroot}" + below + "/l" + std::to_string(i) + "\n";
    files += path + "\n" + below + "/l" + std::to_string(i) + "\n";
  }
  install += "ln %{buildroot}" + below + "/f1 %{buildroot}" + below + "/hard\n";
  install += "echo conf > %{buildroot}/etc/" + name + ".conf\ntouch %{buildroot}/var/log/" + name +
             "\necho doc > %{buildroot}" + below + "/README\n";
  files += below + "/hard\n%config(noreplace) /etc/" + name + ".conf\n%ghost /var/log/" + name + "\n%doc " + below +
           "/README\n%dir " + below + "/d\n%verify(not md5 size mtime) " + below + "/f0\n";
  // f0 once, with its own flags.
  files.erase(files.find(below + "/f0\n"), below.size() + 4);
  return "Name: " + name + "\nVersion: 1." + std::to_string(number) +
         "\nRelease: 1\nSummary: toy\nLicense: MIT\nBuildArch: noarch\n" +
         (number == 2 ? "%global _binary_filedigest_algorithm 1\n%global _source_filedigest_algorithm 1\n" : "") +
         "%description\ntoy\n%install\n" + install + "%files\n" + files;
}

/// Paths of which rpm says that bytes or target are others, or that they are missing.
std::set<std::string> complaints(const std::string& file) {
  std::set<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const bool missing = line.starts_with("missing");
    if (missing || (line.size() > 5 && (line[2] == '5' || line[4] == 'L'))) out.insert(line.substr(slash));
  }
  return out;
}

}  // namespace

TEST_CASE("package-files: of packages that rpm installed it says what rpm -Va says") {
  if (!run("command -v rpmbuild >/dev/null && command -v rpm >/dev/null")) {
    WARN("skipped: no rpmbuild; `scripts/setup test` installs it");
    return;
  }
  const TempDir dir;
  const std::string in = "cd " + dir.path() + " && ";
  for (int number = 1; number <= 3; ++number)
    write_file(dir / ("toy" + std::to_string(number) + ".spec"), spec_of(number));
  REQUIRE(run(in + "for s in *.spec; do rpmbuild --define \"_topdir $PWD/b\" -bb $s || exit 1; done >log 2>&1"));
  REQUIRE(
      run(in + "mkdir root && rpm --root $PWD/root --dbpath /var/lib/rpm --nodeps -i b/RPMS/noarch/*.rpm >>log 2>&1"));
  std::mt19937 random(7);
  std::size_t all = 0;
  for (int round = 0; round < 3; ++round) {
    INFO("round " << round);
    for (int number = 1; number <= 3; ++number) {
      const std::string name = "toy" + std::to_string(number), below = dir / ("root/opt/" + name + "/");
      for (int change = 0; change < 2; ++change) {
        const std::string i = std::to_string(random() % 12);
        switch (random() % 6) {
          case 0: std::ofstream(below + "f" + i) << "contentXXX\n"; break;
          case 1: fs::remove(below + "f" + i); break;
          case 2:
            fs::remove(below + "l" + i);
            fs::create_symlink("elsewhere", below + "l" + i);
            break;
          case 3: fs::remove(below + "l" + i); break;
          case 4: std::ofstream(dir / ("root/etc/" + name + ".conf")) << "edited\n"; break;
          default: fs::remove(below + "README");
        }
      }
      std::ofstream(dir / ("root/var/log/" + name)) << "a line\n";
    }
    (void)run(in + "rpm --root $PWD/root --dbpath /var/lib/rpm -Va >verify 2>&1");
    REQUIRE(run(in + "tar -C root --format=pax -cf layer.tar ."));
    TestImage image;
    image.layer_tars = {read_file(dir / "layer.tar", 64 << 20)};
    image.created_by = {"RUN rpm"};
    const ImageResult result = run_on(image, run_options(policy_of("package-files", "{managers: [rpm]}")));
    const CheckResult* const check = find_check(result, "tested");
    REQUIRE(check != nullptr);
    CHECK(check->errors.empty());
    std::set<std::string> ours;
    for (const ReportedFinding& found : check->findings) {
      ours.insert(found.finding.subject);
    }
    const std::set<std::string> theirs = complaints(dir / "verify");
    CHECK(ours == theirs);
    all += theirs.size();
    // Without the parameter the layers are read again for the digests, with the same answer.
    const ImageResult again = run_on(image, run_options(policy_of("package-files", "{}")));
    CHECK(lines_of(*find_check(again, "tested")) == lines_of(*check));
  }
  CHECK(all > 15);
}
