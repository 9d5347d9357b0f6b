#include "policy/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <unordered_set>

#include "base/error.h"
#include "base/utf8.h"

namespace ocilint {

std::string Place::text() const { return fmt::format("{}:{}:{}", file ? *file : std::string("policy"), line, column); }

void Place::fail(std::string_view message) const {
  throw Error(ErrorKind::policy, text() + ": " + std::string(message));
}

/// Takes the parser's events and makes nodes of them, on a stack of its own.
class YamlBuilder final : public YAML::EventHandler {
 public:
  YamlBuilder(std::string_view source, std::shared_ptr<const std::string> file)
      : source_(source), file_(std::move(file)) {}

  YamlNode take() { return std::move(*root_); }
  bool done() const { return root_ != nullptr; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (done()) at(mark).fail("a second document: a policy is one document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse(mark, "", anchor);
    close(make(YamlNode::Kind::null, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { at(mark).fail("aliases (*name) are not allowed"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse(mark, tag, anchor);
    YamlNode node = make(YamlNode::Kind::scalar, mark);
    node.quoted_ = tag == "!";
    node.scalar_ = value;
    close(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse(mark, tag, anchor);
    open(make(YamlNode::Kind::list, mark));
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse(mark, tag, anchor);
    open(make(YamlNode::Kind::map, mark));
  }
  void OnMapEnd() override { end(); }

  Place at(const YAML::Mark& mark) const {
    if (mark.is_null() || mark.line < 0 || mark.column < 0) return {file_, 0, 0};
    return {file_, static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
  }

 private:
  struct Frame {
    YamlNode node;
    std::unordered_set<std::string> keys;
    bool have_key = false;
    std::string key;
    Place key_place;
  };

  void refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) at(mark).fail("anchors (&name) are not allowed");
    // "?" and "!" are what the parser itself gives to plain and to quoted scalars.
    if (!tag.empty() && tag != "?" && tag != "!") at(mark).fail("tags (!name) are not allowed");
    const std::size_t position = mark.pos < 0 ? source_.size() : static_cast<std::size_t>(mark.pos);
    if (position < source_.size() && source_[position] == '!') at(mark).fail("tags (!name) are not allowed");
    if (++count_ > yaml_nodes) at(mark).fail(fmt::format("more than {} values in one policy", yaml_nodes));
  }

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind_ = kind;
    node.place_ = at(mark);
    if (!stack_.empty()) {
      const Frame& parent = stack_.back();
      node.key_ = parent.node.kind_ == YamlNode::Kind::map ? parent.key : parent.node.key_;
    }
    return node;
  }

  bool wants_key() const {
    return !stack_.empty() && stack_.back().node.kind_ == YamlNode::Kind::map && !stack_.back().have_key;
  }

  void open(YamlNode node) {
    if (wants_key()) node.place_.fail("a key must be one word or a quoted text");
    if (stack_.size() >= yaml_depth) node.place_.fail(fmt::format("nested deeper than {} levels", yaml_depth));
    stack_.push_back({std::move(node), {}, false, {}, {}});
  }

  void end() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    close(std::move(node));
  }

  void close(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::make_unique<YamlNode>(std::move(node));
      return;
    }
    Frame& parent = stack_.back();
    if (parent.node.kind_ == YamlNode::Kind::list) {
      parent.node.items_.push_back(std::move(node));
    } else if (!parent.have_key) {
      take_key(parent, node);
    } else {
      auto value = std::make_unique<YamlNode>(std::move(node));
      parent.node.members_.push_back({std::move(parent.key), parent.key_place, std::move(value)});
      parent.have_key = false;
      parent.key.clear();
    }
  }

  static void take_key(Frame& map, const YamlNode& node) {
    if (node.kind_ != YamlNode::Kind::scalar || node.scalar_.empty())
      node.place_.fail("a key must be one word or a quoted text");
    if (node.scalar_ == "<<") node.place_.fail("merge keys (<<) are not allowed");
    if (!map.keys.insert(node.scalar_).second)
      node.place_.fail(fmt::format("the key '{}' stands here twice", node.scalar_));
    map.key = node.scalar_;
    map.key_place = node.place_;
    map.have_key = true;
  }

  std::string_view source_;
  std::shared_ptr<const std::string> file_;
  std::vector<Frame> stack_;
  std::unique_ptr<YamlNode> root_;
  std::size_t count_ = 0;
};

namespace {

Place place_of(std::string_view text, std::size_t offset, const std::shared_ptr<const std::string>& file) {
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return {file, line, static_cast<std::uint32_t>(offset - start) + 1};
}

/// What the parser would take in silence, or take for something else.
void refuse_bytes(std::string_view text, const std::shared_ptr<const std::string>& file) {
  if (text.size() > yaml_bytes) Place{file, 0, 0}.fail(fmt::format("larger than {} bytes", yaml_bytes));
  if (text.starts_with("\xef\xbb\xbf") || text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    Place{file, 1, 1}.fail("a byte order mark: policies are plain UTF-8");
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos)
    place_of(text, bad, file).fail("not valid UTF-8");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7f)
      place_of(text, i, file).fail("a control character");
    if (byte == '%' && (i == 0 || text[i - 1] == '\n')) place_of(text, i, file).fail("directives (%) are not allowed");
  }
}

constexpr std::array<std::string_view, 7> words_of_yaml = {"true", "false", "yes", "no", "on", "off", "null"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// A plain scalar of which some YAML reader makes a number: 12, 0x1f, 0o17, 1_000, 7.10, 1e3, 12:30, .inf
bool looks_like_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::string word = lower(text);
  if (word == ".inf" || word == ".nan") return true;
  const auto only = [&word](std::string_view allowed, std::size_t from) {
    return word.size() > from && word.find_first_not_of(allowed, from) == std::string::npos;
  };
  if (word.starts_with("0x")) return only("0123456789abcdef_", 2);
  if (word.starts_with("0o") || word.starts_with("0b")) return only("01234567_", 2);
  const std::size_t start = word.starts_with('.') ? 1 : 0;
  if (word.size() <= start || word[start] < '0' || word[start] > '9') return false;
  if (!only("0123456789_.:e+-", 0)) return false;
  // Two dots, or a sign without an exponent before it, make it text: 1.2.3, 2026-12-31, 1-2.
  if (std::count(word.begin(), word.end(), '.') > 1) return false;
  for (std::size_t i = 1; i < word.size(); ++i)
    if ((word[i] == '-' || word[i] == '+') && word[i - 1] != 'e') return false;
  return true;
}

}  // namespace

YamlNode YamlNode::parse(std::string_view text, const std::string& file) {
  const auto name = std::make_shared<const std::string>(file);
  refuse_bytes(text, name);
  YamlBuilder builder(text, name);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.done()) Place{name, 0, 0}.fail("empty");
    // Reads on behind the first document: another one, or what follows "...", must not be dropped silently.
    if (parser.HandleNextDocument(builder)) Place{name, 0, 0}.fail("a second document: a policy is one document");
  } catch (const YAML::Exception& e) {
    builder.at(e.mark).fail("not YAML: " + e.msg);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    Place{name, 0, 0}.fail(std::string("not YAML: ") + e.what());
  }
  return builder.take();
}

std::string_view YamlNode::kind_name() const {
  switch (kind_) {
    case Kind::null: return "empty";
    case Kind::scalar: return "a single value";
    case Kind::list: return "a list";
    case Kind::map: return "a map";
  }
  return "unknown";
}

void YamlNode::fail(std::string_view message) const {
  place_.fail(key_.empty() ? std::string(message) : key_ + ": " + std::string(message));
}

const std::vector<YamlNode>& YamlNode::items() const {
  if (kind_ != Kind::list) fail(fmt::format("must be a list, is {}", kind_name()));
  return items_;
}

const std::vector<YamlNode::Member>& YamlNode::members() const {
  if (kind_ != Kind::map) fail(fmt::format("must be a map of keys and values, is {}", kind_name()));
  return members_;
}

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const Member& member : members())
    if (member.key == key) return member.value.get();
  return nullptr;
}

const std::string& YamlNode::text() const {
  if (kind_ != Kind::scalar) fail(fmt::format("must be a text, is {}", kind_name()));
  if (scalar_.empty()) fail("must not be an empty text");
  if (quoted_) return scalar_;
  if (looks_like_number(scalar_)) fail(fmt::format("is a number to YAML; write it in quotes: '{}'", scalar_));
  const std::string word = lower(scalar_);
  if (std::find(words_of_yaml.begin(), words_of_yaml.end(), word) != words_of_yaml.end())
    fail(fmt::format("is not a text to YAML; write it in quotes: '{}'", scalar_));
  return scalar_;
}

bool YamlNode::flag() const {
  if (kind_ != Kind::scalar) fail(fmt::format("must be true or false, is {}", kind_name()));
  if (quoted_) fail("must be true or false without quotes");
  if (scalar_ == "true") return true;
  if (scalar_ == "false") return false;
  const std::string word = lower(scalar_);
  if (word == "yes" || word == "on" || word == "y")
    fail(fmt::format("must be true or false, is '{}': write true", scalar_));
  if (word == "no" || word == "off" || word == "n")
    fail(fmt::format("must be true or false, is '{}': write false", scalar_));
  fail(fmt::format("must be true or false, is '{}'", scalar_));
}

std::uint64_t YamlNode::number() const {
  if (kind_ != Kind::scalar) fail(fmt::format("must be a whole number, is {}", kind_name()));
  if (quoted_) fail("must be a whole number without quotes");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(scalar_.data(), scalar_.data() + scalar_.size(), value);
  if (error != std::errc() || end != scalar_.data() + scalar_.size())
    fail(fmt::format("must be a whole number, is '{}'", scalar_));
  if (scalar_.size() > 1 && scalar_.front() == '0') fail("a number does not begin with 0; a mode is written in quotes");
  return value;
}

std::vector<const YamlNode*> YamlNode::texts() const {
  std::vector<const YamlNode*> out;
  if (kind_ == Kind::scalar) {
    (void)text();
    out.push_back(this);
    return out;
  }
  for (const YamlNode& item : items()) {
    (void)item.text();
    out.push_back(&item);
  }
  if (out.empty()) fail("must not be an empty list");
  return out;
}

}  // namespace ocilint
