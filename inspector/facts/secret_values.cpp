#include "facts/secret_values.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocilint {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text, const char* format) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += fmt::format(fmt::runtime(format), static_cast<unsigned char>(c));
    }
  }
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

/// How many bytes of the value a text begins with: all of them, or those that whoever cut the text left before
/// the mark of it. 0: it is another text.
std::size_t shown_of(std::string_view value, std::string_view text) {
  constexpr std::string_view cut = "…";
  const auto common = static_cast<std::size_t>(std::ranges::mismatch(value, text).in1 - value.begin());
  return common == value.size() || text.substr(common).starts_with(cut) ? common : 0;
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// The first bytes of a value as a number, the first one lowest, so that the next number of a text is one shift away.
constexpr int top_byte = 8 * (SecretValues::shortest - 1);

std::uint64_t with_next(std::uint64_t start, char c) {
  return start >> 8 | std::uint64_t{static_cast<unsigned char>(c)} << top_byte;
}

std::uint64_t start_of(std::string_view text) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < SecretValues::shortest; ++i) out = with_next(out, text[i]);
  return out;
}

std::size_t bit_of(std::uint64_t start) { return start * 0x9e3779b97f4a7c15ULL >> 52; }

}  // namespace

void SecretValues::add(std::string_view value) {
  for (std::string spelling : {std::string(value), lowered(value), percent_decoded(value),
                               percent_encoded(value, "%{:02X}"), percent_encoded(value, "%{:02x}"), escaped(value)})
    if (spelling.size() >= shortest) all_.insert(std::move(spelling));
}

void SecretValues::freeze() {
  by_start_.clear();
  maybe_.fill(0);
  for (const std::string& value : all_) {
    const std::uint64_t start = start_of(value);
    by_start_[start].push_back(&value);
    maybe_[bit_of(start) / 64] |= std::uint64_t{1} << bit_of(start) % 64;
  }
  for (auto& [start, values] : by_start_)
    std::ranges::sort(values, std::ranges::greater(), [](const std::string* value) { return value->size(); });
}

void SecretValues::find_in(std::string_view text, std::vector<SecretHit>& hits) const {
  if (by_start_.empty() || text.size() < shortest) return;
  std::uint64_t start = start_of(text) << 8;
  for (std::size_t i = 0; i + shortest <= text.size(); ++i) {
    start = with_next(start, text[i + shortest - 1]);
    const std::size_t bit = bit_of(start);
    if ((maybe_[bit / 64] >> bit % 64 & 1) == 0) continue;
    const auto found = by_start_.find(start);
    if (found == by_start_.end()) continue;
    for (const std::string* const value : found->second) {
      const std::size_t length = shown_of(*value, text.substr(i));
      if (length == 0) continue;
      hits.push_back({i, i + length, *value, {}, {}});
      break;
    }
  }
}

std::vector<SecretHit> united(std::vector<SecretHit> hits) {
  std::ranges::stable_sort(hits, {}, &SecretHit::begin);
  std::vector<SecretHit> spans;
  for (SecretHit& hit : hits) {
    if (!spans.empty() && hit.begin < spans.back().end) {
      spans.back().end = std::max(spans.back().end, hit.end);
    } else {
      spans.push_back(std::move(hit));
    }
  }
  return spans;
}

}  // namespace ocilint
