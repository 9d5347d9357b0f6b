#include "facts/python_metadata.h"

#include <algorithm>

#include "base/error.h"
#include "facts/deb822.h"
#include "facts/limits.h"
#include "facts/lines.h"
#include "facts/notes.h"

namespace ocilint {
namespace {

bool is_field_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c > ' ' && c < 127 && c != ':'; });
}

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void set_once(std::string& to, const std::string& value, const char* name, std::size_t line) {
  if (!to.empty() && to != value) corrupt_line(line, std::string("another ") + name + " than before");
  to = value;
}

}  // namespace

PythonMetadata PythonMetadata::parse(std::string_view text) {
  if (text.size() > python_metadata_bytes)
    throw Error(ErrorKind::limit, "metadata of more than " + std::to_string(python_metadata_bytes) + " bytes");
  PythonMetadata out;
  for (Lines lines(text); lines.next();) {
    const std::string_view line = without_cr(lines.text());
    if (line.empty()) break;
    if (line.find('\0') != line.npos) corrupt_line(lines.number(), "a NUL byte");
    if (line.front() == ' ' || line.front() == '\t') {
      if (out.fields.empty()) break;
      std::string& value = out.fields.back().value;
      value += (value.empty() ? "" : " ") + std::string(trim_blanks(line));
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !is_field_name(line.substr(0, colon))) break;
    if (out.fields.size() == python_header_fields) limit_line(lines.number(), "too many fields");
    out.fields.push_back({std::string(line.substr(0, colon)), std::string(trim_blanks(line.substr(colon + 1)))});
    const Field& field = out.fields.back();
    if (equal_without_case(field.name, "Name")) set_once(out.name, field.value, "Name", lines.number());
    if (equal_without_case(field.name, "Version")) set_once(out.version, field.value, "Version", lines.number());
  }
  for (const Field& field : out.fields) {
    if (equal_without_case(field.name, "Requires-Dist")) out.requirements.push_back(field.value);
    if (equal_without_case(field.name, "Provides-Extra")) out.extras.push_back(field.value);
  }
  if (out.name.empty()) corrupt("no Name in the metadata");
  if (out.version.empty()) corrupt("no Version in the metadata");
  return out;
}

std::vector<std::string> parse_egg_requires(std::string_view text) {
  require_text(text, small_text_bytes);
  std::vector<std::string> out;
  std::string extra, marker;
  for (Lines lines(text); lines.next();) {
    std::string_view line = trim_blanks(without_cr(lines.text()));
    if (line.empty() || line.front() == '#') continue;
    if (out.size() == python_header_fields) limit_line(lines.number(), "too many requirements");
    if (line.front() == '[') {
      if (line.back() != ']') corrupt_line(lines.number(), "a section without end");
      line = line.substr(1, line.size() - 2);
      const std::size_t colon = std::min(line.find(':'), line.size());
      extra = trim_blanks(line.substr(0, colon));
      marker = trim_blanks(line.substr(std::min(colon + 1, line.size())));
      continue;
    }
    std::string condition = marker;
    if (!extra.empty()) condition = (marker.empty() ? "" : "(" + marker + ") and ") + "extra == '" + extra + "'";
    // Behind a URL a semicolon needs a blank.
    out.push_back(std::string(line) + (condition.empty() ? "" : " ; " + condition));
  }
  return out;
}

}  // namespace ocilint
