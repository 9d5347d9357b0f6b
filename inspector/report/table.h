// A table for a terminal: columns as wide as they must be, the last one wrapped or cut to what is left.
//
// Cells are texts that for_terminal() made, or the program's own; a line end in the last one begins a line.
// When it wraps, words that are longer than the room stay whole: a path or digest can be copied. Where the other
// columns leave little room, a last cell that does not fit stands below its row instead. Lines have no blanks at
// their end. A table without rows is "". Values; pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/paint.h"

namespace ocilint {

class Table {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  enum class Last : std::uint8_t { wrapped, cut };

  explicit Table(std::vector<Column> columns, Last last = Last::wrapped) : columns_(std::move(columns)), last_(last) {}

  /// As many cells as there are columns.
  void row(std::vector<std::string> cells, Hue hue = Hue::plain);
  /// A line of its own under the last row, where the last column begins.
  void below(std::string text, Hue hue = Hue::plain);

  /// `width` 0: nothing is wrapped or cut, as in a file.
  std::string write(std::size_t width, bool color) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // of below(): one
    Hue hue = Hue::plain;
  };

  std::vector<Column> columns_;
  Last last_;
  std::vector<Row> rows_;
};

/// Broken at blanks so that no line has more columns than `width`, where words allow it; lines after the
/// first begin with the blanks of the first and `indent` more. `width` 0: one line.
std::vector<std::string> wrap(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace ocilint
