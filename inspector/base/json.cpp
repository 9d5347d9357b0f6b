#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "base/error.h"

namespace ocilint {
namespace {

// Largest whole number that every JSON reader keeps exactly.
constexpr std::uint64_t largest_size = std::uint64_t{1} << 53;

/// Equal for keys that a case-insensitive reader takes for one. Go's folds U+017F to s and U+212A to k too.
std::string folded(std::string_view key) {
  std::string out;
  out.reserve(key.size());
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key.substr(i).starts_with("\xc5\xbf")) {
      out += 's';
      i += 1;
    } else if (key.substr(i).starts_with("\xe2\x84\xaa")) {
      out += 'k';
      i += 2;
    } else {
      const char c = key[i];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

/// Tells how far the lexer has read, which the SAX interface does not.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** seen) : at_(at), seen_(seen) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** seen_;
};

/// Builds the document, refusing on the way. nlohmann's parser is iterative, and so is this.
class Gate : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const std::string& token) override {
    if (token.find_first_of(".eE") == std::string::npos) return fail("a whole number out of range");
    return put(value);
  }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return fail("binary data"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    if (++keys_ > json_keys) return fail(fmt::format("more than {} keys", json_keys));
    if (!open_.back().names.insert(folded(name)).second)
      return fail(fmt::format("the key '{}' stands twice in one object (case does not count)", name));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // Drop the library's prefix "[json.exception.parse_error.101] parse error at line 1, column 2: ".
    std::string_view text = error.what();
    const std::size_t colon = text.find(": ");
    if (colon != std::string_view::npos) text.remove_prefix(colon + 2);
    return fail(std::string(text));
  }

  const std::string& problem() const { return problem_; }
  Json take() { return std::move(root_); }

 private:
  struct Level {
    Json* value;
    std::unordered_set<std::string> names;
  };

  bool fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
    return false;
  }

  template <typename Value>
  Json* place(Value&& value) {
    if (open_.empty()) {
      root_ = Json(std::forward<Value>(value));
      return &root_;
    }
    Json& parent = *open_.back().value;
    if (parent.is_array()) return &parent.emplace_back(std::forward<Value>(value));
    return &(parent[key_] = Json(std::forward<Value>(value)));
  }

  template <typename Value>
  bool put(Value&& value) {
    place(std::forward<Value>(value));
    return true;
  }

  bool open(Json empty) {
    if (open_.size() == json_depth) return fail(fmt::format("more than {} levels", json_depth));
    Json* placed = place(std::move(empty));
    open_.push_back({placed, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Level> open_;
  std::string key_;
  std::string problem_;
  std::size_t keys_ = 0;
};

[[noreturn]] void wrong_type(std::string_view key, std::string_view wanted, const Json& found) {
  corrupt(fmt::format("JSON: '{}' is {} and should be {}", key, found.type_name(), wanted));
}

/// Absent and null are one: encoders of several languages write null for what is empty.
const Json* present(const Json& object, std::string_view key) {
  const Json* value = member(object, key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace

Json parse_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) corrupt("JSON: byte 0: a byte order mark");
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    corrupt(fmt::format("JSON: byte {}: NUL", nul));
  Gate gate;
  const char* seen = text.data();
  const CountingIterator first(text.data(), &seen);
  const CountingIterator last(text.data() + text.size(), &seen);
  if (!Json::sax_parse(first, last, &gate))
    corrupt(fmt::format("JSON: byte {}: {}", seen - text.data(), gate.problem()));
  return gate.take();
}

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  if (const auto exact = object.find(key); exact != object.end()) return &*exact;
  const std::string wanted = folded(key);
  for (auto item = object.begin(); item != object.end(); ++item)
    if (item.key().size() >= key.size() && folded(item.key()) == wanted) return &*item;
  return nullptr;
}

std::string json_string(const Json& object, std::string_view key) {
  const Json* value = present(object, key);
  if (value == nullptr) return {};
  if (!value->is_string()) wrong_type(key, "a string", *value);
  return value->get_ref<const std::string&>();
}

std::optional<std::uint64_t> json_size(const Json& object, std::string_view key) {
  const Json* value = present(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_unsigned()) wrong_type(key, "a whole number without sign, point or exponent", *value);
  const auto number = value->get<std::uint64_t>();
  if (number > largest_size) corrupt(fmt::format("JSON: '{}' is {}, at most 2^53 is a size", key, number));
  return number;
}

bool json_flag(const Json& object, std::string_view key) {
  const Json* value = present(object, key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) wrong_type(key, "true or false", *value);
  return value->get<bool>();
}

std::vector<std::string> json_strings(const Json& object, std::string_view key) {
  std::vector<std::string> out;
  const Json* value = present(object, key);
  if (value == nullptr) return out;
  if (!value->is_array()) wrong_type(key, "a list of strings", *value);
  out.reserve(value->size());
  for (const Json& item : *value) {
    if (!item.is_string()) wrong_type(key, "a list of strings", item);
    out.push_back(item.get_ref<const std::string&>());
  }
  return out;
}

}  // namespace ocilint
