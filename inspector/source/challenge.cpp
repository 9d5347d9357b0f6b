#include "source/challenge.h"

#include <algorithm>

namespace ocilint {
namespace {

bool is_token(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool ended() const { return at_ == text_.size(); }
  void skip(std::string_view these) {
    while (!ended() && these.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    if (ended() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string token() {
    const std::size_t from = at_;
    while (!ended() && is_token(text_[at_])) ++at_;
    std::string out(text_.substr(from, at_ - from));
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
  }
  /// A token as written, or a quoted string without its quotes.
  std::string value() {
    std::string out;
    if (!take('"')) {
      while (!ended() && (is_token(text_[at_]) || text_[at_] == '/' || text_[at_] == ':')) out += text_[at_++];
      return out;
    }
    while (!ended() && !take('"')) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_++];
    }
    return out;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Challenge> parse_challenges(std::string_view header) {
  std::vector<Challenge> out;
  Reader reader(header);
  for (;;) {
    reader.skip(" \t,");
    if (reader.ended()) return out;
    std::string name = reader.token();
    if (name.empty()) return out;  // nothing that this grammar knows
    reader.skip(" \t");
    if (reader.take('=')) {
      reader.skip(" \t");
      std::string value = reader.value();
      if (out.empty()) return out;
      out.back().parameters.emplace(std::move(name), std::move(value));
    } else {
      out.push_back({std::move(name), {}});
    }
  }
}

}  // namespace ocilint
