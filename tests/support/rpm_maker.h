// Databases of rpm for tests: headers, rpmdb.sqlite and Packages.db, as rpm writes them.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/digest.h"

namespace ocilint::test {

inline std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
  return out;
}

inline std::string little_endian(std::uint64_t value, int bytes) {
  const std::string big = big_endian(value, bytes);
  return {big.rbegin(), big.rend()};
}

/// Tags in the order in which they are added; values are aligned as rpm aligns them.
class RpmHeaderMaker {
 public:
  RpmHeaderMaker& text(std::uint32_t tag, const std::string& value, std::uint32_t type = 6) {
    return add(tag, type, 1, value + '\0', 1);
  }
  RpmHeaderMaker& texts(std::uint32_t tag, const std::vector<std::string>& values) {
    std::string data;
    for (const std::string& value : values) data += value + '\0';
    return add(tag, 8, static_cast<std::uint32_t>(values.size()), data, 1);
  }
  RpmHeaderMaker& numbers(std::uint32_t tag, const std::vector<std::uint64_t>& values, int width = 4) {
    std::string data;
    for (const std::uint64_t value : values) data += big_endian(value, width);
    const std::uint32_t type = width == 1 ? 1 : width == 2 ? 3 : width == 4 ? 4 : 5;
    return add(tag, type, static_cast<std::uint32_t>(values.size()), data, width);
  }
  /// Whatever the entry says.
  RpmHeaderMaker& raw(std::uint32_t tag, std::uint32_t type, std::uint32_t offset, std::uint32_t count) {
    index_ += big_endian(tag, 4) + big_endian(type, 4) + big_endian(offset, 4) + big_endian(count, 4);
    ++entries_;
    return *this;
  }
  std::string finish() const { return big_endian(entries_, 4) + big_endian(data_.size(), 4) + index_ + data_; }

 private:
  RpmHeaderMaker& add(std::uint32_t tag, std::uint32_t type, std::uint32_t count, const std::string& data, int align) {
    while (data_.size() % align != 0) data_ += '\0';
    raw(tag, type, static_cast<std::uint32_t>(data_.size()), count);
    data_ += data;
    return *this;
  }

  std::string index_, data_;
  std::uint32_t entries_ = 0;
};

/// A package of regular files, as current builders make them.
struct ToyRpm {
  std::string name, version = "1.0", release = "1", architecture = "x86_64", license = "MIT";
  std::map<std::string, std::string> files = {};    // path -> content; "-> x" is a link to x
  std::map<std::string, std::uint64_t> flags = {};  // of a path
  std::vector<std::string> not_installed = {};
  bool md5 = false;
  std::vector<std::string> needs = {};  // "bash", "bash = 5.1", "(a if b)"
  std::vector<std::string> recommends = {};
  std::vector<std::string> provides = {};  // beside its own name

  /// Three lists of one length: names, flags, versions.
  static void add_relations(RpmHeaderMaker& out, const std::vector<std::string>& texts, std::uint32_t name_tag,
                            std::uint32_t flags_tag, std::uint32_t version_tag) {
    std::vector<std::string> names, versions;
    std::vector<std::uint64_t> flags;
    for (const std::string& text : texts) {
      const std::size_t blank = text.starts_with('(') ? std::string::npos : text.find(' ');
      names.push_back(text.substr(0, blank));
      versions.push_back(blank == std::string::npos ? "" : text.substr(text.rfind(' ') + 1));
      std::uint64_t sense = 0;
      if (blank != std::string::npos)
        for (const char c : text.substr(blank)) sense |= c == '<' ? 2u : c == '>' ? 4u : c == '=' ? 8u : 0u;
      flags.push_back(sense);
    }
    if (!names.empty()) out.texts(name_tag, names).numbers(flags_tag, flags).texts(version_tag, versions);
  }

  std::string header() const {
    RpmHeaderMaker out;
    out.text(1000, name)
        .text(1001, version)
        .text(1002, release)
        .text(1014, license)
        .text(1011, "Toy Linux")
        .text(1022, architecture)
        .text(1044, name + "-" + version + "-" + release + ".src.rpm");
    std::vector<std::string> own = provides;
    own.push_back(name + " = " + version + "-" + release);
    add_relations(out, needs, 1049, 1048, 1050);
    add_relations(out, own, 1047, 1112, 1113);
    add_relations(out, recommends, 5046, 5048, 5047);
    if (files.empty()) return out.finish();
    std::vector<std::string> names, folders, digests, links;
    std::vector<std::uint64_t> indexes, modes, sizes, flag, states;
    for (const auto& [path, content] : files) {
      const std::size_t slash = path.rfind('/');
      const std::string folder = path.substr(0, slash + 1);
      if (folders.empty() || folders.back() != folder) folders.push_back(folder);
      indexes.push_back(folders.size() - 1);
      names.push_back(path.substr(slash + 1));
      const bool link = content.starts_with("-> ");
      Hasher hasher(md5 ? Algorithm::md5 : Algorithm::sha256);
      hasher.update(as_bytes(content));
      digests.push_back(link ? "" : hasher.finish().hex());
      links.push_back(link ? content.substr(3) : "");
      modes.push_back(link ? 0120777 : 0100644);
      sizes.push_back(content.size());
      flag.push_back(flags.contains(path) ? flags.at(path) : 0);
      bool absent = false;
      for (const std::string& one : not_installed) absent = absent || one == path;
      states.push_back(absent ? 2 : 0);
    }
    out.numbers(1028, sizes).numbers(1030, modes, 2).texts(1035, digests).texts(1036, links).numbers(1037, flag);
    out.numbers(1116, indexes).texts(1117, names).texts(1118, folders).numbers(1029, states, 1);
    if (!md5) out.numbers(5011, {8});
    return out.finish();
  }
};

/// A database in memory with the table of packages; `other` is run after it.
inline std::string rpm_sqlite(const std::vector<std::string>& headers, const std::string& other = "") {
  sqlite3* connection = nullptr;
  const auto must = [](bool holds) {
    if (!holds) throw std::runtime_error("SQLite");
  };
  must(sqlite3_open(":memory:", &connection) == SQLITE_OK);
  must(sqlite3_exec(connection, "CREATE TABLE 'Packages' (hnum INTEGER PRIMARY KEY AUTOINCREMENT, blob BLOB NOT NULL)",
                    nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_stmt* insert = nullptr;
  must(sqlite3_prepare_v2(connection, "INSERT INTO Packages (blob) VALUES (?)", -1, &insert, nullptr) == SQLITE_OK);
  for (const std::string& header : headers) {
    sqlite3_bind_blob(insert, 1, header.data(), static_cast<int>(header.size()), SQLITE_TRANSIENT);
    must(sqlite3_step(insert) == SQLITE_DONE);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  if (!other.empty()) must(sqlite3_exec(connection, other.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(connection, "main", &size, 0);
  std::string out(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(connection);
  out[18] = out[19] = 2;  // as rpm leaves it: with a write-ahead log
  return out;
}

inline std::string rpm_sqlite(const std::vector<ToyRpm>& packages) {
  std::vector<std::string> headers;
  for (const ToyRpm& package : packages) headers.push_back(package.header());
  return rpm_sqlite(headers);
}

/// Packages.db of rpm's own format, one page of slots.
inline std::string rpm_ndb(const std::vector<std::string>& headers) {
  std::string slots, blobs;
  std::uint32_t number = 0;
  for (const std::string& header : headers) {
    ++number;
    std::string blob =
        "BlbS" + little_endian(number, 4) + little_endian(7, 4) + little_endian(header.size(), 4) + header;
    while ((blob.size() + 12) % 16 != 0) blob += '\0';
    blob += little_endian(0, 4) + little_endian(header.size(), 4) + "BlbE";
    slots += "Slot" + little_endian(number, 4) + little_endian((4096 + blobs.size()) / 16, 4) +
             little_endian(blob.size() / 16, 4);
    blobs += blob;
  }
  std::string out = "RpmP" + little_endian(0, 4) + little_endian(1, 4) + little_endian(1, 4) +
                    little_endian(number + 1, 4) + std::string(12, '\0') + slots;
  while (out.size() < 4096) out += "Slot" + std::string(12, '\0');
  return out + blobs;
}

}  // namespace ocilint::test
