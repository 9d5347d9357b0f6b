#include "report/table.h"

#include <algorithm>

#include "report/escape.h"

namespace ocilint {
namespace {

constexpr std::size_t gap = 2;          // blanks between columns
constexpr std::size_t least_room = 32;  // a narrower last column is of no use: what does not fit stands below
constexpr std::size_t least_cut = 8;    // one that is cut is never narrower
constexpr std::size_t wrap_indent = 4;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    if (end == std::string::npos) return out;
    at = end + 1;
  }
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::vector<std::string> wrap(const std::string& text, std::size_t width, std::size_t indent) {
  if (width == 0 || columns(text) <= width) return {text};
  std::vector<std::string> out;
  // Blanks at the begin of a line are its shape.
  std::string line = text.substr(0, std::min(text.find_first_not_of(' '), text.size()));
  indent += line.size();
  std::size_t used = line.size(), at = line.size();
  bool empty = true;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t size = columns(word);
    // What a log would take for a command at the begin of a line is not put there.
    if (!empty && used + 1 + size > width && for_terminal(word) == word) {
      out.push_back(std::move(line));
      line.assign(indent, ' ');
      used = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    used += size + (empty ? 0 : 1);
    empty = false;
    at = end + 1;
  }
  out.push_back(std::move(line));
  return out;
}

void Table::row(std::vector<std::string> cells, Hue hue) { rows_.push_back({std::move(cells), hue}); }

void Table::below(std::string text, Hue hue) { rows_.push_back({{std::move(text)}, hue}); }

std::string Table::write(std::size_t width, bool color) const {
  if (rows_.empty()) return "";
  const std::size_t last = columns_.size() - 1;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(ocilint::columns(column.title));
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < last && row.cells.size() == columns_.size(); ++i)
      widths[i] = std::max(widths[i], ocilint::columns(row.cells[i]));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < last; ++i) begin += widths[i] + gap;
  const std::size_t left = width > begin ? width - begin : 0;
  const bool cut = last_ == Last::cut;
  const bool stacked = width != 0 && !cut && left < least_room;
  const std::size_t room = width == 0 ? 0
                           : cut      ? std::max(left, least_cut)
                           : stacked  ? width - std::min(width, wrap_indent)
                                      : left;
  const std::string margin(stacked ? wrap_indent : begin, ' ');

  std::string out;
  const auto put = [&](std::string line, Hue hue) {
    trim_end(line);
    out += paint(line, line.empty() ? Hue::plain : hue, color) + "\n";
  };
  const auto fitted = [&](const std::string& line, std::size_t most) {
    return cut && most > 0 ? std::vector{for_terminal(line, most)} : wrap(line, most, wrap_indent);
  };
  const auto front = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < last; ++i) {
      const std::string fill(widths[i] - ocilint::columns(cells[i]), ' ');
      line += columns_[i].align == Align::right ? fill + cells[i] : cells[i] + fill;
      line += std::string(gap, ' ');
    }
    return line;
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const bool empty = std::ranges::all_of(
      rows_, [&](const Row& row) { return row.cells.size() != columns_.size() || row.cells[last].empty(); });
  put(front(titles) + (empty ? "" : titles[last]), Hue::bold);
  for (const Row& row : rows_) {
    const bool whole = row.cells.size() == columns_.size();
    std::string before = whole ? front(row.cells) : margin;
    const std::vector<std::string> lines = lines_of(row.cells.back());
    const bool beside = !stacked || (lines.size() == 1 && ocilint::columns(lines[0]) <= left);
    if (whole && !beside) {
      put(before, row.hue);
      before = margin;
    }
    for (const std::string& line : lines)
      for (const std::string& part : fitted(line, whole && beside && stacked ? 0 : room)) {
        put(before + part, row.hue);
        before = margin;
      }
  }
  return out;
}

}  // namespace ocilint
