// The readers of apk's, rpm's and Node's databases over hostile bytes; the first byte chooses one. They answer or
// throw Error, and nothing else: paths of apk are in normal form, and what a digest holds fits its algorithm.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/path.h"
#include "facts/apk_installed.h"
#include "facts/node_package.h"
#include "facts/rpm_database.h"

namespace {

using namespace ocilint;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_digest(const std::optional<RecordedDigest>& digest) {
  if (!digest) return;
  require(digest->usable() || !digest->unknown.empty());
  require(digest->bytes.size() <= size_of(digest->algorithm));
  require(!digest->text().empty());
}

void apk(std::string_view text) {
  for (const ApkPackage& package : ApkInstalled::parse(text).packages) {
    require(!package.name.empty() && !package.version.empty() && package.line > 0);
    for (const ApkFile& file : package.files) {
      require(normalise(file.path).path == file.path && file.mode <= 07777);
      require_digest(file.digest);
    }
  }
}

void rpm(const RpmPackage& package) {
  require(!package.name.empty() && !package.version.empty());
  for (const RpmFile& file : package.files) require_digest(file.digest);
}

void run(std::uint8_t reader, std::string_view text) {
  switch (reader % 6) {
    case 0: return apk(text);
    case 1:
      for (const std::string& name : parse_apk_world(text)) require(!name.empty());
      return;
    case 2: return rpm(RpmPackage::parse(as_bytes(text)));
    case 3: {
      const std::size_t log = text.size() / 3;
      for (const RpmPackage& package :
           RpmDatabase::parse(as_bytes(text.substr(log)), as_bytes(text.substr(0, log))).packages)
        rpm(package);
      return;
    }
    case 4:
      for (const RpmPackage& package : RpmDatabase::parse(as_bytes(text)).packages) rpm(package);
      return;
    default:
      if (const auto read = NodePackage::parse(text)) require(!read->name.empty());
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
