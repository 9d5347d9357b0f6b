#include "report/html_parts.h"

#include <fmt/format.h>

#include "report/escape.h"

namespace ocilint {

std::string html_code(std::string_view text) { return "<code>" + for_html(text) + "</code>"; }

std::string html_fact(std::string_view label, const std::string& markup) {
  return markup.empty() ? "" : fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, markup);
}

std::string html_figure(std::string_view label, std::optional<std::size_t> count, std::string_view kind) {
  if (!count) return fmt::format("<div class=\"unsure\"><dt>{}</dt><dd>?</dd></div>", label);
  return fmt::format("<div class=\"{}{}\"><dt>{}</dt><dd>{}</dd></div>", kind, *count == 0 ? " nil" : "", label,
                     grouped(*count));
}

std::string html_holes(std::string_view before, const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  std::string out = "<ul class=\"holes\">";
  for (const std::string& text : texts) out += "<li>" + std::string(before) + for_html(text) + "</li>";
  return out + "</ul>\n";
}

std::string html_left_out(std::size_t count, std::string_view where) {
  if (count == 0) return "";
  return fmt::format("<p class=\"more\">{} more {} not shown here; {}.</p>\n", grouped(count),
                     count == 1 ? "is" : "are", where);
}

std::string html_look_page(std::string_view title, std::string_view verb, std::string_view id,
                           const std::string& article) {
  return html_page(std::string(title) + " · ocilint",
                   fmt::format("<article class=\"image\" id=\"{}\">\n{}</article>\n", id, article),
                   fmt::format("Made by ocilint {}.", verb));
}

std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

std::string count_text(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

}  // namespace ocilint
