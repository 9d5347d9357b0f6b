#include "facts/python_requirement.h"

#include <algorithm>

#include "base/error.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_alnum(c) || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

struct Variable {
  std::string_view spelling, name;
};
constexpr Variable variables[] = {
    {"python_version", "python_version"},
    {"python_full_version", "python_full_version"},
    {"os_name", "os_name"},
    {"os.name", "os_name"},
    {"sys_platform", "sys_platform"},
    {"sys.platform", "sys_platform"},
    {"platform_release", "platform_release"},
    {"platform_system", "platform_system"},
    {"platform_version", "platform_version"},
    {"platform.version", "platform_version"},
    {"platform_machine", "platform_machine"},
    {"platform.machine", "platform_machine"},
    {"platform_python_implementation", "platform_python_implementation"},
    {"platform.python_implementation", "platform_python_implementation"},
    {"python_implementation", "platform_python_implementation"},
    {"implementation_name", "implementation_name"},
    {"implementation_version", "implementation_version"},
    {"extra", "extra"},
    {"extras", "extras"},
    {"dependency_groups", "dependency_groups"},
};

constexpr std::string_view comparisons[] = {"===", "==", "~=", "!=", "<=", ">=", "<", ">"};

/// Variables that are compared as versions where the other side can be one.
bool is_version(std::string_view variable) {
  return variable == "python_version" || variable == "python_full_version" || variable == "implementation_version" ||
         variable == "platform_release";
}

[[noreturn]] void no_requirement(std::string_view text, const std::string& why) {
  corrupt("'" + std::string(text) + "' is no requirement of Python (PEP 508): " + why);
}

/// A text that is read from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text.size() > python_requirement_bytes)
      throw Error(ErrorKind::limit, "a requirement of more bytes than is allowed");
  }

  [[noreturn]] void fail(const std::string& why) const {
    no_requirement(text_, why + ", at byte " + std::to_string(at_));
  }
  bool end() const { return at_ == text_.size(); }
  char peek() const { return end() ? '\0' : text_[at_]; }
  void blanks() {
    while (is_blank(peek())) ++at_;
  }
  bool take(std::string_view literal) {
    if (!left().starts_with(literal)) return false;
    at_ += literal.size();
    return true;
  }
  /// A literal that no letter goes on.
  bool take_word(std::string_view word) {
    const auto rest = left();
    if (!rest.starts_with(word) || (rest.size() > word.size() && is_word(rest[word.size()]))) return false;
    at_ += word.size();
    return true;
  }
  std::string_view left() const { return text_.substr(at_); }
  std::string_view until(std::string_view stops) {
    const std::size_t from = at_;
    at_ = std::min(text_.find_first_of(stops, at_), text_.size());
    return text_.substr(from, at_ - from);
  }
  std::string identifier(const char* what) {
    std::size_t to = at_;
    while (to < text_.size() && (is_word(text_[to]) || text_[to] == '.' || text_[to] == '-')) ++to;
    while (to > at_ && !is_word(text_[to - 1])) --to;
    if (to == at_ || !is_alnum(text_[at_])) fail(std::string("no ") + what);
    const auto out = text_.substr(at_, to - at_);
    at_ = to;
    return std::string(out);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

/// Operator precedence with a stack of open parentheses and operators; "and" binds tighter than "or".
class PythonMarkerReader {
 public:
  explicit PythonMarkerReader(Reader& in) : in_(in) {}

  PythonMarker read() {
    const std::string_view all = in_.left();
    bool operand_next = true;
    for (;;) {
      in_.blanks();
      if (operand_next) {
        if (in_.take("(")) {
          if (++depth_ > python_marker_depth) throw Error(ErrorKind::limit, "a marker of too many open parentheses");
          waiting_.push_back(Waiting::parenthesis);
          continue;
        }
        item();
        operand_next = false;
      } else if (in_.take(")")) {
        close();
      } else if (in_.take_word("and")) {
        push(Waiting::both);
        operand_next = true;
      } else if (in_.take_word("or")) {
        push(Waiting::either);
        operand_next = true;
      } else {
        break;
      }
    }
    if (!in_.end()) in_.fail("neither 'and' nor 'or'");
    while (!waiting_.empty()) {
      if (waiting_.back() == Waiting::parenthesis) in_.fail("an open parenthesis");
      pop();
    }
    out_.text_ = trim_blanks(all);
    return std::move(out_);
  }

 private:
  enum class Waiting : std::uint8_t { parenthesis, either, both };  // the tighter, the greater

  struct Side {
    bool is_variable = false;
    std::string text;
  };

  Side side() {
    if (in_.peek() == '"' || in_.peek() == '\'') {
      const std::string quote(1, in_.peek());
      in_.take(quote);
      const std::string_view text = in_.until(quote);
      if (!in_.take(quote)) in_.fail("a string without end");
      if (text.find('\\') != text.npos) in_.fail("an escape in a string");
      return {false, std::string(text)};
    }
    for (const Variable& variable : variables)
      if (in_.take_word(variable.spelling)) return {true, std::string(variable.name)};
    in_.fail("neither a variable of markers nor a string");
  }

  std::string comparison() {
    if (in_.take_word("in")) return "in";
    if (in_.take_word("not")) {
      if (!is_blank(in_.peek())) in_.fail("no blank behind 'not'");
      in_.blanks();
      if (!in_.take_word("in")) in_.fail("no 'in' behind 'not'");
      return "not in";
    }
    for (const std::string_view each : comparisons)
      if (in_.take(each)) return std::string(each);
    in_.fail("no comparison");
  }

  void item() {
    const Side left = side();
    in_.blanks();
    PythonMarkerItem out;
    out.op = comparison();
    in_.blanks();
    const Side right = side();
    if (left.is_variable == right.is_variable) in_.fail("a comparison needs one variable and one string");
    out.text_first = right.is_variable;
    out.variable = left.is_variable ? left.text : right.text;
    out.text = left.is_variable ? right.text : left.text;
    if (out.variable == "extra") out.text = normal_python_name(out.text);
    out_.items_.push_back(std::move(out));
    out_.steps_.push_back(PythonMarker::Step::item);
  }

  void pop() {
    out_.steps_.push_back(waiting_.back() == Waiting::both ? PythonMarker::Step::both : PythonMarker::Step::either);
    waiting_.pop_back();
  }
  void push(Waiting op) {
    while (!waiting_.empty() && waiting_.back() >= op) pop();
    waiting_.push_back(op);
  }
  void close() {
    while (!waiting_.empty() && waiting_.back() != Waiting::parenthesis) pop();
    if (waiting_.empty()) in_.fail("a parenthesis that was not opened");
    waiting_.pop_back();
    --depth_;
  }

  Reader& in_;
  PythonMarker out_;
  std::vector<Waiting> waiting_;
  std::size_t depth_ = 0;
};

namespace {

/// Two texts as PEP 508 compares what is no version.
bool compare_texts(std::string_view left, const std::string& op, std::string_view right) {
  if (op == "in") return right.find(left) != right.npos;
  if (op == "not in") return right.find(left) == right.npos;
  if (op == "==" || op == "<=" || op == ">=") return left == right;
  if (op == "!=") return left != right;
  if (op == "<" || op == ">") return false;
  corrupt("a marker compares two texts with " + op);
}

bool compare_sides(const PythonMarkerItem& item, const std::string& value) {
  const std::string& left = item.text_first ? item.text : value;
  const std::string& right = item.text_first ? value : item.text;
  if (is_version(item.variable))
    if (const auto specifier = PythonSpecifier::parse(item.op + right)) return specifier->matches(left);
  return compare_texts(left, item.op, right);
}

/// "3.12" where three numbers are meant.
bool lacks_third_number(const PythonMarkerItem& item, const std::string& value) {
  return (item.variable == "python_full_version" || item.variable == "implementation_version") &&
         std::count(value.begin(), value.end(), '.') == 1;
}

}  // namespace

std::optional<bool> PythonMarkerItem::evaluate(const PythonEnvironment& environment) const {
  const auto known = environment.find(variable);
  if (known == environment.end()) return std::nullopt;
  if (!lacks_third_number(*this, known->second)) return compare_sides(*this, known->second);
  // Whatever the number is: an order gives one answer for all of them if it does for the least and the greatest;
  // equality may hold for one between.
  const auto asked = PythonVersion::parse(text.ends_with(".*") ? std::string_view(text).substr(0, text.size() - 2)
                                                               : std::string_view(text));
  const auto series = PythonVersion::parse(known->second);
  const bool ordering = op == "<" || op == "<=" || op == ">" || op == ">=";
  if (!asked || !series) return std::nullopt;
  const bool of_series = asked->begins_with(series->epoch, series->release);
  if (of_series && !ordering && !(text.ends_with(".*") && asked->release.size() <= series->release.size()))
    return std::nullopt;
  const bool least = compare_sides(*this, known->second + ".0");
  const bool greatest = compare_sides(*this, known->second + ".99999");
  return least == greatest ? std::optional(least) : std::nullopt;
}

PythonMarker PythonMarker::parse(std::string_view text) {
  Reader in(text);
  return PythonMarkerReader(in).read();
}

std::optional<bool> PythonMarker::evaluate(const PythonEnvironment& environment) const {
  if (steps_.empty()) return true;
  std::vector<std::optional<bool>> stack;
  std::size_t item = 0;
  for (const Step step : steps_) {
    if (step == Step::item) {
      stack.push_back(items_[item++].evaluate(environment));
      continue;
    }
    const std::optional<bool> right = stack.back();
    stack.pop_back();
    std::optional<bool>& left = stack.back();
    const bool decides = step == Step::either;  // true decides an "or", false an "and"
    if (left == decides || right == decides)
      left = decides;
    else if (!left || !right)
      left = std::nullopt;
  }
  return stack.back();
}

PythonRequirement PythonRequirement::parse(std::string_view text) {
  text = trim_blanks(text);
  Reader in(text);
  PythonRequirement out;
  out.text = text;
  out.name = in.identifier("name of a distribution");
  out.normal = normal_python_name(out.name);
  in.blanks();
  if (in.take("[")) {
    in.blanks();
    for (bool more = !in.take("]"); more;) {
      out.extras.push_back(normal_python_name(in.identifier("name of an extra")));
      in.blanks();
      more = in.take(",");
      if (!more && !in.take("]")) in.fail("no comma between extras");
      in.blanks();
    }
    in.blanks();
  }
  if (in.take("@")) {
    in.blanks();
    out.url = in.until(" \t");
    if (out.url.empty()) in.fail("no URL");
    in.blanks();
  } else if (in.take("(")) {
    out.specifiers = PythonSpecifiers::parse(in.until(")"));
    if (!in.take(")")) in.fail("an open parenthesis");
    in.blanks();
  } else {
    out.specifiers = PythonSpecifiers::parse(in.until(";"));
  }
  if (in.end()) return out;
  if (!in.take(";")) in.fail("no semicolon before the marker");
  out.marker = PythonMarkerReader(in).read();
  return out;
}

}  // namespace ocilint
