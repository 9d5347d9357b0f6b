// For tests of report formats: the results that approved reports are made of, and results whose every text is one
// that a parser, a terminal, a log or a viewer would stumble over.
#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "every_feature.h"
#include "support/places.h"
#include "report/escape.h"
#include "report/report.h"

namespace ocilint::testing {

inline constexpr std::uint64_t file_most = 4 << 20;

inline ReportStyle stated() {
  ReportStyle style;
  style.fail_on = Severity::warning;
  style.stats = true;
  style.folder = "/builds/project";
  return style;
}

inline std::vector<ImageResult> results() { return {every_feature(), unreadable_image(), ambiguous_image()}; }

/// A ledger without a hole, and nothing beside the checks.
inline void complete(ImageResult& image) {
  image.ledger = {};
  image.ledger.checks_listed = image.ledger.checks_evaluated = image.ledger.checks_passed = image.checks.size();
  image.unused_waivers.clear();
}

/// The version is not what approved files are about.
inline std::string without_version(std::string text, const std::string& name) {
  const std::string key = "\"" + name + "\": \"";
  const std::size_t at = text.find(key);
  if (at != std::string::npos) text.replace(at + key.size(), text.find('"', at + key.size()) - at - key.size(), "0");
  return text;
}

inline void check_approved(const std::string& name, const std::string& text) {
  const std::string path = std::string(test::source_dir) + "/testdata/approved/" + name;
  if (std::getenv("OCILINT_APPROVE") != nullptr) std::ofstream(path, std::ios::binary) << text;
  INFO("renew it with: OCILINT_APPROVE=1 ctest -R ^report  (in the build folder)");
  CHECK(text == read_file(path, file_most));
}

inline const std::vector<std::string>& hostile_parts() {
  static const std::vector<std::string> parts = {"::error::x",
                                                 "\n",
                                                 "\r",
                                                 "\x1b[2J",
                                                 "\a",
                                                 std::string(1, '\0'),
                                                 "\"",
                                                 "\\",
                                                 "\x7f",
                                                 "\xc2\x9b",
                                                 "\xe2\x80\xae",
                                                 "\xff",
                                                 "\xe3\x80\x80",
                                                 "\xc2\xa0",
                                                 " ::x",
                                                 "\xc3",
                                                 "\xed\xa0\x80",
                                                 "\xf4\x90\x80\x80",
                                                 "##[error]",
                                                 "##vso[x]",
                                                 "###[",
                                                 ":",
                                                 "/",
                                                 " ",
                                                 "\u00e9",
                                                 "\U0001f600",
                                                 "\xe2\x80\xa8",
                                                 "]]>",
                                                 "%0A",
                                                 "%0A::error::y",
                                                 "<script>",
                                                 "</td>",
                                                 "<!--",
                                                 "-->",
                                                 "&amp;",
                                                 "&#10;",
                                                 "<br/>",
                                                 "](http://h.invalid)",
                                                 "[x](1)",
                                                 "![x](y)",
                                                 "|",
                                                 "`",
                                                 "``",
                                                 "*x*",
                                                 "_x_",
                                                 "~~",
                                                 "@someone",
                                                 "#123",
                                                 "www.h.invalid",
                                                 "http://h.invalid",
                                                 "a@h.invalid",
                                                 "$x$",
                                                 "{0}",
                                                 "{{",
                                                 "}",
                                                 ",",
                                                 ",line=1",
                                                 "=",
                                                 "'",
                                                 "\n\n",
                                                 "\n| a |",
                                                 "\xef\xbf\xbe",
                                                 "\xef\xbf\xbf",
                                                 "../",
                                                 "//",
                                                 "shipped:",
                                                 "\t",
                                                 ":1"};
  return parts;
}

inline std::string hostile(std::mt19937& random) {
  std::string out;
  for (std::size_t left = random() % 6; left > 0; --left)
    out += random() % 3 == 0 ? std::string(1, static_cast<char>(random()))
                             : hostile_parts()[random() % hostile_parts().size()];
  return out;
}

inline std::vector<ImageResult> random_results(std::mt19937& random) {
  std::vector<ImageResult> out = results();
  for (ImageResult& result : out) {
    for (std::string* const text : strings_of(result))
      if (random() % 4 != 0) *text = hostile(random);
    if (result.unreadable) result.unreadable = Error(result.unreadable->kind(), hostile(random));
  }
  return out;
}

/// Every part in every text.
inline std::vector<ImageResult> worst_results() {
  std::string all;
  for (const std::string& part : hostile_parts()) all += part;
  std::vector<ImageResult> out = results();
  for (ImageResult& result : out) {
    for (std::string* const text : strings_of(result)) *text = "/" + all;
    if (result.unreadable) result.unreadable = Error(result.unreadable->kind(), all);
  }
  return out;
}

/// Nothing but printable ASCII and line ends, or printable UTF-8 where `wide`.
inline std::string acting(const std::string& text, bool wide, bool commands = false) {
  if (first_invalid_utf8(text) != std::string_view::npos) return "no UTF-8";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f || (!wide && byte > 0x7f)) return "byte " + std::to_string(byte);
    if (byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) return "a control character of the second page";
    if (text.compare(i, 3, "\xe2\x80\xae") == 0 || text.compare(i, 3, "\xe2\x80\xa8") == 0) return "a separator";
    if (begins_log_command(std::string_view(text).substr(i))) return "a command within a line";
  }
  std::istringstream lines(text);
  for (std::string line; !commands && std::getline(lines, line);) {
    for (const std::string blank : {"\xe3\x80\x80", "\xc2\xa0"})
      for (std::size_t at; (at = line.find(blank)) != std::string::npos;) line.erase(at, blank.size());
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 2, "::") == 0)
      return "a command at the begin of a line: " + line;
  }
  return "";
}

}  // namespace ocilint::testing
