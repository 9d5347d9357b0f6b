#include "facts/rpm_database.h"

#include <fmt/format.h>

#include "base/error.h"
#include "facts/berkeley_hash.h"
#include "facts/limits.h"
#include "facts/sqlite_table.h"

namespace ocilint {
namespace {

constexpr std::size_t problems_kept = 20;

class Collector {
 public:
  void header(std::uint64_t number, Bytes bytes) {
    if (++headers_ > packages_most) throw Error(ErrorKind::limit, "an rpm database with too many packages");
    try {
      RpmPackage package = RpmPackage::parse(bytes);
      paths_ += package.files.size();
      if (paths_ > package_paths) throw Error(ErrorKind::limit, "an rpm database with too many paths");
      if (!package.is_key()) out.packages.push_back(std::move(package));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::corrupt) throw;
      if (out.problems.size() < problems_kept)
        out.problems.push_back(fmt::format("header {}: {}", number, error.what()));
      else if (out.problems.size() == problems_kept)
        out.problems.emplace_back("and more headers");
    }
  }

  RpmDatabase out;

 private:
  std::size_t headers_ = 0, paths_ = 0;
};

// rpm's own format: pages of slots, each a package's number and where its blob stands, in blocks of 16 bytes.
constexpr std::uint32_t ndb_magic = 0x506d7052, slot_magic = 0x746f6c53, head_magic = 0x53626c42,
                        tail_magic = 0x45626c42;
constexpr std::uint64_t ndb_page = 4096, ndb_block = 16, ndb_header = 32, head_bytes = 16, tail_bytes = 12;

bool is_ndb(Bytes bytes) { return bytes.size() >= ndb_header && Cursor(bytes).u32() == ndb_magic; }

/// The key is a number in the byte order of the machine; that of record 0, which holds the next number, is the same
/// either way.
void read_berkeley(Bytes bytes, Collector& into) {
  read_berkeley_hash(bytes, [&](Bytes key, Bytes value) {
    if (key.size() != 4) corrupt("a key of Packages that is no number");
    if (const std::uint32_t number = Cursor(key).u32(); number != 0) into.header(number, value);
  });
}

void read_ndb_blob(Bytes bytes, std::uint32_t number, std::uint64_t block, std::uint64_t blocks, Collector& into) {
  Cursor in(bytes);
  in.seek(block * ndb_block);
  const Bytes whole = in.take(blocks * ndb_block);
  Cursor head(whole);
  if (head.u32() != head_magic || head.u32() != number)
    corrupt(fmt::format("no package {} where its slot says", number));
  (void)head.u32();  // when it was written
  const std::uint64_t length = head.u32();
  if (whole.size() < head_bytes + tail_bytes || length > whole.size() - head_bytes - tail_bytes)
    corrupt(fmt::format("package {} is longer than its blocks", number));
  Cursor tail(whole);
  tail.seek(whole.size() - tail_bytes + 4);
  if (tail.u32() != length || tail.u32() != tail_magic) corrupt(fmt::format("package {} has no end", number));
  into.header(number, head.take(length));
}

void read_ndb(Bytes bytes, Collector& into) {
  Cursor in(bytes);
  in.skip(4);
  if (const std::uint32_t version = in.u32(); version != 0)
    throw Error(ErrorKind::unsupported, fmt::format("rpm's Packages.db of version {}", version));
  (void)in.u32();  // generation
  const std::uint64_t pages = in.u32();
  Cursor slots(bytes);
  slots.seek(ndb_header);
  if (pages == 0 || pages > bytes.size() / ndb_page) corrupt("Packages.db is shorter than its slots");
  for (std::uint64_t i = ndb_header / ndb_block; i < pages * (ndb_page / ndb_block); ++i) {
    if (slots.u32() != slot_magic) corrupt(fmt::format("slot {} of Packages.db is none", i));
    const std::uint32_t number = slots.u32(), block = slots.u32(), blocks = slots.u32();
    if (block == 0) continue;
    if (number == 0 || block < pages * (ndb_page / ndb_block))
      corrupt(fmt::format("slot {} of Packages.db is none", i));
    read_ndb_blob(bytes, number, block, blocks, into);
  }
}

}  // namespace

RpmDatabase RpmDatabase::parse(Bytes database, Bytes log) {
  Collector collector;
  if (is_sqlite(database))
    read_sqlite_table(database, log, "Packages", "hnum", "blob", [&](std::int64_t number, Bytes header) {
      collector.header(static_cast<std::uint64_t>(number), header);
    });
  else if (is_ndb(database))
    read_ndb(database, collector);
  else if (is_berkeley(database))
    read_berkeley(database, collector);
  else
    corrupt("no database of rpm: neither SQLite nor rpm's own format nor Berkeley DB");
  return std::move(collector.out);
}

}  // namespace ocilint
