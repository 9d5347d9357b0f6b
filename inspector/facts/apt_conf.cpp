#include "facts/apt_conf.h"

#include <algorithm>

#include "facts/deb822.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_mark(char c) { return c == ';' || c == '{' || c == '}'; }

}  // namespace

// Reads statements: words, ended by `;`, `{` or `}`. Blocks stand on a stack, not on the call stack.
class AptConfReader {
 public:
  AptConfReader(std::string_view text, AptConf& conf) : text_(text), conf_(conf) {}

  void read() {
    std::vector<std::string> words;
    while (skip_blanks_and_comments()) {
      const char c = text_[at_];
      if (!is_mark(c)) {
        if (words.size() == 3) corrupt_line(line_, "a statement of more than a key and a value");
        words.push_back(read_word());
        continue;
      }
      ++at_;
      if (c == '{')
        open(words);
      else
        statement(words);
      if (c == '}') close();
      words.clear();
    }
    if (!words.empty()) corrupt_line(line_, "a statement without \";\" at the end");
    if (!blocks_.empty()) corrupt_line(line_, "a \"{\" without \"}\"");
  }

 private:
  bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  bool skip_blanks_and_comments() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        if (text_[at_++] == '\n') ++line_;
      } else if (at("//") || (at("#") && !at("#clear") && !at("#include"))) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (at("/*")) {
        skip_long_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_long_comment() {
    const auto end = text_.find("*/", at_ + 2);
    if (end == text_.npos) corrupt_line(line_, "a comment that does not end");
    line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end + 2;
  }

  // Quoted and bare pieces that touch make one word. A comment mark ends a bare one, also in a URL, as for apt.
  std::string read_word() {
    std::string word;
    while (at_ < text_.size() && !is_space(text_[at_]) && !is_mark(text_[at_])) {
      if (text_[at_] == '"') {
        const auto end = text_.find('"', at_ + 1);
        if (end == text_.npos || text_.substr(at_, end - at_).find('\n') != std::string_view::npos)
          corrupt_line(line_, "a string that does not end on its line");
        word += text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
      } else if (at("//") || at("/*") || (at("#") && !word.empty())) {
        break;
      } else {
        word += text_[at_++];
      }
    }
    return word;
  }

  std::string inside(std::string_view key) const {
    if (blocks_.empty()) return std::string(key);
    return blocks_.back() + "::" + std::string(key);
  }

  void open(const std::vector<std::string>& words) {
    if (words.empty()) corrupt_line(line_, "a block without name");
    if (words.size() > 2) corrupt_line(line_, "a block with more than a key and a value");
    if (blocks_.size() == apt_conf_depth) limit_line(line_, "blocks too deep in each other");
    std::string key = inside(words[0]);
    if (words.size() == 2) conf_.set(key, words[1], line_);
    if (key.size() > apt_conf_key_bytes) limit_line(line_, "a key too long");
    blocks_.push_back(std::move(key));
  }

  void close() {
    if (blocks_.empty()) corrupt_line(line_, "a \"}\" without \"{\"");
    blocks_.pop_back();
  }

  void statement(const std::vector<std::string>& words) {
    if (words.empty()) return;
    if (words[0].starts_with('#')) return directive(words);
    if (words.size() > 2) corrupt_line(line_, "a statement of more than a key and a value");
    if (words.size() == 2) return conf_.set(inside(words[0]), words[1], line_);
    if (blocks_.empty()) {
      add_note(conf_.notes, line_, "a value without key");
      return;
    }
    conf_.set(inside(""), words[0], line_);
  }

  void directive(const std::vector<std::string>& words) {
    const std::string name = lower_case(words[0]);
    if (name == "#clear") {
      if (words.size() != 2) return add_note(conf_.notes, line_, "a form of #clear that is not followed");
      return conf_.clear(words[1]);
    }
    conf_.includes |= name == "#include";
    add_note(conf_.notes, line_, name + " is not followed");
  }

  std::string_view text_;
  AptConf& conf_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<std::string> blocks_;  // the whole key of each
};

AptConf AptConf::parse(std::string_view text) {
  AptConf conf;
  conf.append(text);
  return conf;
}

void AptConf::append(std::string_view text) {
  require_text(text, small_text_bytes);
  AptConfReader(text, *this).read();
}

bool AptConf::counts(std::string_view file_name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  if (file_name.empty() || file_name.front() == '.') return false;
  if (!std::all_of(file_name.begin(), file_name.end(), allowed)) return false;
  const auto dot = file_name.rfind('.');
  return dot == file_name.npos || file_name.substr(dot + 1) == "conf";
}

void AptConf::set(std::string_view key, std::string value, std::size_t line) {
  if (key.size() > apt_conf_key_bytes) limit_line(line, "a key too long");
  if (++items_ > apt_conf_items) limit_line(line, "too many settings");
  const bool member = key.ends_with("::");
  if (member) key.remove_suffix(2);
  Node& node = nodes_[lower_case(key)];
  if (node.order == 0) node.order = items_;
  if (member)
    node.members.emplace_back(items_, std::move(value));
  else
    node.value = std::move(value);
}

void AptConf::clear(std::string_view key) {
  while (key.ends_with("::")) key.remove_suffix(2);
  const std::string exact = lower_case(key);
  const std::string below = exact + "::";
  nodes_.erase(exact);
  auto at = nodes_.lower_bound(below);
  while (at != nodes_.end() && at->first.starts_with(below)) at = nodes_.erase(at);
}

std::optional<std::string> AptConf::find(std::string_view key) const {
  const auto at = nodes_.find(lower_case(key));
  return at == nodes_.end() ? std::nullopt : at->second.value;
}

std::vector<std::string> AptConf::list(std::string_view key) const {
  std::vector<std::pair<std::size_t, std::string>> found;
  const std::string exact = lower_case(key);
  if (const auto at = nodes_.find(exact); at != nodes_.end()) found = at->second.members;
  const std::string below = exact + "::";
  for (auto at = nodes_.lower_bound(below); at != nodes_.end() && at->first.starts_with(below); ++at)
    if (at->second.value && at->first.find("::", below.size()) == std::string::npos)
      found.emplace_back(at->second.order, *at->second.value);
  std::sort(found.begin(), found.end());
  std::vector<std::string> values;
  for (auto& [order, value] : found)
    if (!value.empty()) values.push_back(std::move(value));
  return values;
}

bool AptConf::flag(std::string_view key, bool otherwise) const {
  const auto value = find(key);
  if (!value || value->empty()) return otherwise;
  if (value->find_first_not_of("0123456789") == std::string::npos)
    return value->find_first_not_of('0') != std::string::npos;
  for (const std::string_view word : {"yes", "true", "with", "on", "enable"})
    if (equal_without_case(*value, word)) return true;
  for (const std::string_view word : {"no", "false", "without", "off", "disable"})
    if (equal_without_case(*value, word)) return false;
  return otherwise;
}

}  // namespace ocilint
