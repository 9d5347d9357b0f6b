// One column of one table of an SQLite database that lies in memory, with what its write-ahead log adds.
//
// The bytes are hostile: SQLite sees them in memory only (no file, no extension, no view, no trigger, no value of more
// than rpm_header_bytes) and gives up after a bounded number of steps. A log is applied as SQLite itself would: frames
// up to the last commit whose salt and checksum hold (sqlite.org, "WAL File Format"); a log of another database is
// none. Error{corrupt}: no SQLite database, or one that SQLite cannot read to its end. Error{limit}: limits.h. Any
// thread. Cost: a copy of the database.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/bytes.h"

namespace ocilint {

bool is_sqlite(Bytes bytes);

/// Calls `row` with the integer of column `key` and the bytes of column `value`, in order of the rows. The names are
/// the caller's own, not the image's.
void read_sqlite_table(Bytes database, Bytes log, std::string_view table, std::string_view key, std::string_view value,
                       const std::function<void(std::int64_t key, Bytes value)>& row);

}  // namespace ocilint
