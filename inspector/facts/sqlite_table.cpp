#include "facts/sqlite_table.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "facts/limits.h"

namespace ocilint {
namespace {

constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::size_t header_bytes = 100, frame_header_bytes = 24, log_header_bytes = 32;
constexpr std::uint64_t database_most = 512u << 20;  // with its log; contents of an image are smaller by far
constexpr int steps_between = 100'000;               // of SQLite's machine, between two looks
constexpr int looks_most = 20'000;                   // a table of a million rows needs 100

/// Two running sums over pairs of words ("WAL File Format", Checksum Algorithm).
struct Checksum {
  std::uint32_t one = 0, two = 0;
  void add(Bytes bytes, Endian endian) {
    Cursor in(bytes, endian);
    while (in.left() >= 8) {
      one += in.u32() + two;
      two += in.u32() + one;
    }
  }
};

std::uint32_t page_size_of(Bytes database) {
  Cursor in(database, Endian::big);
  in.seek(16);
  const std::uint32_t size = in.u16();
  return size == 1 ? 65'536 : size;
}

void apply_log(Bytes log, std::string& database) {
  if (log.size() < log_header_bytes) return;
  Cursor in(log, Endian::big);
  const std::uint32_t log_magic = in.u32();
  (void)in.u32();  // of the format
  const std::uint32_t page = in.u32();
  (void)in.u32();  // number of the checkpoint
  const std::uint32_t salt_one = in.u32(), salt_two = in.u32(), sum_one = in.u32(), sum_two = in.u32();
  if ((log_magic & ~1u) != 0x377f0682 || page != page_size_of(as_bytes(database))) return;
  const Endian words = (log_magic & 1) != 0 ? Endian::big : Endian::little;
  Checksum sum;
  sum.add(log.first(24), words);
  if (sum.one != sum_one || sum.two != sum_two) return;

  struct Frame {
    std::uint32_t number;
    Bytes page;
  };
  std::vector<Frame> frames;
  std::size_t committed = 0;
  std::uint32_t pages = 0;
  while (in.left() >= frame_header_bytes + page) {
    const Bytes head = in.take(frame_header_bytes), body = in.take(page);
    Cursor field(head, Endian::big);
    const std::uint32_t number = field.u32(), size = field.u32();
    if (field.u32() != salt_one || field.u32() != salt_two || number == 0) break;
    sum.add(head.first(8), words);
    sum.add(body, words);
    if (field.u32() != sum.one || field.u32() != sum.two) break;
    frames.push_back({number, body});
    if (size != 0) {
      committed = frames.size();
      pages = size;
    }
  }
  if (committed == 0) return;
  if (std::uint64_t{pages} * page > database_most)
    throw Error(ErrorKind::limit, "an SQLite database that is too large");
  database.resize(std::size_t{pages} * page);
  for (std::size_t i = 0; i < committed; ++i) {
    const std::uint64_t at = std::uint64_t{frames[i].number - 1} * page;
    if (at < database.size())
      std::ranges::copy(as_text(frames[i].page), database.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

struct Close {
  void operator()(sqlite3* at) const { sqlite3_close(at); }
  void operator()(sqlite3_stmt* at) const { sqlite3_finalize(at); }
};
using Connection = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

void must(int result, sqlite3* connection) {
  if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
  if (result == SQLITE_NOMEM) throw std::bad_alloc();
  if (result == SQLITE_INTERRUPT) throw Error(ErrorKind::limit, "an SQLite database that takes too long to read");
  corrupt(fmt::format("SQLite: {}", sqlite3_errmsg(connection)));
}

/// What the one statement may do: look at columns of tables.
int allow(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

int look(void* looks) { return ++*static_cast<int*>(looks) > looks_most ? 1 : 0; }

}  // namespace

bool is_sqlite(Bytes bytes) { return as_text(bytes).starts_with(magic); }

void read_sqlite_table(Bytes database, Bytes log, std::string_view table, std::string_view key, std::string_view value,
                       const std::function<void(std::int64_t key, Bytes value)>& row) {
  if (!is_sqlite(database) || database.size() < header_bytes) corrupt("no SQLite database");
  if (database.size() > database_most) throw Error(ErrorKind::limit, "an SQLite database that is too large");
  std::string bytes(as_text(database));
  apply_log(log, bytes);
  // In this mode SQLite would look for a log, and there is none any more.
  bytes[18] = bytes[19] = 1;

  sqlite3* opened = nullptr;
  const int result =
      sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  const Connection connection(opened);
  if (opened == nullptr) throw std::bad_alloc();
  must(result, opened);
  int looks = 0;
  for (const auto& [option, on] : {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1),
                                   {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                   {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                   {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}})
    must(sqlite3_db_config(opened, option, on, nullptr), opened);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, static_cast<int>(rpm_header_bytes));
  sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
  must(sqlite3_exec(opened, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0", nullptr,
                    nullptr, nullptr),
       opened);
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  must(sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(bytes.data()), size, size,
                           SQLITE_DESERIALIZE_READONLY),
       opened);
  sqlite3_progress_handler(opened, steps_between, look, &looks);
  must(sqlite3_set_authorizer(opened, allow, nullptr), opened);

  const std::string query = fmt::format("SELECT {}, {} FROM {}", key, value, table);
  sqlite3_stmt* prepared = nullptr;
  must(sqlite3_prepare_v2(opened, query.c_str(), static_cast<int>(query.size()), &prepared, nullptr), opened);
  const Statement statement(prepared);
  std::size_t rows = 0;
  for (int step = sqlite3_step(prepared); step != SQLITE_DONE; step = sqlite3_step(prepared)) {
    must(step, opened);
    if (++rows > sqlite_rows) throw Error(ErrorKind::limit, "a table of an SQLite database with too many rows");
    const int length = sqlite3_column_bytes(prepared, 1);
    const auto* const blob = static_cast<const std::uint8_t*>(sqlite3_column_blob(prepared, 1));
    row(sqlite3_column_int64(prepared, 0), blob == nullptr ? Bytes() : Bytes(blob, static_cast<std::size_t>(length)));
  }
}

}  // namespace ocilint
