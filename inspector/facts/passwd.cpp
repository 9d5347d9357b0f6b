#include "facts/passwd.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

// Fields of one line of any of the three files. Empty when there are more or fewer than Count.
template <std::size_t Count>
using Fields = std::array<std::string_view, Count>;
template <std::size_t Count>
std::optional<Fields<Count>> split(std::string_view line) {
  Fields<Count> fields;
  for (std::size_t i = 0; i + 1 < Count; ++i) {
    const auto colon = line.find(':');
    if (colon == line.npos) return std::nullopt;
    fields[i] = line.substr(0, colon);
    line.remove_prefix(colon + 1);
  }
  if (line.find(':') != line.npos) return std::nullopt;
  fields[Count - 1] = line;
  return fields;
}

std::string_view scheme_of(std::string_view hash) {
  static constexpr std::pair<std::string_view, std::string_view> marks[] = {
      {"$y$", "yescrypt"}, {"$gy$", "gost-yescrypt"}, {"$7$", "scrypt"},
      {"$6$", "sha512"},   {"$5$", "sha256"},         {"$2", "bcrypt"},
      {"$1$", "md5"},      {"$sha1$", "sha1"},        {"$md5", "sunmd5"},
      {"$3$", "nt"}};
  for (const auto& [mark, name] : marks)
    if (hash.starts_with(mark)) return name;
  if (hash.size() > 3 && hash.front() == '$' && hash.find('$', 1) != hash.npos) return "other";
  const auto letter = [](char c) { return (c >= '.' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  if (hash.size() == 20 && hash.front() == '_' && std::all_of(hash.begin() + 1, hash.end(), letter)) return "bsdi";
  if (hash.size() == 13 && std::all_of(hash.begin(), hash.end(), letter)) return "des";
  return {};
}

// Calls read(line, number) for every line that should be an entry; it returns the reason why it is none.
template <typename Read>
void read_lines(std::string_view text, Notes& malformed, Notes& notes, Read&& read) {
  require_text(text, account_bytes);
  for (Lines lines(text); lines.next();) {
    auto line = lines.text();
    const std::size_t number = lines.number();
    if (line.size() > account_line_bytes) limit_line(number, "a line of more bytes than is allowed");
    if (line.starts_with(' ') || line.starts_with('\t')) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      add_note(notes, number, "blanks at the start");  // libc skips them and reads the entry
    }
    if (line.empty() || line.front() == '#') {
      add_note(notes, number, line.empty() ? "an empty line" : "a comment");
      continue;
    }
    if (line.front() == '+' || line.front() == '-') {
      add_note(malformed, number, "an entry for NIS");
      continue;
    }
    if (const std::string_view reason = read(line, number); !reason.empty()) add_note(malformed, number, reason);
  }
}

// Notes what libc would never find, and numbers that are written in an unusual way.
class Duplicates {
 public:
  explicit Duplicates(Notes& notes) : notes_(notes) {}
  void name(std::string_view name, std::size_t line) {
    if (!names_.insert(name).second) add_note(notes_, line, "another entry for " + std::string(name));
  }
  void id(std::string_view text, std::uint32_t id, std::string_view what, std::size_t line) {
    if (!ids_.insert(id).second)
      add_note(notes_, line, "another entry with " + std::string(what) + ' ' + std::to_string(id));
    zeros(text, line);
  }
  void zeros(std::string_view text, std::size_t line) {
    if (text.size() > 1 && text.front() == '0') add_note(notes_, line, "a number with leading zeros");
  }

 private:
  Notes& notes_;
  std::unordered_set<std::string_view> names_;  // of the text that is being parsed
  std::unordered_set<std::uint32_t> ids_;
};

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (comma != 0) items.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

// Days of shadow(5): absent, or a decimal number that may be -1. False if it is neither.
bool read_days(std::string_view text, std::optional<std::int64_t>& days) {
  if (text.empty()) return true;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 18) return false;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  days = negative ? -value : value;
  return true;
}

// What the three files have in common: name and password come first. `read` fills the rest of an entry, and returns
// the reason why the line is none.
template <typename File, std::size_t Count, typename Read>
File parse_entries(std::string_view text, std::string_view other_count, Read&& read) {
  File file;
  Duplicates duplicates(file.notes);
  read_lines(text, file.malformed, file.notes, [&](std::string_view line, std::size_t number) -> std::string_view {
    const auto fields = split<Count>(line);
    if (!fields) return other_count;
    if (fields->front().empty()) return "no name";
    typename decltype(file.entries)::value_type entry;
    if (const std::string_view reason = read(*fields, number, duplicates, entry); !reason.empty()) return reason;
    entry.name = (*fields)[0];
    entry.password = Password::classify((*fields)[1]);
    entry.line = number;
    file.entries.push_back(std::move(entry));
    return {};
  });
  return file;
}

template <typename Entries>
auto find_name(const Entries& entries, std::string_view name) -> const typename Entries::value_type* {
  for (const auto& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace

Password Password::classify(std::string_view field) {
  if (field.empty()) return {PasswordKind::empty, {}, false};
  if (field == "x") return {PasswordKind::shadowed, {}, false};
  if (field.front() == '!' || field.front() == '*') {
    const auto behind = field.substr(std::min(field.find_first_not_of("!*"), field.size()));
    const auto scheme = scheme_of(behind);
    return {PasswordKind::locked, scheme, !scheme.empty()};
  }
  const auto scheme = scheme_of(field);
  return {scheme.empty() ? PasswordKind::invalid : PasswordKind::hash, scheme, false};
}

std::optional<std::uint32_t> parse_id(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    if (value > UINT32_MAX - 1) return std::nullopt;
  }
  return static_cast<std::uint32_t>(value);
}

Passwd Passwd::parse(std::string_view text) {
  return parse_entries<Passwd, 7>(
      text, "not seven fields",
      [](const Fields<7>& fields, std::size_t line, Duplicates& duplicates, PasswdEntry& entry) -> std::string_view {
        const auto uid = parse_id(fields[2]), gid = parse_id(fields[3]);
        if (!uid) return "the user id is no number from 0 to 4294967294";
        if (!gid) return "the group id is no number from 0 to 4294967294";
        duplicates.name(fields[0], line);
        duplicates.id(fields[2], *uid, "user id", line);
        duplicates.zeros(fields[3], line);
        entry.uid = *uid;
        entry.gid = *gid;
        entry.gecos = fields[4];
        entry.home = fields[5];
        entry.shell = fields[6];
        return {};
      });
}

const PasswdEntry* Passwd::find(std::string_view name) const { return find_name(entries, name); }

const PasswdEntry* Passwd::find(std::uint32_t uid) const {
  for (const PasswdEntry& entry : entries)
    if (entry.uid == uid) return &entry;
  return nullptr;
}

Group Group::parse(std::string_view text) {
  return parse_entries<Group, 4>(
      text, "not four fields",
      [](const Fields<4>& fields, std::size_t line, Duplicates& duplicates, GroupEntry& entry) -> std::string_view {
        const auto gid = parse_id(fields[2]);
        if (!gid) return "the group id is no number from 0 to 4294967294";
        duplicates.name(fields[0], line);
        duplicates.id(fields[2], *gid, "group id", line);
        entry.gid = *gid;
        entry.members = comma_list(fields[3]);
        return {};
      });
}

const GroupEntry* Group::find(std::string_view name) const { return find_name(entries, name); }

const GroupEntry* Group::find(std::uint32_t gid) const {
  for (const GroupEntry& entry : entries)
    if (entry.gid == gid) return &entry;
  return nullptr;
}

Shadow Shadow::parse(std::string_view text) {
  return parse_entries<Shadow, 9>(
      text, "not nine fields",
      [](const Fields<9>& fields, std::size_t line, Duplicates& duplicates, ShadowEntry& entry) -> std::string_view {
        std::optional<std::int64_t>* const days[] = {&entry.last_change, &entry.minimum,  &entry.maximum,
                                                     &entry.warning,     &entry.inactive, &entry.expires};
        for (std::size_t i = 0; i < std::size(days); ++i)
          if (!read_days(fields[i + 2], *days[i])) return "a field of days is no number";
        duplicates.name(fields[0], line);
        return {};
      });
}

const ShadowEntry* Shadow::find(std::string_view name) const { return find_name(entries, name); }

}  // namespace ocilint
