#include "cli/roff.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/version.h"

namespace ocilint::cli {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string prose(std::string_view text) {
  std::string out;
  bool code = false;
  while (true) {
    const std::size_t tick = text.find('`');
    std::string part(text.substr(0, tick));
    // A line of its own would be one of the page.
    std::ranges::replace(part, '\n', ' ');
    // Behind other text it begins no line.
    const std::string safe = escaped(part);
    out += !out.empty() && safe.starts_with("\\&") ? safe.substr(2) : safe;
    if (tick == std::string_view::npos) break;
    out += code ? "\\fR" : "\\fB";
    code = !code;
    text.remove_prefix(tick + 1);
  }
  return code ? out + "\\fR" : out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string roff_head(const PageName& page, const std::string& summary, const std::string& date) {
  return fmt::format(".TH {} {} {} \"ocilint {}\" \"{}\"\n.SH NAME\n{} \\- {}\n", escaped(upper(page.name)),
                     page.section, date, version(), page.manual, escaped(page.name), escaped(summary));
}

std::string section(const char* title, const std::string& body) {
  return body.empty() ? "" : fmt::format(".SH {}\n{}", title, body);
}

std::string entry(const std::string& tag, const std::string& text) {
  return text.empty() ? "" : ".TP\n" + tag + "\n" + text + "\n";
}

}  // namespace ocilint::cli
