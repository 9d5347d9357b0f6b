#include "facts/python_record.h"

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

/// Rows of fields as Python's csv module reads them: a quote inside quotes is doubled, a newline may stand there.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  std::size_t line() const { return row_line_; }
  bool cut() const { return cut_; }

  bool next(std::vector<std::string>& fields) {
    fields.clear();
    if (at_ == text_.size()) return false;
    row_line_ = line_;
    fields.emplace_back();
    bool quoted = false, fresh = true;  // fresh: at the start of a field
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"') {
          fields.back() += c;
        } else if (at_ < text_.size() && text_[at_] == '"') {
          fields.back() += '"';
          ++at_;
        } else {
          quoted = false;
        }
        continue;
      }
      if (c == '\n') return true;
      if (c == '\r' && (at_ == text_.size() || text_[at_] == '\n')) continue;
      if (c == ',') {
        fields.emplace_back();
        fresh = true;
        continue;
      }
      if (c == '"' && fresh)
        quoted = true;
      else
        fields.back() += c;
      fresh = false;
    }
    cut_ = quoted;
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, row_line_ = 1;
  bool cut_ = false;
};

/// The reason why the row cannot be used, or "".
std::string read_row(const std::vector<std::string>& fields, PythonRecord::Row& row) {
  if (fields.size() > 3) return "more than three fields";
  if (fields[0].empty()) return "no path";
  if (fields[0].size() > list_line_bytes) return "a path that is too long";
  row.path = fields[0];
  if (fields.size() > 1 && !fields[1].empty()) {
    const std::string& text = fields[1];
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) return "a digest without its algorithm";
    const std::string name = text.substr(0, equals);
    const auto raw = decode_base64(std::string_view(text).substr(equals + 1));
    if (name == "sha256" || name == "sha512") {
      const Algorithm algorithm = name == "sha256" ? Algorithm::sha256 : Algorithm::sha512;
      if (!raw || raw->size() != size_of(algorithm)) return "a digest that is none of " + name;
      row.digest = Digest(algorithm, as_bytes(*raw));
    } else {
      row.algorithm = name;
    }
  }
  if (fields.size() > 2 && !fields[2].empty()) {
    std::uint64_t size = 0;
    const char* const end = fields[2].data() + fields[2].size();
    const auto read = std::from_chars(fields[2].data(), end, size);
    if (read.ec != std::errc() || read.ptr != end) return "a size that is no number";
    row.size = size;
  }
  return {};
}

}  // namespace

PythonRecord PythonRecord::parse(std::string_view text) {
  require_text(text, python_record_bytes);
  PythonRecord out;
  CsvReader reader(text);
  for (std::vector<std::string> fields; reader.next(fields);) {
    if (fields.size() == 1 && fields[0].empty()) continue;  // a blank line
    if (out.rows.size() + out.refused == python_record_rows) limit_line(reader.line(), "too many rows");
    Row row;
    row.line = reader.line();
    std::string why = read_row(fields, row);
    if (reader.cut()) why = "a quote without end";
    if (why.empty()) {
      out.rows.push_back(std::move(row));
    } else {
      ++out.refused;
      add_note(out.notes, row.line, why);
    }
  }
  return out;
}

}  // namespace ocilint
