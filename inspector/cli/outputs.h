// `-o FORMAT[=FILE]`, repeatable. A file is written beside its name and renamed into place, so that a report is
// whole or not there; standard output is checked for errors. Throws Error{usage} for a format that is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "run/verdict.h"

namespace ocilint::cli {

struct Output {
  const Format* format = nullptr;
  std::string file;  // "": standard output

  static Output parse(const std::string& text);
};

/// Text on standard output when none is asked for. Two reports for one place are an error.
std::vector<Output> parse_outputs(const std::vector<std::string>& texts);

/// How many of the reports were written, flushed and closed. What failed is said on standard error.
std::size_t write_reports(const std::vector<Output>& outputs, std::span<const ImageResult> results,
                          const ReportStyle& style);

/// A file that is whole or as it was: written beside and renamed. False, and errno, when that was not possible.
bool write_file(const std::string& named, std::string_view text);

/// A text on standard output: good, or untrusted when it could not be written.
int print(const std::string& text);

/// A file that must not be there yet. Error{usage} when it is, or cannot be made.
void write_new(const std::string& file, std::string_view text);

/// A file that later jobs trust: it holds `text`, and without one it is not there, nor an old one.
bool write_trusted(const std::string& file, const char* what, const std::optional<std::string>& text);

/// --digest-file: what the next job may promote.
std::string digests(std::span<const ImageResult> results);

}  // namespace ocilint::cli
