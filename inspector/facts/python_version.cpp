#include "facts/python_version.h"

#include <algorithm>
#include <utility>

#include "facts/deb822.h"
#include "facts/limits.h"

namespace ocilint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }
bool is_separator(char c) { return c == '.' || c == '_' || c == '-'; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string without_zeros(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits.empty() ? "0" : std::string(digits);
}

int compare_numbers(const std::string& left, const std::string& right) {
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  return left.compare(right);
}

const std::string& number_at(const std::vector<std::string>& release, std::size_t index) {
  static const std::string zero = "0";
  return index < release.size() ? release[index] : zero;
}

int compare_releases(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i)
    if (const int order = compare_numbers(number_at(left, i), number_at(right, i)); order != 0) return order;
  return 0;
}

/// dev alone comes before every pre-release, a release behind all of them.
int pre_rank(const PythonVersion& version) {
  if (version.pre != PythonVersion::Pre::none) return static_cast<int>(version.pre);
  return !version.post && version.dev ? 0 : 4;
}

bool all_digits(const std::string& text) { return std::all_of(text.begin(), text.end(), is_digit); }

int compare_locals(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const bool number = all_digits(left[i]);
    if (number != all_digits(right[i])) return number ? 1 : -1;
    const int order = number ? compare_numbers(left[i], right[i]) : left[i].compare(right[i]);
    if (order != 0) return order;
  }
  return left.size() == right.size() ? 0 : left.size() < right.size() ? -1 : 1;
}

/// Reads the grammar of appendix B of the specification from left to right.
class VersionReader {
 public:
  explicit VersionReader(std::string_view lower) : text_(lower) {}

  bool read(PythonVersion& out) {
    if (!text_.empty() && text_.front() == 'v') ++at_;
    auto first = digits();
    if (!first) return false;
    if (take('!')) {
      out.epoch = *first;
      first = digits();
      if (!first) return false;
    }
    out.release.push_back(*first);
    while (peek() == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])) {
      ++at_;
      out.release.push_back(*digits());
    }
    read_pre(out);
    read_post(out);
    if (word({"dev"})) out.dev = number_or_zero();
    if (take('+') && !read_local(out)) return false;
    return at_ == text_.size();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::optional<std::string> digits() {
    const std::size_t from = at_;
    while (is_digit(peek())) ++at_;
    if (at_ == from) return std::nullopt;
    return without_zeros(text_.substr(from, at_ - from));
  }
  /// An optional separator and the first of the words that stands there; else nothing is taken.
  std::optional<std::string_view> word(std::initializer_list<std::string_view> words) {
    const std::size_t from = at_ + (is_separator(peek()) ? 1 : 0);
    for (const std::string_view candidate : words)
      if (text_.substr(std::min(from, text_.size())).starts_with(candidate)) {
        at_ = from + candidate.size();
        return candidate;
      }
    return std::nullopt;
  }
  std::string number_or_zero() {
    if (is_separator(peek())) {
      // "1.0a-1" is alpha 1; of "1.0a-post1" the separator is taken too, which changes nothing.
      ++at_;
    }
    return digits().value_or("0");
  }

  void read_pre(PythonVersion& out) {
    const auto found = word({"alpha", "a", "beta", "b", "preview", "pre", "c", "rc"});
    if (!found) return;
    out.pre = found->front() == 'a'   ? PythonVersion::Pre::alpha
              : found->front() == 'b' ? PythonVersion::Pre::beta
                                      : PythonVersion::Pre::candidate;
    out.pre_number = number_or_zero();
  }
  void read_post(PythonVersion& out) {
    if (peek() == '-' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])) {
      ++at_;
      out.post = digits();
    } else if (word({"post", "rev", "r"})) {
      out.post = number_or_zero();
    }
  }
  bool read_local(PythonVersion& out) {
    do {
      const std::size_t from = at_;
      while (is_alnum(peek())) ++at_;
      if (at_ == from) return false;
      std::string part(text_.substr(from, at_ - from));
      out.local.push_back(all_digits(part) ? without_zeros(part) : part);
    } while (is_separator(peek()) && ++at_ != 0);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<PythonVersion> PythonVersion::parse(std::string_view text) {
  text = trimmed(text);
  if (text.size() > python_version_bytes) return std::nullopt;
  PythonVersion out;
  out.text = text;
  const std::string lower = lower_case(text);
  if (!VersionReader(lower).read(out)) return std::nullopt;
  return out;
}

std::string PythonVersion::normal() const {
  std::string out;
  if (epoch != "0") out += epoch + "!";
  for (std::size_t i = 0; i < release.size(); ++i) out += (i == 0 ? "" : ".") + release[i];
  if (pre != Pre::none) out += (pre == Pre::alpha ? "a" : pre == Pre::beta ? "b" : "rc") + pre_number;
  if (post) out += ".post" + *post;
  if (dev) out += ".dev" + *dev;
  for (std::size_t i = 0; i < local.size(); ++i) out += (i == 0 ? "+" : ".") + local[i];
  return out;
}

PythonVersion PythonVersion::publicly() const {
  PythonVersion out = *this;
  out.local.clear();
  return out;
}

bool PythonVersion::begins_with(const std::string& of_epoch, const std::vector<std::string>& prefix) const {
  if (epoch != of_epoch) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i)
    if (number_at(release, i) != prefix[i]) return false;
  return true;
}

bool same_release(const PythonVersion& left, const PythonVersion& right) {
  return left.epoch == right.epoch && compare_releases(left.release, right.release) == 0;
}

int compare(const PythonVersion& left, const PythonVersion& right) {
  if (const int order = compare_numbers(left.epoch, right.epoch); order != 0) return order;
  if (const int order = compare_releases(left.release, right.release); order != 0) return order;
  if (pre_rank(left) != pre_rank(right)) return pre_rank(left) < pre_rank(right) ? -1 : 1;
  if (const int order = compare_numbers(left.pre_number, right.pre_number); order != 0) return order;
  if (left.post.has_value() != right.post.has_value()) return left.post ? 1 : -1;
  if (left.post)
    if (const int order = compare_numbers(*left.post, *right.post); order != 0) return order;
  if (left.dev.has_value() != right.dev.has_value()) return left.dev ? -1 : 1;
  if (left.dev)
    if (const int order = compare_numbers(*left.dev, *right.dev); order != 0) return order;
  return compare_locals(left.local, right.local);
}

std::string normal_python_name(std::string_view name) {
  std::string out;
  for (const char c : lower_case(name)) {
    if (!is_separator(c))
      out += c;
    else if (out.empty() || out.back() != '-')
      out += '-';
  }
  return out;
}

}  // namespace ocilint
