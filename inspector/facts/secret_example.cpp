#include "facts/secret_example.h"

#include <charconv>
#include <string>

#include "base/base64.h"
#include "base/error.h"

namespace ocilint {
namespace {

class Maker {
 public:
  Maker(std::string_view text, ExampleRandom* random) : text_(text), random_(random) {}

  SecretExample make() {
    SecretExample out;
    std::size_t encode_from = std::string::npos;
    bool marked = false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      switch (c) {
        case '(': out.begin = out.text.size(); break;
        case ')':
          out.end = out.text.size();
          marked = true;
          break;
        case '<': encode_from = out.text.size(); break;
        case '>': {
          if (encode_from == std::string::npos) fail();
          const std::string encoded = encode_base64(std::string_view(out.text).substr(encode_from));
          out.text.replace(encode_from, std::string::npos, encoded);
          encode_from = std::string::npos;
          break;
        }
        case '[': bytes(out.text); break;
        case '\\':
          if (at_ == text_.size()) fail();
          out.text += text_[at_++];
          break;
        default: out.text += c;
      }
    }
    if (!marked || out.end <= out.begin) fail();
    return out;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::internal, "no template of an example: " + std::string(text_));
  }

  std::size_t number() {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail();
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  /// `[class]`, `[class]{n}` or `[class]{n,m}`.
  void bytes(std::string& out) {
    std::string choices;
    for (; at_ < text_.size() && text_[at_] != ']'; ++at_) {
      if (at_ + 2 < text_.size() && text_[at_ + 1] == '-' && text_[at_ + 2] != ']') {
        for (char c = text_[at_]; c <= text_[at_ + 2]; ++c) choices += c;
        at_ += 2;
      } else {
        choices += text_[at_];
      }
    }
    if (at_++ >= text_.size() || choices.empty()) fail();
    std::size_t least = 1, most = 1;
    if (at_ < text_.size() && text_[at_] == '{') {
      ++at_;
      least = most = number();
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        most = number();
      }
      if (at_ >= text_.size() || text_[at_++] != '}' || most < least) fail();
    }
    if (random_ == nullptr) {
      out.append(least, choices[0]);
    } else {
      out += random_->pick(choices, least + random_->below(most - least + 1));
    }
  }

  std::string_view text_;
  ExampleRandom* random_;  // null: always the first of a class
  std::size_t at_ = 0;
};

}  // namespace

std::uint64_t ExampleRandom::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

std::string ExampleRandom::pick(std::string_view choices, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += choices[below(choices.size())];
  return out;
}

SecretExample make_example(std::string_view example, ExampleRandom& random) { return Maker(example, &random).make(); }

SecretExample make_mask(std::string_view example) { return Maker(example, nullptr).make(); }

}  // namespace ocilint
