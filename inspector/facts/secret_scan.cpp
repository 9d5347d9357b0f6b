#include "facts/secret_scan.h"

#include <algorithm>
#include <cstring>

#include "facts/doc_blocks.h"
#include "facts/secret_expiry.h"
#include "facts/secrets.h"

namespace ocilint {
namespace {

constexpr std::size_t window_bytes = 1 << 20;     // fresh bytes of a window
constexpr std::size_t slice_bytes = 256 << 10;    // of one search for keywords: bounds how many there can be
constexpr std::size_t ahead = secret_reach + 64;  // a keyword with less than this behind it waits
constexpr std::size_t wide_bytes = 1 << 20;
constexpr std::size_t excerpt_before = 60, excerpt_after = 40;
constexpr std::size_t before_address = 20;   // what introduces it: is_sample()
constexpr std::size_t address_bytes = 1000;  // of a signature in an address: whose it is, and until when
// A secret is told when no keyword behind it can make it longer or mask what is shown around it. Until then its text
// stays in the window.
constexpr std::size_t settles = secret_look_back + address_bytes + 8;
constexpr std::size_t behind = ahead + secret_look_back + settles + address_bytes;
constexpr std::size_t in_place =
    4 * (ahead + behind);  // bytes: of a shorter piece too much would be copied all the same

bool has_zero(std::string_view text) { return std::memchr(text.data(), 0, text.size()) != nullptr; }

/// Eight bytes at a time, each with a count of its own until it could overflow: long texts are counted whether
/// something is found in them or not, and counting bits is a call where the processor is not known.
std::uint64_t lines_in(std::string_view text) {
  constexpr std::uint64_t ends = 0x0a0a0a0a0a0a0a0aULL, low = 0x7f7f7f7f7f7f7f7fULL, even = 0x00ff00ff00ff00ffULL;
  constexpr std::size_t most = 255;
  std::uint64_t count = 0;
  std::size_t at = 0;
  while (at + 8 <= text.size()) {
    std::uint64_t counts = 0;
    for (std::size_t i = 0; i < most && at + 8 <= text.size(); ++i, at += 8) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, text.data() + at, 8);
      bytes ^= ends;
      counts += ~(((bytes & low) + low) | bytes | low) >> 7;
    }
    const std::uint64_t pairs = (counts & even) + (counts >> 8 & even);
    count += pairs * 0x0001000100010001ULL >> 48;
  }
  return count + static_cast<std::uint64_t>(std::ranges::count(text.substr(at), '\n'));
}

std::size_t less(std::size_t from, std::size_t by) { return from > by ? from - by : 0; }

bool is_of_address(char c) {
  return c > ' ' && c != 0x7f && std::string_view("\"'<>`").find(c) == std::string_view::npos;
}

bool is_shown(char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// `NAME=value`, `"name": "value"`, `name => value`: the name before a value.
std::string_view name_before(std::string_view text, std::size_t value) {
  constexpr std::size_t most_between = 8, longest_name = 64;
  std::size_t end = value;
  bool assigns = false;
  while (end > 0 && value - end < most_between &&
         std::string_view(" \t\"'=:>").find(text[end - 1]) != std::string_view::npos) {
    assigns = assigns || text[end - 1] == '=' || text[end - 1] == ':';
    --end;
  }
  const auto is_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
           c == '.';
  };
  std::size_t begin = end;
  while (begin > 0 && end - begin < longest_name && is_name(text[begin - 1])) --begin;
  // The user of an address is no name of a value.
  const bool address = begin >= 2 && text.substr(begin - 2, 2) == "//";
  return assigns && !address ? text.substr(begin, end - begin) : std::string_view();
}

/// The first rows of the table are the most specific; what a policy adds is more so.
std::size_t rank_of(const Detector* detector) {
  const auto table = secret_detectors();
  const bool listed =
      std::greater_equal<>()(detector, table.data()) && std::less<>()(detector, table.data() + table.size());
  return listed ? 1 + static_cast<std::size_t>(detector - table.data()) : 0;
}

}  // namespace

SecretScanner::SecretScanner(std::span<const ExtraDetector> extra)
    : set_(extra), in_files_(set_.keywords(), true), in_all_(set_.keywords(), false) {}

SecretWindow::SecretWindow(const SecretScanner& scanner)
    : scanner_(scanner), in_files_(scanner.in_files_), in_all_(scanner.in_all_) {}

void SecretWindow::begin(SecretScope scope) {
  scope_ = scope;
  window_.clear();
  base_ = lines_ = 0;
  searched_ = 0;
  binary_ = false;
  looked_.clear();
  found_.clear();
}

void SecretWindow::add(std::string_view bytes, bool last, FileSecrets& out) {
  if (last && window_.empty()) {
    search(bytes, true, out);
    return;
  }
  if (bytes.size() >= in_place) {
    stream(bytes, last, out);
    return;
  }
  while (!bytes.empty()) {
    const std::size_t room = window_bytes + behind + ahead - window_.size();
    const std::string_view part = bytes.substr(0, room);
    window_ += part;
    bytes.remove_prefix(part.size());
    if (part.size() < room || (last && bytes.empty())) break;
    search(window_, false, out);
    const std::size_t cut = less(window_.size() - ahead, behind);
    forget(window_, cut);
    window_.erase(0, cut);
  }
  if (last) search(window_, true, out);
}

/// A long piece is searched where it lies; the window is what stands on both sides of its beginning, and then what the
/// next piece needs of its end.
void SecretWindow::stream(std::string_view bytes, bool last, FileSecrets& out) {
  if (!window_.empty()) {
    const std::size_t before = window_.size();
    window_ += bytes.substr(0, behind + ahead);
    search(window_, false, out);
    forget(window_, before);
    window_.clear();
  }
  search(bytes, last, out);
  if (last) return;
  const std::size_t cut = less(bytes.size() - ahead, behind);
  forget(bytes, cut);
  window_ = bytes.substr(cut);
}

void SecretWindow::search(std::string_view text, bool last, FileSecrets& out) {
  const bool plain = scope_ == SecretScope::file;
  const KeywordFinder& finder = plain ? scanner_.in_files_ : scanner_.in_all_;
  const std::size_t limit = last ? text.size() : text.size() - ahead;
  while (searched_ < limit) {
    const std::size_t to = std::min(limit, searched_ + slice_bytes);
    finder.find(text, searched_, to, plain ? in_files_ : in_all_, candidates_);
    hits_.clear();
    for (const KeywordAt& candidate : candidates_)
      scanner_.set_.verify(text, candidate.keyword, candidate.at, scope_, looked_, hits_);
    for (const ShapeHit& hit : hits_) found_.push_back({hit.begin, hit.end, hit.detector, false});
    searched_ = to;
  }
  if (!found_.empty()) tell(text, last ? text.size() + settles : limit, out);
}

/// What ends far enough before `settled`. Where some overlap, the bytes of all are one secret of the most specific
/// detector.
void SecretWindow::tell(std::string_view text, std::size_t settled, FileSecrets& out) {
  std::ranges::stable_sort(found_, {}, &Found::begin);
  const bool binary = binary_ || has_zero(text.substr(0, std::min(settled, text.size())));
  std::uint64_t line = lines_ + 1;
  std::size_t counted = 0;
  DocBlocks blocks(text);
  for (std::size_t i = 0, next; i < found_.size(); i = next) {
    const std::size_t begin = found_[i].begin;
    std::size_t end = found_[i].end;
    const Detector* detector = found_[i].detector;
    bool told = found_[i].told;
    for (next = i + 1; next < found_.size() && found_[next].begin < end; ++next) {
      end = std::max(end, found_[next].end);
      told = told && found_[next].told;
      if (rank_of(found_[next].detector) < rank_of(detector)) detector = found_[next].detector;
    }
    if (told || end + settles > settled) continue;
    for (std::size_t j = i; j < next; ++j) found_[j].told = true;
    ++out.found;
    if (out.kept.size() >= SecretScan::most_kept) continue;
    FileSecret& secret = out.kept.emplace_back();
    secret.offset = base_ + begin;
    secret.length = end - begin;
    secret.detector = detector->id;
    secret.name = name_before(text, begin);
    secret.value = text.substr(begin, end - begin);
    if (binary) continue;
    line += lines_in(text.substr(counted, begin - counted));
    counted = begin;
    secret.line = line;
    if (base_ == 0) secret.blocks = blocks.open_at(begin);
    secret.excerpt = excerpt(text, begin, end, is_signature(secret.detector));
  }
}

std::string SecretWindow::excerpt(std::string_view text, std::size_t begin, std::size_t end, bool in_address) const {
  std::size_t from = begin, to = end;
  if (in_address) {
    while (from > 0 && begin - from < address_bytes && is_of_address(text[from - 1])) --from;
    while (to < text.size() && to - end < address_bytes && is_of_address(text[to])) ++to;
  }
  const std::size_t first = std::min(less(begin, excerpt_before), less(from, in_address ? before_address : 0));
  while (from > first && text[from - 1] != '\n') --from;
  while (to < text.size() && to - end < excerpt_after && text[to] != '\n') ++to;
  const bool cut_before = from > 0 && text[from - 1] != '\n', cut_after = to < text.size() && text[to] != '\n';
  // No other value is cut in two.
  std::vector<SecretHit> spans;
  for (const Found& found : found_) {
    if (found.end <= from || found.begin >= to) continue;
    from = std::min(from, found.begin);
    to = std::max(to, found.end);
    if (!spans.empty() && found.begin < spans.back().end)
      spans.back().end = std::max(spans.back().end, found.end);
    else
      spans.push_back({found.begin, found.end, {}, {}, {}});
  }
  if (!std::ranges::all_of(text.substr(from, begin - from), is_shown)) return {};
  if (!std::ranges::all_of(text.substr(end, to - end), is_shown)) return {};
  for (SecretHit& span : spans) {
    span.begin -= from;
    span.end -= from;
  }
  std::string out = cut_before ? "…" : "";
  out += masked(text.substr(from, to - from), spans);
  if (cut_after) out += "…";
  return out;
}

/// The text goes on `cut` bytes later: behind them stands all that a match at the next keyword or a secret not yet told
/// can need.
void SecretWindow::forget(std::string_view text, std::size_t cut) {
  const std::string_view gone = text.substr(0, cut);
  if (!binary_) binary_ = has_zero(gone);
  if (!binary_) lines_ += lines_in(gone);
  std::erase_if(found_, [&](const Found& found) { return found.told && found.end <= cut; });
  for (Found& found : found_) {
    found.begin = less(found.begin, cut);
    found.end = less(found.end, cut);
  }
  for (std::size_t& until : looked_) until = less(until, cut);
  searched_ -= cut;
  base_ += cut;
}

SecretScan::SecretScan(const SecretScanner& scanner) : narrow_(scanner), wide_(scanner) {}

void SecretScan::begin(SecretScope scope) {
  scope_ = scope;
  narrow_.begin(scope);
  secrets_ = {};
  start_.clear();
  started_ = false;
  width_ = Wide::no;
}

void SecretScan::add(Bytes bytes, bool last) {
  const std::string_view text = as_text(bytes);
  if (started_) {
    feed(text, last);
    return;
  }
  const bool whole_start = start_.empty() && text.size() >= 2;
  if (!whole_start) {
    start_ += text;
    if (start_.size() < 2 && !last) return;
  }
  started_ = true;
  const std::string_view first = whole_start ? text : std::string_view(start_);
  if (first.starts_with("\xff\xfe")) width_ = Wide::little;
  if (first.starts_with("\xfe\xff")) width_ = Wide::big;
  if (width_ != Wide::no) {
    wide_.begin(scope_);
    wide_secrets_ = {};
    unit_.clear();
  }
  feed(first, last);
}

void SecretScan::feed(std::string_view bytes, bool last) {
  narrow_.add(bytes, last, secrets_);
  if (width_ != Wide::no) feed_wide(bytes, last);
}

/// What is no ASCII stands in no token, and one byte for two keeps the offsets simple. The mark is a letter too.
void SecretScan::feed_wide(std::string_view bytes, bool last) {
  do {
    const std::string_view part = bytes.substr(0, wide_bytes);
    bytes.remove_prefix(part.size());
    letters_.clear();
    for (const char byte : part) {
      unit_ += byte;
      if (unit_.size() < 2) continue;
      const char low = unit_[width_ == Wide::big ? 1 : 0], high = unit_[width_ == Wide::big ? 0 : 1];
      letters_ += high == 0 && static_cast<unsigned char>(low) < 0x80 ? low : '\x7f';
      unit_.clear();
    }
    wide_.add(letters_, last && bytes.empty(), wide_secrets_);
  } while (!bytes.empty());
}

FileSecrets SecretScan::take() {
  if (width_ != Wide::no) {
    secrets_.found += wide_secrets_.found;
    for (FileSecret& secret : wide_secrets_.kept) {
      secret.offset *= 2;
      secret.length *= 2;
      secrets_.kept.push_back(std::move(secret));
    }
    std::ranges::stable_sort(secrets_.kept, {}, &FileSecret::offset);
    width_ = Wide::no;
  }
  return std::move(secrets_);
}

}  // namespace ocilint
