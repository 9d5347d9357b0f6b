// Headers and databases of rpm: what rpm itself wrote, what is made here, and what is damaged.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "facts/rpm_database.h"
#include "facts/sqlite_table.h"
#include "support/rpm_maker.h"

using namespace ocilint;
using namespace ocilint::test;
namespace fs = std::filesystem;

namespace {

RpmDatabase read(const std::string& database, const std::string& log = "") {
  return RpmDatabase::parse(as_bytes(database), as_bytes(log));
}

ErrorKind kind_of(const std::string& database, const std::string& log = "") {
  try {
    (void)read(database, log);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

const ToyRpm bash{.name = "bash",
                  .files = {{"/usr/bin/bash", "code"}, {"/usr/bin/sh", "-> bash"}, {"/etc/bashrc", "rc"}},
                  .flags = {{"/etc/bashrc", RpmFile::config}}};
const ToyRpm docs{.name = "docs",
                  .architecture = "noarch",
                  .files = {{"/usr/share/doc/a", "text"}},
                  .flags = {},
                  .not_installed = {"/usr/share/doc/a"}};

void check_bash(const RpmPackage& package) {
  CHECK(package.name == "bash");
  CHECK(package.evr() == "1.0-1");
  CHECK(package.architecture == "x86_64");
  CHECK(package.license == "MIT");
  CHECK(package.vendor == "Toy Linux");
  CHECK(package.source == "bash-1.0-1.src.rpm");
  REQUIRE(package.files.size() == 3);
  CHECK(package.files[0].path == "/etc/bashrc");
  CHECK(package.files[0].flags == RpmFile::config);
  CHECK(package.files[1].path == "/usr/bin/bash");
  REQUIRE(package.files[1].digest);
  CHECK(package.files[1].digest->matches(Digest::sha256_of("code")));
  CHECK(package.files[1].size == 4);
  CHECK(package.files[2].link == "bash");
  CHECK(package.files[2].type() == RpmFile::symlink);
  CHECK_FALSE(package.files[2].digest);
}

}  // namespace

TEST_CASE("rpm: SQLite and rpm's own format hold the same packages") {
  const std::vector<std::string> headers = {bash.header(), docs.header()};
  for (const std::string& database : {rpm_sqlite(headers), rpm_ndb(headers)}) {
    const RpmDatabase found = read(database);
    CHECK(found.problems.empty());
    REQUIRE(found.packages.size() == 2);
    check_bash(found.packages[0]);
    CHECK(found.packages[1].files.at(0).state == RpmFile::State::not_installed);
  }
}

TEST_CASE("rpm: keys are no packages, MD5 is what a header without an algorithm means, an epoch is shown") {
  ToyRpm old{.name = "old", .files = {{"/a", "x"}}};
  old.md5 = true;
  const std::string key = RpmHeaderMaker().text(1000, "gpg-pubkey").text(1001, "1").text(1002, "2").finish();
  const std::string epoch =
      RpmHeaderMaker().text(1000, "e").text(1001, "1").text(1002, "2").numbers(1003, {3}).finish();
  const RpmDatabase found = read(rpm_sqlite({key, old.header(), epoch}));
  REQUIRE(found.packages.size() == 2);
  CHECK(found.packages[0].files.at(0).digest->algorithm == Algorithm::md5);
  CHECK(found.packages[1].evr() == "3:1-2");
  const std::string sha512 = RpmHeaderMaker()
                                 .text(1000, "s")
                                 .text(1001, "1")
                                 .text(1002, "2")
                                 .numbers(1030, {0100644}, 2)
                                 .texts(1035, {"00"})
                                 .numbers(1116, {0})
                                 .texts(1117, {"f"})
                                 .texts(1118, {"/"})
                                 .numbers(5011, {10})
                                 .finish();
  const RpmPackage package = RpmPackage::parse(as_bytes(sha512));
  REQUIRE(package.files.at(0).digest);
  CHECK_FALSE(package.files[0].digest->usable());
  CHECK(package.files[0].digest->unknown == "sha512");
}

TEST_CASE("rpm: one header that cannot be read is a problem, the others stay") {
  const auto base = [] { return RpmHeaderMaker().text(1000, "n").text(1001, "1").text(1002, "1"); };
  const std::vector<std::string> bad = {
      "",
      "x",
      std::string(8, '\0'),
      big_endian(1, 4) + big_endian(0x7fffffff, 4),
      big_endian(0xffffffff, 4) + big_endian(4, 4),
      RpmHeaderMaker().text(1001, "1").finish(),
      base().raw(1022, 6, 0x7fffffff, 1).finish(),
      base().raw(1022, 4, 0, 1).finish(),
      base().raw(1117, 8, 0, 0xffffffff).finish(),
      base().raw(1116, 4, 0, 0xffffffff).raw(1117, 8, 0, 1).finish(),
      base().texts(1117, {"f"}).texts(1118, {"/"}).numbers(1116, {1}).numbers(1030, {0100644}, 2).finish(),
      base().texts(1117, {"f"}).texts(1118, {"/"}).numbers(1116, {0, 0}).numbers(1030, {0100644}, 2).finish(),
      base().texts(1117, {"f"}).texts(1118, {"/"}).numbers(1116, {0}).finish(),
      base().texts(1117, {"f"}).texts(1118, {"/"}).numbers(1116, {0}).numbers(1030, {0100644, 1}, 2).finish(),
      base()
          .texts(1117, {"f"})
          .texts(1118, {"/"})
          .numbers(1116, {0})
          .numbers(1030, {0100644}, 2)
          .texts(1035, {"zz"})
          .finish(),
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    INFO(i);
    const RpmDatabase found = read(rpm_sqlite({bash.header(), bad[i], docs.header()}));
    CHECK(found.packages.size() == 2);
    REQUIRE(found.problems.size() == 1);
    CHECK(found.problems.front().starts_with("header 2: "));
  }
}

TEST_CASE("rpm: what is no database, and one that ends early") {
  CHECK(kind_of("") == ErrorKind::corrupt);
  CHECK(kind_of("text") == ErrorKind::corrupt);
  std::string berkeley(4096, '\0');
  berkeley.replace(12, 4, little_endian(0x053162, 4));
  CHECK(kind_of(berkeley) == ErrorKind::unsupported);
  const std::string good = rpm_sqlite({bash, docs});
  CHECK(kind_of(good.substr(0, 60)) == ErrorKind::corrupt);
  CHECK(kind_of(good.substr(0, good.size() / 2)) == ErrorKind::corrupt);
  const std::string ndb = rpm_ndb({bash.header(), docs.header()});
  CHECK(kind_of(ndb.substr(0, 100)) == ErrorKind::corrupt);
  CHECK(kind_of(ndb.substr(0, ndb.size() - 1)) == ErrorKind::corrupt);
  CHECK(kind_of(ndb.substr(0, 32)) == ErrorKind::corrupt);
  std::string damaged = ndb;
  damaged[4096] = 'x';
  CHECK(kind_of(damaged) == ErrorKind::corrupt);
  damaged = ndb;
  damaged.replace(12, 4, little_endian(0xffffffff, 4));
  CHECK(kind_of(damaged) == ErrorKind::corrupt);
}

TEST_CASE("rpm: the database may do nothing but hold rows") {
  // What the name of the table means is up to the image.
  CHECK(kind_of(rpm_sqlite({}, "ALTER TABLE Packages RENAME TO p; CREATE VIEW Packages AS SELECT hnum, blob FROM p")) ==
        ErrorKind::corrupt);
  CHECK(kind_of(rpm_sqlite(
            {},
            "CREATE TABLE t (a); CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM Packages; END; "
            "DROP TABLE Packages; CREATE TABLE Packages (hnum INTEGER, x, blob AS (zeroblob(900000000)) VIRTUAL); "
            "INSERT INTO Packages VALUES (1, 2)")) == ErrorKind::corrupt);
  CHECK(kind_of(rpm_sqlite({}, "DROP TABLE Packages")) == ErrorKind::corrupt);
  CHECK(read(rpm_sqlite(std::vector<std::string>{})).packages.empty());
}

TEST_CASE("rpm: any damaged byte gives packages, problems or an error") {
  const std::string good = rpm_sqlite({bash, docs}), ndb = rpm_ndb({bash.header(), docs.header()}),
                    header = bash.header();
  std::size_t read_whole = 0;
  for (const std::string& each : {good, ndb})
    for (std::size_t i = 0; i<each.size(); i += each.size()> 8192 ? 37 : 3) {
      std::string damaged = each;
      damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
      try {
        read_whole += read(damaged).problems.empty();
      } catch (const Error& error) {
        CHECK(error.kind() != ErrorKind::internal);
      }
    }
  CHECK(read_whole > 10);
  for (std::size_t i = 0; i < header.size(); ++i) {
    for (const int bits : {0xff, 0x01, 0x80}) {
      std::string damaged = header;
      damaged[i] = static_cast<char>(damaged[i] ^ bits);
      try {
        (void)RpmPackage::parse(as_bytes(damaged));
      } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::corrupt);
      }
    }
    CHECK_THROWS_AS(RpmPackage::parse(as_bytes(header.substr(0, i))), Error);
  }
}

TEST_CASE("rpm: a write-ahead log that rpm left behind is part of the database") {
  const fs::path folder = fs::temp_directory_path() / ("ocilint-rpm-" + std::to_string(std::rand()));
  fs::create_directories(folder);
  const std::string file = folder / "rpmdb.sqlite";
  std::ofstream(file, std::ios::binary) << rpm_sqlite({bash});
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &connection) == SQLITE_OK);
  sqlite3_exec(connection, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0", nullptr, nullptr, nullptr);
  sqlite3_stmt* insert = nullptr;
  REQUIRE(sqlite3_prepare_v2(connection, "INSERT INTO Packages (blob) VALUES (?)", -1, &insert, nullptr) == SQLITE_OK);
  const std::string header = docs.header();
  sqlite3_bind_blob(insert, 1, header.data(), static_cast<int>(header.size()), SQLITE_TRANSIENT);
  REQUIRE(sqlite3_step(insert) == SQLITE_DONE);
  sqlite3_finalize(insert);
  const std::string database = read_file(file, 1 << 20), log = read_file(file + "-wal", 1 << 20);
  sqlite3_close(connection);
  fs::remove_all(folder);
  CHECK(read(database).packages.size() == 1);
  REQUIRE(read(database, log).packages.size() == 2);
  CHECK(read(database, log).packages[1].name == "docs");
  // A log that ends in the middle of a frame, has a damaged one, or is of another database, adds nothing from there on.
  CHECK(read(database, log.substr(0, log.size() - 1)).packages.size() == 1);
  std::string damaged = log;
  damaged[log.size() - 10] ^= 1;
  CHECK(read(database, damaged).packages.size() == 1);
  damaged = log;
  damaged[17] ^= 1;
  CHECK(read(database, damaged).packages.size() == 1);
}

TEST_CASE("rpm: Packages of Berkeley DB, as its own tool writes it and rpm reads it") {
  if (std::system("command -v db5.3_load >/dev/null && command -v rpm >/dev/null") != 0) {
    WARN("skipped: no db5.3_load; `scripts/setup test` installs it");
    return;
  }
  const fs::path folder = fs::temp_directory_path() / ("ocilint-bdb-" + std::to_string(std::rand()));
  fs::create_directories(folder);
  ToyRpm large{.name = "large"};
  for (int i = 0; i < 300; ++i) large.files["/opt/large/a-file-with-a-name-" + std::to_string(i)] = std::to_string(i);
  std::vector<std::string> headers = {bash.header(), large.header(), docs.header()};
  for (int i = 0; i < 40; ++i) headers.push_back(ToyRpm{.name = "p" + std::to_string(i)}.header());
  const auto escaped = [](const std::string& bytes) {
    std::string out;
    char text[8];
    for (const char c : bytes) {
      std::snprintf(text, sizeof(text), "\\%02x", static_cast<unsigned char>(c));
      out += text;
    }
    return out + "\n";
  };
  std::ofstream input(folder / "text");
  input << escaped(little_endian(0, 4)) << escaped(little_endian(99, 4));
  for (std::size_t i = 0; i < headers.size(); ++i) input << escaped(little_endian(i + 1, 4)) << escaped(headers[i]);
  input.close();
  const std::string in = "cd " + folder.string() + " && ";
  for (const char* const order : {"1234", "4321"}) {
    INFO(order);
    REQUIRE(std::system((in + "rm -f Packages && db5.3_load -T -t hash -c db_lorder=" + order +
                         " -c db_pagesize=4096 -f text Packages")
                            .c_str()) == 0);
    const std::string database = read_file(folder / "Packages", 64 << 20);
    const RpmDatabase found = read(database);
    CHECK(found.problems.empty());
    REQUIRE(found.packages.size() == headers.size());
    const auto named = [&](const std::string& name) -> const RpmPackage& {
      for (const RpmPackage& package : found.packages)
        if (package.name == name) return package;
      throw std::runtime_error(name);
    };
    check_bash(named("bash"));
    CHECK(named("large").files.size() == 300);
    for (std::size_t i = 0; i < database.size(); i += 41) {
      std::string damaged = database;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
      try {
        (void)read(damaged);
      } catch (const Error& error) {
        CHECK(error.kind() != ErrorKind::internal);
      }
    }
    CHECK(kind_of(database.substr(0, database.size() - 1)) == ErrorKind::corrupt);
    CHECK(kind_of(database.substr(0, 4096)) == ErrorKind::corrupt);
  }
  // rpm takes it for a database, too.
  REQUIRE(
      std::system(
          (in +
           "rm -f Packages && db5.3_load -T -t hash -f text Packages && rpm --dbpath $PWD --define '_db_backend bdb_ro' "
           "-qa --qf '%{name}\n' 2>log | sort > names && test \"$(wc -l < names)\" = " +
           std::to_string(headers.size()))
              .c_str()) == 0);
  fs::remove_all(folder);
}

TEST_CASE("rpm: what rpm installed is what is read") {
  if (std::system("command -v rpmbuild >/dev/null && command -v rpm >/dev/null") != 0) {
    WARN("skipped: no rpmbuild; `scripts/setup test` installs it");
    return;
  }
  const fs::path folder = fs::temp_directory_path() / ("ocilint-rpmbuild-" + std::to_string(std::rand()));
  fs::create_directories(folder);
  std::ofstream(folder / "toy.spec")
      << "Name: toy\nVersion: 1.2\nRelease: 3\nEpoch: 4\nSummary: a toy\nLicense: MIT AND Zlib\nBuildArch: noarch\n"
         "%description\na toy\n%install\nmkdir -p %{buildroot}/usr/bin %{buildroot}/etc\necho code > %{buildroot}/usr/bin/toy\n"
         "ln -s toy %{buildroot}/usr/bin/alias\necho conf > %{buildroot}/etc/toy.conf\n"
         "%files\n%attr(755,root,root) /usr/bin/toy\n/usr/bin/alias\n%config(noreplace) /etc/toy.conf\n%ghost /var/log/toy\n";
  const std::string in = "cd " + folder.string() + " && ";
  REQUIRE(std::system(
              (in +
               "mkdir -p b/BUILDROOT && rpmbuild --define \"_topdir $PWD/b\" --define '__spec_install_pre "
               "%{___build_pre}\nmkdir -p %{buildroot}/var/log; touch %{buildroot}/var/log/toy' -bb toy.spec >log 2>&1")
                  .c_str()) == 0);
  REQUIRE(
      std::system(
          (in + "mkdir root && rpm --root $PWD/root --dbpath /var/lib/rpm --nodeps -i b/RPMS/noarch/*.rpm >>log 2>&1")
              .c_str()) == 0);
  const std::string file = folder / "root/var/lib/rpm/rpmdb.sqlite";
  const RpmDatabase found =
      read(read_file(file, 64 << 20), fs::exists(file + "-wal") ? read_file(file + "-wal", 64 << 20) : "");
  CHECK(found.problems.empty());
  REQUIRE(found.packages.size() == 1);
  const RpmPackage& toy = found.packages[0];
  CHECK(toy.name == "toy");
  CHECK(toy.evr() == "4:1.2-3");
  CHECK(toy.license == "MIT AND Zlib");
  CHECK(toy.architecture == "noarch");
  std::map<std::string, const RpmFile*> files;
  for (const RpmFile& each : toy.files) files[each.path] = &each;
  REQUIRE(files.size() == 4);
  CHECK(files.at("/usr/bin/toy")->digest->matches(Digest::sha256_of("code\n")));
  CHECK(files.at("/usr/bin/toy")->mode == 0100755);
  CHECK(files.at("/usr/bin/toy")->size == 5);
  CHECK(files.at("/usr/bin/alias")->link == "toy");
  CHECK((files.at("/etc/toy.conf")->flags & RpmFile::config) != 0);
  CHECK((files.at("/var/log/toy")->flags & RpmFile::ghost) != 0);
  fs::remove_all(folder);
}
