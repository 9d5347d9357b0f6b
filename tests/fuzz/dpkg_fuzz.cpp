// The parsers of dpkg's and apt's files over hostile bytes; the first byte chooses one. They answer or throw
// Error, and nothing else. Beside that: paths that they give are in normal form, what a .list gives reads the
// same when it is written again, and a matcher agrees with itself on what it has no doubt about.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/path.h"
#include "base/version.h"
#include "facts/apt_conf.h"
#include "facts/apt_extended_states.h"
#include "facts/dpkg_diversions.h"
#include "facts/dpkg_list.h"
#include "facts/dpkg_md5sums.h"
#include "facts/dpkg_names.h"
#include "facts/dpkg_path_filter.h"
#include "facts/dpkg_statoverride.h"
#include "facts/dpkg_status.h"
#include "facts/key_value.h"
#include "facts/os_release.h"
#include "facts/passwd.h"

namespace {

using namespace ocilint;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_normal(const std::string& path) {
  const NormalPath again = normalise(path);
  require(again.path == path && !again.escaped);
}

void status(std::string_view text, DpkgStatus::Variant variant) {
  for (const DpkgPackage& package : DpkgStatus::parse(text, variant).packages) {
    require(is_package_name(package.name));
    require(!package.installed() || package.unpacked());
    require(compare_debian(package.version, package.version) == 0);
    for (const Conffile& conffile : package.conffiles) {
      require_normal(conffile.path);
      require(conffile.digest.empty() == conffile.newconffile);
    }
  }
}

void list(std::string_view text) {
  const DpkgList once = DpkgList::parse(text);
  for (const std::string& path : once.paths) require_normal(path);
  const DpkgList again = DpkgList::parse(once.text());
  require(again.paths == once.paths && again.notes.empty() && again.refused == 0);
}

void sums(std::string_view text, const DpkgMd5sums::Listed& listed) {
  const DpkgMd5sums read = DpkgMd5sums::parse(text, listed);
  require(read.malformed.empty() || read.unverifiable());
  for (const auto& entry : read.entries) {
    require_normal(entry.path);
    require(!entry.digest.empty());
  }
}

void diversions(std::string_view text) {
  const DpkgDiversions read = DpkgDiversions::parse(text);
  for (const DpkgDiversion& record : read.records) {
    require(read.find(record.original) == &record && read.find_target(record.target) == &record);
    require(read.place_of(record.original, record.package + "x") == record.target);
  }
}

void run(std::uint8_t parser, std::string_view text) {
  switch (parser % 14) {
    case 0: return status(text, DpkgStatus::Variant::status);
    case 1: return status(text, DpkgStatus::Variant::status_d);
    case 2: return list(text);
    case 3: return sums(text, {});
    case 4: return sums(text, [](std::string_view path) { return path.size() % 2 == 0; });
    case 5: return diversions(text);
    case 6:
      for (const auto& entry : DpkgStatOverride::parse(text).entries) require_normal(entry.path);
      return;
    case 7: {
      const DpkgPathFilter filter = DpkgPathFilter::parse(text);
      if (!filter.excluded("/usr/share/doc/x")) require(!filter.excluded_directory("/usr/share/doc/x"));
      return;
    }
    case 8: (void)AptExtendedStates::parse(text); return;
    case 9: (void)AptConf::parse(text).list("A::B"); return;
    case 10: (void)OsRelease::parse(text).id_like(); return;
    case 11:
      (void)Passwd::parse(text);
      (void)Group::parse(text);
      (void)Shadow::parse(text);
      return;
    case 12: {
      const KeyValue read = KeyValue::parse(text);
      for (const auto& entry : read.entries) (void)read.find(entry.key);
      return;
    }
    default: {
      const auto half = text.substr(0, text.size() / 2), rest = text.substr(text.size() / 2);
      require(compare_debian(half, rest) == -compare_debian(rest, half));
      require(compare_dotted(half, rest) == -compare_dotted(rest, half));
      (void)split_info_file_name(text);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    run(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const Error&) {
  }
  return 0;
}
