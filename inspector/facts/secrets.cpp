#include "facts/secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "facts/secret_names.h"

namespace ocilint {
namespace {

constexpr std::string_view by_name = "secret-variable";
constexpr std::string_view by_never = "never";
constexpr double exact_entropy = 2.0;  // passwords that people chose are weak
constexpr double words_entropy = 3.3;  // `token=…` among words is noise more often
constexpr double mixed_entropy = 2.5;  // of letters with digits among them: words of a language have none
constexpr std::size_t words_shortest = 8;
constexpr std::size_t words_judged = 1024;  // bytes; pairs among words stand inside each other

bool is_listed(std::string_view name, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& listed) { return same_name(name, listed); });
}

/// `build-arg:NAME` and `label:NAME` of attestations.
std::string_view bare_name(std::string_view name) { return name.substr(name.rfind(':') + 1); }

bool is_mixed(std::string_view value) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::any_of(value, letter) && std::ranges::any_of(value, digit);
}

bool is_secret(const NamedValue& pair, std::string_view value) {
  if (!names_secret(pair.name)) return false;
  const std::string_view judged = pair.exact ? value : value.substr(0, words_judged);
  if (is_harmless(judged)) return false;
  const double entropy = entropy_of(judged);
  if (pair.exact) return entropy >= exact_entropy;
  if (judged.size() < words_shortest) return false;
  return entropy >= words_entropy || (entropy >= mixed_entropy && is_mixed(judged));
}

constexpr std::size_t deepest_words = 32;  // pairs among words that stand inside each other

/// The last of sorted, disjoint spans that begins before `end`, when it reaches behind `begin`.
template <typename Span>
const Span* overlapping(const std::vector<Span>& spans, std::size_t begin, std::size_t end) {
  const auto after = std::ranges::lower_bound(spans, end, {}, &Span::begin);
  if (after == spans.begin() || std::prev(after)->end <= begin) return nullptr;
  return &*std::prev(after);
}

struct Scan {
  std::string_view text;
  const SecretQuery& query;
  std::vector<NamedValue> pairs;  // by their beginning
  bool whole_is_value = false;    // nothing expands a reference in the exact value of a variable

  std::vector<SecretHit> run() const { return run(query.set().scan(text, SecretScope::document)); }

  std::vector<SecretHit> run(const std::vector<ShapeHit>& shapes) const {
    std::vector<SecretHit> hits;
    std::vector<ShapeHit> shaped;
    for (const ShapeHit& shape : shapes) {
      const Holder holder = holder_of(shape);
      if (holder.allowed) continue;
      hits.push_back(hit(shape.begin, shape.end, shape.detector->id, holder.name, shape.detector->confidence));
      shaped.push_back(shape);
    }
    shaped = disjoint(std::move(shaped));
    for (const NamedValue& pair : pairs) {
      const std::string_view value = text.substr(pair.begin, pair.end - pair.begin);
      if (is_listed(pair.name, query.never)) {
        if (whole_is_value || !is_reference(value))
          hits.push_back(hit(pair.begin, pair.end, by_never, pair.name, Confidence::certain));
        continue;
      }
      if (is_listed(pair.name, query.allow)) continue;
      // Among words it is not certain where a value ends: a shape in it says more.
      if (!pair.exact && overlapping(shaped, pair.begin, pair.end) != nullptr) continue;
      if (is_secret(pair, value))
        hits.push_back(
            hit(pair.begin, pair.end, by_name, pair.name, pair.exact ? Confidence::medium : Confidence::low));
    }
    return hits;
  }

 private:
  struct Holder {
    std::string_view name;
    bool allowed = false;
  };

  SecretHit hit(std::size_t begin, std::size_t end, std::string_view detector, std::string_view name,
                Confidence confidence) const {
    std::string value(text.substr(begin, end - begin));
    return {begin, end, std::move(value), std::string(detector), std::string(name), confidence};
  }

  static std::vector<ShapeHit> disjoint(std::vector<ShapeHit> shapes) {
    std::ranges::sort(shapes, {}, &ShapeHit::begin);
    std::vector<ShapeHit> out;
    for (const ShapeHit& shape : shapes) {
      if (!out.empty() && shape.begin < out.back().end) {
        out.back().end = std::max(out.back().end, shape.end);
      } else {
        out.push_back(shape);
      }
    }
    return out;
  }

  /// The variable whose value holds it: of pairs inside each other the outermost that is near.
  Holder holder_of(const ShapeHit& shape) const {
    Holder holder;
    auto at = std::ranges::upper_bound(pairs, shape.begin, {}, &NamedValue::begin);
    for (std::size_t i = 0; i < deepest_words && at != pairs.begin(); ++i) {
      --at;
      if (at->end < shape.end || at->parameter) continue;
      holder.name = at->name;
      holder.allowed = holder.allowed || is_listed(at->name, query.allow);
    }
    return holder;
  }
};

/// A place in the table, which begins with the most specific; what no table has comes first.
std::size_t rank_of(std::string_view detector) {
  if (detector == by_never) return 0;
  const auto table = secret_detectors();
  const auto row = std::ranges::find(table, detector, &Detector::id);
  return row == table.end() ? 1 : 2 + static_cast<std::size_t>(row - table.begin());
}

/// Sorted and free of overlaps. Where two overlap the bytes of both are one hit of the more specific detector, with
/// the name of the variable that holds them.
std::vector<SecretHit> merged(std::vector<SecretHit> hits, std::string_view text) {
  std::ranges::stable_sort(hits, [](const SecretHit& left, const SecretHit& right) {
    if (left.begin != right.begin) return left.begin < right.begin;
    if (left.end != right.end) return left.end > right.end;
    return left.detector == by_never && right.detector != by_never;
  });
  std::vector<SecretHit> out;
  for (SecretHit& hit : hits) {
    if (out.empty() || hit.begin >= out.back().end) {
      out.push_back(std::move(hit));
      continue;
    }
    SecretHit& kept = out.back();
    if (hit.end > kept.end) {
      kept.end = hit.end;
      kept.value = text.substr(kept.begin, kept.end - kept.begin);
    }
    if (kept.name.empty() || hit.detector == by_never) kept.name = hit.name;
    kept.confidence = std::max(kept.confidence, hit.confidence);
    if (rank_of(hit.detector) < rank_of(kept.detector)) kept.detector = hit.detector;
  }
  return out;
}

struct Unescaped {
  std::string text;
  std::vector<std::size_t> origin;  // of each byte; one more for the end
};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Undoes one level of escapes as Go's %q and JSON write them; what is none of these stays.
Unescaped unescape(std::string_view text) {
  Unescaped out;
  const auto hex = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (std::size_t i = at; i < at + digits; ++i) {
      const int digit = i < text.size() ? hex_value(text[i]) : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      const char kind = text[i + 1];
      const int code = kind == 'x' ? hex(i + 2, 2) : kind == 'u' ? hex(i + 2, 4) : -1;
      if (code >= 0 && (kind == 'x' || code < 0x80)) {
        c = static_cast<char>(code);
        length = kind == 'x' ? 4 : 6;
      } else if (const auto at = std::string_view("nrt\"\\'/").find(kind); at != std::string_view::npos) {
        c = "\n\r\t\"\\'/"[at];
        length = 2;
      }
    }
    out.text += c;
    out.origin.push_back(i);
    i += length;
  }
  out.origin.push_back(text.size());
  return out;
}

/// Adds what shows only in the unescaped text.
void add_unescaped(std::string_view text, std::vector<SecretHit>& hits, const SecretQuery& query, TextForm form) {
  if (text.find('\\') == std::string_view::npos) return;
  const Unescaped plain = unescape(text);
  const std::vector<SecretHit> raw = merged(hits, text);
  for (SecretHit& hit : Scan{plain.text, query, find_pairs(plain.text, form)}.run()) {
    hit.begin = plain.origin[hit.begin];
    hit.end = plain.origin[hit.end];
    const SecretHit* const known = overlapping(raw, hit.begin, hit.end);
    if (known == nullptr || known->begin > hit.begin || known->end < hit.end) hits.push_back(std::move(hit));
  }
}

/// Without one of these no text holds a pair: between a name and its value stands one, also where the old form
/// `ENV NAME value` has a blank, and so does one before what is escaped.
constexpr std::array<bool, 256> named_or_escaped = [] {
  std::array<bool, 256> out{};
  for (const char c : std::string_view("=:\\ \t\n\r")) out[static_cast<unsigned char>(c)] = true;
  return out;
}();

bool holds_any_of(std::string_view text, const std::array<bool, 256>& bytes) {
  return std::ranges::any_of(text, [&](char c) { return bytes[static_cast<unsigned char>(c)]; });
}

}  // namespace

std::vector<SecretHit> find_secrets(std::string_view text, const SecretQuery& query, TextForm form) {
  std::vector<SecretHit> hits = Scan{text, query, find_pairs(text, form)}.run();
  add_unescaped(text, hits, query, form);
  return merged(std::move(hits), text);
}

std::vector<SecretHit> find_secrets_in_any_form(std::string_view text, const SecretQuery& query) {
  const std::vector<ShapeHit> shapes = query.set().scan(text, SecretScope::document);
  // Most names of files: nothing can be a pair, nothing is escaped, and both forms say the same.
  if (!holds_any_of(text, named_or_escaped)) {
    if (shapes.empty()) return {};
    return merged(Scan{text, query, {}}.run(shapes), text);
  }
  std::vector<SecretHit> out;
  for (const TextForm form : {TextForm::history, TextForm::words}) {
    std::vector<SecretHit> hits = Scan{text, query, find_pairs(text, form)}.run(shapes);
    add_unescaped(text, hits, query, form);
    hits = merged(std::move(hits), text);
    out.insert(out.end(), std::make_move_iterator(hits.begin()), std::make_move_iterator(hits.end()));
  }
  return out;
}

std::vector<SecretHit> find_secrets_in_value(std::string_view name, std::string_view value, const SecretQuery& query) {
  std::vector<NamedValue> pairs{{bare_name(name), 0, value.size(), true}};
  if (value.empty()) return {};
  std::vector<SecretHit> hits = Scan{value, query, pairs, true}.run();
  if (!is_listed(pairs[0].name, query.allow)) {
    for (SecretHit& hit : Scan{value, query, find_pairs(value, TextForm::words)}.run()) {
      if (hit.name.empty()) hit.name = pairs[0].name;
      hits.push_back(std::move(hit));
    }
    add_unescaped(value, hits, query, TextForm::words);
  }
  return merged(std::move(hits), value);
}

std::string secret_mark(std::size_t bytes) { return fmt::format("[secret, {} bytes]", bytes); }

std::string masked(std::string_view text, const std::vector<SecretHit>& hits) {
  std::string out;
  std::size_t at = 0;
  for (const SecretHit& hit : hits) {
    out += text.substr(at, hit.begin - at);
    out += secret_mark(hit.end - hit.begin);
    at = hit.end;
  }
  out += text.substr(at);
  return out;
}

}  // namespace ocilint
