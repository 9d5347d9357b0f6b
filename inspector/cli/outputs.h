// `-o FORMAT[=FILE]`, repeatable. A file is written beside its name and renamed into place, so that a report is
// whole or not there; standard output is checked for errors. Throws Error{usage} for a format that is none.
#pragma once

#include <string>
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

/// A report into a file: whole, or the old one stays. False with errno.
bool write_file(const std::string& file, std::string_view text);

/// A text on standard output: good, or untrusted when it could not be written.
int print(const std::string& text);

/// --digest-file: what the next job may promote. After any other status than good there is none, nor an old one.
bool write_digests(const std::string& file, std::span<const ImageResult> results, ExitStatus status);

}  // namespace ocilint::cli
