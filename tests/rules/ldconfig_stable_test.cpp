#include <catch2/catch.hpp>

#include "support/check_kit.h"
#include "support/library_root.h"

using namespace ocilint;
using namespace ocilint::testing;
using ocilint::test::LibraryRoot;
using ocilint::test::made_library;
using ocilint::test::real_ldconfig;
using ocilint::test::TarWriter;

namespace {

using Lines = std::vector<std::string>;

std::string library(const std::string& soname, const std::string& variant = "") {
  return made_library({.soname = soname, .variant = variant});
}

class Layers {
 public:
  Layers& add(const std::function<void(TarWriter&)>& fill) {
    TarWriter tar;
    fill(tar);
    return add(tar.finish());
  }
  Layers& add(std::string tar) {
    image_.layer_tars.push_back(std::move(tar));
    image_.created_by.push_back("RUN step " + std::to_string(image_.layer_tars.size()));
    return *this;
  }
  CheckResult check(const std::string& with) const {
    const ImageResult result = run_on(image_, run_options(policy_of("ldconfig-stable", with)));
    REQUIRE_FALSE(result.unreadable);
    const CheckResult* const check = find_check(result, "tested");
    REQUIRE(check != nullptr);
    return *check;
  }
  Lines lines(const std::string& with) const { return lines_of(check(with)); }

 private:
  TestImage image_;
};

/// The stock library and its links.
void stock(TarWriter& tar) {
  tar.file("etc/ld.so.conf", "/opt/l\n");
  tar.file("opt/l/libx.so.7.2.70204", library("libx.so.7", "stock"));
  tar.symlink("opt/l/libx.so.7", "libx.so.7.2.70204");
}

std::string text_of(const CheckResult& check) {
  std::string out;
  for (const ReportedFinding& found : check.findings) {
    out += found.finding.message + "\n";
    for (const std::string& detail : found.finding.details) out += detail + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("ldconfig-stable: a replacement whose name compares lower is undone by the next ldconfig") {
  Layers layers;
  layers.add(stock).add([](TarWriter& tar) {
    tar.file("opt/l/libx.so.7.2.53211-b539bf7", library("libx.so.7", "backport"));
    tar.symlink("opt/l/libx.so.7", "libx.so.7.2.53211-b539bf7");
  });
  const CheckResult check = layers.check("{cache: ignore}");
  CHECK(lines_of(check) == Lines{"repointed /opt/l/libx.so.7"});
  REQUIRE(check.findings.size() == 1);
  CHECK(check.findings[0].finding.layer == 1U);
  const std::string text = text_of(check);
  CHECK(text.find("70204 > 53211") != text.npos);
  CHECK(text.find("/opt/l/libx.so.7.2.53211-b539bf7 (a file of layer 1, 1 names)") != text.npos);
  CHECK(text.find("/opt/l/libx.so.7.2.70204 (a file of layer 0, 1 names)") != text.npos);
  CHECK(layers.lines("{cache: ignore, sonames: ['liby.so*']}") == Lines{"missing liby.so*"});
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/l]}") == Lines{"repointed /opt/l/libx.so.7"});
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/none]}") == Lines{"missing /opt/none"});
}

TEST_CASE("ldconfig-stable: hard links and equal bytes are stable whichever name wins") {
  Layers linked;
  linked.add(stock).add([](TarWriter& tar) {
    tar.file("opt/l/libx.so.7.2.53211-b539bf7", library("libx.so.7", "backport"));
    tar.hard_link("opt/l/libx.so.7.2.70204", "opt/l/libx.so.7.2.53211-b539bf7");
    tar.symlink("opt/l/libx.so.7", "libx.so.7.2.53211-b539bf7");
  });
  CHECK(linked.lines("{cache: ignore}") == Lines{"pass"});
  Layers copied;
  copied.add(stock).add([](TarWriter& tar) {
    for (const char* const name : {"opt/l/libx.so.7.2.53211-b539bf7", "opt/l/libx.so.7.2.70204"})
      tar.file(name, library("libx.so.7", "backport"));
    tar.symlink("opt/l/libx.so.7", "libx.so.7.2.53211-b539bf7");
  });
  CHECK(copied.lines("{cache: ignore}") == Lines{"pass"});
}

TEST_CASE("ldconfig-stable: backups beside a library") {
  Layers layers;
  layers.add(stock).add([](TarWriter& tar) {
    tar.file("opt/l/libx.so.7.2.70204.bak", library("libx.so.7", "old"));  // wins
    tar.file("opt/l/libx.so.7.1.orig", library("libx.so.7", "older"));     // does not
  });
  CHECK(layers.lines("{cache: ignore}") == Lines{"repointed /opt/l/libx.so.7", "stray-copy /opt/l/libx.so.7.1.orig"});
  CHECK(layers.lines("{cache: ignore, allow: ['*.orig']}") == Lines{"repointed /opt/l/libx.so.7"});
}

TEST_CASE("ldconfig-stable: a regular file under the SONAME stays, and the other file is a stray copy") {
  Layers layers;
  layers.add([](TarWriter& tar) {
    tar.file("opt/l/libx.so.7", library("libx.so.7", "stock"));
    tar.file("opt/l/libx.so.7.9", library("libx.so.7", "other"));
  });
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/l]}") == Lines{"stray-copy /opt/l/libx.so.7.9"});
}

TEST_CASE("ldconfig-stable: names that compare equal may go either way") {
  Layers layers;
  layers.add([](TarWriter& tar) {
    tar.file("opt/l/libx.so.7.1", library("libx.so.7", "stock"));
    tar.file("opt/l/libx.so.7.01", library("libx.so.7", "other"));
    tar.symlink("opt/l/libx.so.7", "libx.so.7.1");
  });
  const CheckResult check = layers.check("{cache: ignore, dirs: [/opt/l]}");
  CHECK(lines_of(check) == Lines{"repointed /opt/l/libx.so.7"});
  CHECK(text_of(check).find("compare equal") != std::string::npos);
}

TEST_CASE("ldconfig-stable: what the loader would meet under the name of a library") {
  Layers layers;
  layers.add([](TarWriter& tar) {
    tar.file("opt/l/liba.so.1", "");
    tar.file("opt/l/libb.so.2", "INPUT(libc.so.6)");
    tar.file("opt/l/libc.so", "GROUP(libc.so.6)");  // the linker's
    tar.file("opt/l/libd.so", "!<arch>\nmembers");
    tar.file("opt/l/libe.so.1.md5", "text");
    tar.file("opt/l/libf.so", "");
  });
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/l]}") ==
        Lines{"not-a-library /opt/l/liba.so.1", "not-a-library /opt/l/libb.so.2", "not-a-library /opt/l/libd.so",
              "not-a-library /opt/l/libf.so"});
}

TEST_CASE("ldconfig-stable: a library whose SONAME cannot be told is an error, not a pass") {
  Layers layers;
  layers.add([](TarWriter& tar) {
    std::string cut = library("libx.so.7");
    tar.file("opt/l/libx.so.7.1", cut.substr(0, cut.size() - 40));
  });
  const Lines lines = layers.lines("{cache: ignore, dirs: [/opt/l]}");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("error /opt/l/libx.so.7.1: a malformed ELF file"));
}

TEST_CASE("ldconfig-stable: no cache, a broken one, and an image without glibc") {
  CHECK(Layers().add(stock).lines("{}") == Lines{"no-cache /etc/ld.so.cache"});
  CHECK(Layers().add(stock).lines("{cache: ignore}") == Lines{"pass"});
  const auto broken = [](TarWriter& tar) { tar.file("etc/ld.so.cache", "not a cache"); };
  CHECK(Layers().add(stock).add(broken).lines("{}") == Lines{"no-cache /etc/ld.so.cache"});
  const auto removed = [](TarWriter& tar) { tar.whiteout("etc/ld.so.conf"); };
  CHECK(Layers().add(stock).add(removed).lines("{}") == Lines{"pass"});  // only default directories are left
  const auto musl = [](TarWriter& tar) { tar.file("lib/libc.musl-x86_64.so.1", library("libc.musl-x86_64.so.1")); };
  CHECK(Layers().add(musl).lines("{}") == Lines{"not applicable"});
}

TEST_CASE("ldconfig-stable: the cache of a real ldconfig, and what later layers do to it") {
  if (!std::filesystem::exists(real_ldconfig)) {
    WARN("skipped: no ldconfig");
    return;
  }
  const LibraryRoot root;
  root.file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\ninclude more/*.list\n/opt/l\n");
  root.file("/etc/ld.so.conf.d/.hidden.conf", "/opt/hidden\n");
  root.file("/etc/ld.so.conf.d/a.conf", "/opt/a\n");
  root.file("/etc/more/x.list", "/opt/more  # from another folder\n");
  root.library("/opt/hidden/libh.so.1.0", "libh.so.1");
  for (const char* const folder : {"/opt/a", "/opt/l", "/opt/more", "/usr/lib", "/usr/lib/x86_64-linux-gnu"})
    root.library(std::string(folder) + "/libx.so.1.0", "libx.so.1");
  root.library("/opt/l/liby.so.1.0", "liby.so.1");
  root.library("/opt/a/glibc-hwcaps/x86-64-v3/libx.so.1.0", "libx.so.1", "v3");
  REQUIRE(root.run());
  const std::string base = root.tar();

  const CheckResult good = Layers().add(base).check("{}");
  CHECK(lines_of(good) == Lines{"pass"});
  REQUIRE_FALSE(good.evidence.empty());
  CHECK(good.evidence.back().text.find("7 entries of /etc/ld.so.cache are what ldconfig would write") == 0);

  const auto with = [&](const std::function<void(TarWriter&)>& fill, const std::string& params = "{}") {
    return Layers().add(base).add(fill).lines(params);
  };
  CHECK(with([](TarWriter& tar) {
          tar.whiteout("opt/l/liby.so.1");
          tar.whiteout("opt/l/liby.so.1.0");
        }) == Lines{"stale-cache /opt/l/liby.so.1"});
  CHECK(with([](TarWriter& tar) { tar.file("opt/l/libz.so.1", library("libz.so.1")); }) ==
        Lines{"not-in-cache /opt/l/libz.so.1"});
  CHECK(with([](TarWriter& tar) { tar.file("opt/l/libz.so.1", library("libz.so.1")); }, "{dirs: [/opt/a]}") ==
        Lines{"pass"});
  CHECK(with([](TarWriter& tar) { tar.whiteout("etc/more/x.list"); }) == Lines{"stale-cache /opt/more/libx.so.1"});
  CHECK(with([](TarWriter& tar) { tar.whiteout("etc/ld.so.cache"); }) == Lines{"no-cache /etc/ld.so.cache"});
  CHECK(with([](TarWriter& tar) { tar.file("etc/ld.so.conf", "/opt/l\n/opt/a\n/opt/more\n"); }) ==
        Lines{"stale-cache /opt/a/libx.so.1"});  // another order: another library is found first
  CHECK(with([](TarWriter& tar) {
          for (int i = 0; i < 8; ++i)
            tar.file("opt/l/libn" + std::to_string(i) + ".so.1", library("libn" + std::to_string(i) + ".so.1"));
        }) == Lines{"not-in-cache /opt/l"});
}

TEST_CASE("ldconfig-stable: an unreadable library is an error also when other SONAMEs are asked about") {
  Layers layers;
  layers.add([](TarWriter& tar) {
    const std::string whole = library("libx.so.7");
    tar.file("opt/l/libx.so.7.1", whole.substr(0, whole.size() - 40));
  });
  CHECK(layers.check("{cache: ignore, dirs: [/opt/l], sonames: [liby.so.1]}").outcome == Outcome::error);
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/l], allow: ['libx.so.7.1']}") == Lines{"pass"});
}

TEST_CASE("ldconfig-stable: a SONAME that no directory has, and a link to a directory that is gone") {
  Layers layers;
  layers.add([](TarWriter& tar) {
    stock(tar);
    tar.symlink("opt/gone", "none");
  });
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/l], sonames: ['libx.so*']}") == Lines{"pass"});
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/l], sonames: ['libx.so*', 'libz.so*']}") ==
        Lines{"missing libz.so*"});
  CHECK(layers.lines("{cache: ignore, dirs: [/opt/l, /opt/gone]}") == Lines{"missing /opt/gone"});
}
