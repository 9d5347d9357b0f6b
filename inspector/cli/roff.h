// Requests and escapes of man(7), for the pages that man.h writes.
//
// Whatever a text holds is escaped: no line of it is taken for a request. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ocilint::cli {

/// A dash that is typed is a minus; a quote or dot that begins a line would begin a request.
std::string escaped(std::string_view text);
/// The same of Markdown in one paragraph: `code` is bold.
std::string prose(std::string_view text);

std::string bold(const std::string& text);
std::string italic(const std::string& text);

struct PageName {
  std::string name;
  int section = 1;
  const char* manual = "";  // "User Commands"
};
std::string roff_head(const PageName& page, const std::string& summary, const std::string& date);

/// "" without a body; `text` of an entry is escaped already.
std::string section(const char* title, const std::string& body);
std::string entry(const std::string& tag, const std::string& text);

}  // namespace ocilint::cli
