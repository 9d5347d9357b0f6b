#include "facts/secret_detectors.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/error.h"
#include "facts/secret_guards.h"
#include "facts/secret_table.h"

namespace ocilint {
namespace {

using enum Guard::Bit;

// Two in a parenthesis, in a member of a class, crash clang 14.
constexpr unsigned of_users = userinfo | token_user;
constexpr unsigned of_data = placeholder | across_lines;

constexpr std::int64_t pattern_memory = 2 << 20;  // of 79 patterns; RE2 falls back to its NFA beyond it
constexpr std::size_t longest_token = 4 << 10;    // behind a prefix, where lines end it
constexpr std::size_t region_ahead = 6 << 10;     // behind a keyword, within its line
constexpr std::size_t region_step = 4 << 10;      // of a line that is longer: the next region begins there
constexpr int most_groups = 5;                    // of a pattern, and the whole
constexpr std::size_t none = std::string_view::npos;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_word(char c) { return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z'); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) out.push_back(part);
    at = end + 1;
  }
  return out;
}

std::unique_ptr<const RE2> compile(std::string_view pattern) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory);
  return std::make_unique<const RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
}

bool runs_in(const Detector& detector, SecretScope scope) {
  switch (detector.kind) {
    case Detector::Kind::prefix:
    case Detector::Kind::context: return true;
    case Detector::Kind::file: return scope != SecretScope::file;
    case Detector::Kind::metadata:
      // Named values of documents are found as their builders write them: secret_pairs.h.
      return scope == SecretScope::document ? (detector.guards & named) == 0 : scope == SecretScope::credential_file;
  }
  return false;
}

std::uint32_t key_at(const char* at) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(lower(at[0]))) |
         static_cast<std::uint32_t>(static_cast<unsigned char>(lower(at[1]))) << 8 |
         static_cast<std::uint32_t>(static_cast<unsigned char>(lower(at[2]))) << 16;
}
std::size_t bit_of(std::uint32_t key) { return (key * 0x9e3779b1U) >> 16; }

/// lower() of every byte, where it comes into a key: the search for keywords looks at every byte.
constexpr std::array<std::uint32_t, 256> key_byte = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint32_t>(static_cast<unsigned char>(lower(static_cast<char>(i)))) << 16;
  return out;
}();

bool stands_at(const Keyword& keyword, std::string_view text, std::size_t at) {
  const std::string_view here = text.substr(at, keyword.text.size());
  return keyword.any_case ? std::ranges::equal(here, keyword.text, {}, lower) : here == keyword.text;
}

/// A letter or digit before a prefix makes it a part of something else, unless it ends an escape: `\n`, `\t`.
bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0 || !is_word(text[at - 1])) return true;
  return at >= 2 && text[at - 2] == '\\' && (text[at - 1] == 'n' || text[at - 1] == 't' || text[at - 1] == 'r');
}

/// Behind the last token character from `at` on.
std::size_t row_end(std::string_view text, std::size_t at, std::size_t end) {
  while (at < end && (is_word(text[at]) || text[at] == '_' || text[at] == '-')) ++at;
  return at;
}

struct Region {
  std::size_t begin, end;
  std::size_t searched;  // keywords before it need no region of their own
};

Region region_at(std::string_view text, std::size_t at, bool lines) {
  const auto ends_line = [&](char c) { return (c == '\n' && !lines) || c == '\0'; };
  Region region{at, at, 0};
  while (region.begin > 0 && at - region.begin < secret_look_back && !ends_line(text[region.begin - 1])) --region.begin;
  std::string_view ahead = text.substr(at, region_ahead);
  if (!lines) ahead = ahead.substr(0, ahead.find('\n'));
  region.end = at + std::min(ahead.size(), ahead.find('\0'));
  const bool whole = region.end - at < region_ahead;
  region.searched = whole ? region.end : at + region_step;
  // The ends of the lines around are what stands before and behind a token.
  if (region.begin > 0) --region.begin;
  if (region.end < text.size()) ++region.end;
  return region;
}

}  // namespace

std::span<const Detector> secret_detectors() {
  static const std::vector<Detector> table = [] {
    using namespace secret_table;
    std::vector<Detector> rows;
    for (const auto& family : {clouds(), forges(), models(), services(), keys(), texts()})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return table;
}

ExtraDetector ExtraDetector::parse(std::string_view text) {
  const std::size_t first = text.find(';'), second = first == none ? none : text.find(';', first + 1);
  const auto bad = [&](std::string_view why) {
    return Error(ErrorKind::policy, fmt::format("'{}' is no detector, 'ID; KEYWORD, …; PATTERN': {}", text, why));
  };
  if (second == none) throw bad("it has not three parts");
  ExtraDetector out;
  const auto ids = split(text.substr(0, first), ' ');
  if (ids.size() != 1) throw bad("the id must be one word");
  if (ids[0].starts_with(never_id)) throw bad("ids that begin so are of the parameter never");
  out.id = ids[0];
  for (const std::string_view keyword : split(text.substr(first + 1, second - first - 1), ',')) {
    if (keyword.size() < shortest_keyword) throw bad(fmt::format("keyword '{}' has less than 3 bytes", keyword));
    out.keywords.emplace_back(keyword);
  }
  if (out.keywords.empty()) throw bad("it needs a keyword that every match holds");
  std::string_view pattern = text.substr(second + 1);
  pattern.remove_prefix(std::min(pattern.find_first_not_of(' '), pattern.size()));
  out.pattern = pattern;
  const auto compiled = compile(out.pattern);
  if (out.pattern.empty() || !compiled->ok()) throw bad(out.pattern.empty() ? "no pattern" : compiled->error());
  if (compiled->NumberOfCapturingGroups() >= most_groups) throw bad("more than 4 groups");
  return out;
}

ExtraDetector never_detector(std::string_view name) {
  if (name.size() < shortest_keyword)
    throw Error(ErrorKind::policy, fmt::format("never: '{}' is too short to be looked for in files", name));
  ExtraDetector out;
  out.id = std::string(never_id) + std::string(name);
  std::string& keyword = out.keywords.emplace_back(name);
  std::ranges::transform(keyword, keyword.begin(), lower);
  const std::string quoted = RE2::QuoteMeta(re2::StringPiece(name.data(), name.size()));
  // `$NAME = x` is a comparison, `NAME: words` a sentence of documentation.
  out.pattern = "(?i)(?:^|[^A-Za-z0-9_${])" + quoted + "(?:[\"']\\s{0,4}:\\s{0,4}|[\"']?\\s{0,2}=\\s{0,2})" +
                "(?:\"([^\"\\n]+)|'([^'\\n]+)|([^\\s\"'=;&|<>][^\\s\"';|<>]*))|\\bENV\\s{1,4}" + quoted +
                "\\s{1,4}([^\\s=][^\\n]*)";
  return out;
}

struct DetectorSet::Parts {
  struct Row {
    const Detector* detector;
    mutable std::once_flag once;
    mutable std::unique_ptr<const RE2> pattern;

    explicit Row(const Detector& of) : detector(&of) {}
    const RE2& compiled() const {
      std::call_once(once, [&] {
        auto made = compile(detector->pattern);
        if (!made->ok() || made->NumberOfCapturingGroups() >= most_groups)
          throw Error(ErrorKind::internal, fmt::format("detector {}: {}", detector->id, made->error()));
        pattern = std::move(made);
      });
      return *pattern;
    }
  };

  std::deque<ExtraDetector> extra_texts;  // what extra rows point into
  std::deque<std::string> extra_keywords;
  std::deque<Detector> extra;
  std::deque<Row> rows;
  std::vector<Keyword> keywords;
  std::vector<std::vector<std::uint16_t>> rows_of;                            // of a keyword
  std::unordered_map<std::uint32_t, std::vector<std::uint16_t>> keywords_at;  // by their first three bytes
  std::array<std::uint64_t, 1024> maybe{};                                    // hashes of these

  void add(const Detector& detector, const std::vector<std::string_view>& words_of) {
    const auto row = static_cast<std::uint16_t>(rows.size());
    rows.emplace_back(detector);
    const bool folded = (detector.guards & any_case) != 0;
    for (const std::string_view word : words_of) {
      auto known = std::ranges::find_if(
          keywords, [&](const Keyword& keyword) { return keyword.text == word && keyword.any_case == folded; });
      if (known == keywords.end()) {
        keywords.push_back({std::string(word), folded, false});
        rows_of.emplace_back();
        known = std::prev(keywords.end());
        const std::uint32_t key = key_at(known->text.data());
        maybe[bit_of(key) / 64] |= std::uint64_t{1} << bit_of(key) % 64;
        keywords_at[key].push_back(static_cast<std::uint16_t>(keywords.size() - 1));
      }
      known->in_files = known->in_files || runs_in(detector, SecretScope::file);
      rows_of[static_cast<std::size_t>(known - keywords.begin())].push_back(row);
    }
  }

  /// `searched` is how far this detector has looked already.
  void look(const Row& row, std::string_view text, std::size_t at, SecretScope scope, std::size_t& searched,
            std::vector<ShapeHit>& hits) const {
    const Detector& detector = *row.detector;
    if (at < searched) return;
    if ((detector.guards & of_users) != 0 && !userinfo_follows(text, at)) return;
    const bool lines = (detector.guards & across_lines) != 0;
    if (detector.kind == Detector::Kind::prefix) {
      if ((detector.guards & boundary) != 0 && !begins_word(text, at)) return;
      const std::size_t end = std::min(text.size(), at + (lines ? secret_reach : longest_token));
      searched = std::max(searched, match(row, text, {at, end, 0}, RE2::ANCHOR_START, scope, hits));
      if (searched <= at && (detector.guards & one_row) != 0) searched = row_end(text, at, end);
      return;
    }
    const Region region = region_at(text, at, lines);
    Region rest = region;
    for (std::size_t next; (next = match(row, text, rest, RE2::UNANCHORED, scope, hits)) > 0;) rest.begin = next;
    searched = region.searched;
  }

  /// Where the search goes on, 0 when there was no match.
  std::size_t match(const Row& row, std::string_view text, const Region& in, RE2::Anchor anchor, SecretScope scope,
                    std::vector<ShapeHit>& hits) const {
    const RE2& pattern = row.compiled();
    std::array<re2::StringPiece, most_groups> groups;
    const int wanted = pattern.NumberOfCapturingGroups() + 1;
    if (!pattern.Match({text.data(), text.size()}, in.begin, in.end, anchor, groups.data(), wanted)) return 0;
    const auto view = [](const re2::StringPiece& piece) { return std::string_view(piece.data(), piece.size()); };
    const bool has_name = (row.detector->guards & named) != 0;
    int group = has_name ? 2 : std::min(1, wanted - 1);
    while (group + 1 < wanted && groups[static_cast<std::size_t>(group)].data() == nullptr) ++group;
    std::string_view value = view(groups[static_cast<std::size_t>(group)]);
    if (value.data() == nullptr) value = view(groups[0]);
    const std::string_view name = has_name ? view(groups[1]) : std::string_view();
    const auto begin = static_cast<std::size_t>(value.data() - text.data());
    const auto end = begin + value.size();
    const bool in_data = scope == SecretScope::file && (row.detector->guards & of_data) == placeholder &&
                         stands_in_data(text, begin, end);
    if (!value.empty() && !in_data && !is_no_secret(*row.detector, scope, view(groups[0]), name, value))
      hits.push_back({begin, end, row.detector});
    return std::max(end, in.begin + 1);
  }
};

DetectorSet::DetectorSet(std::span<const ExtraDetector> extra) {
  auto parts = std::make_unique<Parts>();
  for (const Detector& detector : secret_detectors()) parts->add(detector, split(detector.keywords, ' '));
  for (const ExtraDetector& given : extra) {
    const auto same = [&](const Parts::Row& row) { return row.detector->id == given.id; };
    if (std::ranges::any_of(parts->rows, same))
      throw Error(ErrorKind::policy, fmt::format("there is a detector '{}' already", given.id));
    const ExtraDetector& kept = parts->extra_texts.emplace_back(given);
    Detector& detector = parts->extra.emplace_back();
    detector.id = kept.id;
    detector.what = "what the policy knows as a secret";
    detector.kind = Detector::Kind::context;
    detector.pattern = kept.pattern;
    if (kept.id.starts_with(never_id)) {
      detector.what = "a value that must not be there";
      detector.confidence = Confidence::certain;
      detector.guards = any_case | whole_reference;
    }
    parts->add(detector, {kept.keywords.begin(), kept.keywords.end()});
  }
  parts_ = std::move(parts);
}

DetectorSet::~DetectorSet() = default;

const DetectorSet& DetectorSet::standard() {
  static const DetectorSet set{std::span<const ExtraDetector>{}};
  return set;
}

std::span<const Keyword> DetectorSet::keywords() const { return parts_->keywords; }

const Detector* DetectorSet::find(std::string_view id) const {
  for (const Parts::Row& row : parts_->rows)
    if (row.detector->id == id) return row.detector;
  return nullptr;
}

std::vector<ShapeHit> DetectorSet::scan(std::string_view text, SecretScope scope) const {
  std::vector<ShapeHit> hits;
  std::vector<std::size_t> searched;  // of each row; most texts hold no keyword
  if (text.size() < shortest_keyword) return hits;
  const std::uint64_t* const maybe = parts_->maybe.data();
  std::uint32_t key = key_at(text.data()) << 8;
  for (std::size_t at = 0; at + shortest_keyword <= text.size(); ++at) {
    key = key >> 8 | key_byte[static_cast<unsigned char>(text[at + 2])];
    const std::size_t bit = bit_of(key);
    if ((maybe[bit / 64] >> bit % 64 & 1) == 0) continue;
    const auto found = parts_->keywords_at.find(key);
    if (found == parts_->keywords_at.end()) continue;
    for (const std::uint16_t keyword : found->second) {
      if (!stands_at(parts_->keywords[keyword], text, at)) continue;
      searched.resize(parts_->rows.size());
      for (const std::uint16_t index : parts_->rows_of[keyword]) {
        const Parts::Row& row = parts_->rows[index];
        if (runs_in(*row.detector, scope)) parts_->look(row, text, at, scope, searched[index], hits);
      }
    }
  }
  return hits;
}

void DetectorSet::verify(std::string_view text, std::size_t keyword, std::size_t at, SecretScope scope,
                         std::vector<ShapeHit>& hits) const {
  Looked looked;
  verify(text, keyword, at, scope, looked, hits);
}

void DetectorSet::verify(std::string_view text, std::size_t keyword, std::size_t at, SecretScope scope, Looked& looked,
                         std::vector<ShapeHit>& hits) const {
  if (at > text.size() || !stands_at(parts_->keywords[keyword], text, at)) return;
  looked.resize(parts_->rows.size());
  for (const std::uint16_t index : parts_->rows_of[keyword]) {
    const Parts::Row& row = parts_->rows[index];
    if (runs_in(*row.detector, scope)) parts_->look(row, text, at, scope, looked[index], hits);
  }
}

}  // namespace ocilint
