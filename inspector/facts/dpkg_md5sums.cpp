#include "facts/dpkg_md5sums.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/path.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdefABCDEF";

std::string absolute(std::string_view raw) { return normalise(raw).path; }

bool every_line_has_cr(std::string_view text) {
  bool any = false;
  for (Lines lines(text); lines.next(); any = true)
    if (!lines.text().ends_with('\r')) return false;
  return any;
}

// md5sum's escapes: \\, \n and \r. Empty for any other.
std::optional<std::string> unescaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      result += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    if (text[at] == '\\')
      result += '\\';
    else if (text[at] == 'n')
      result += '\n';
    else if (text[at] == 'r')
      result += '\r';
    else
      return std::nullopt;
  }
  return result;
}

class SumsReader {
 public:
  SumsReader(std::string_view text, const DpkgMd5sums::Listed& listed, DpkgMd5sums& sums)
      : text_(text), listed_(listed), all_cr_(!listed && every_line_has_cr(text)), sums_(sums) {}

  void read() {
    Lines lines(text_);
    while (lines.next()) {
      number_ = lines.number();
      if (lines.text().find_first_not_of(" \t\r") == std::string_view::npos)
        note("a blank line");
      else if (const std::string reason = read_line(lines.text()); !reason.empty())
        refuse(reason);
    }
    if (!lines.terminated()) note("no newline at the end");
  }

 private:
  void note(std::string_view text) { add_note(sums_.notes, number_, text); }
  void refuse(std::string_view reason) {
    ++sums_.refused;
    note("refused: " + std::string(reason));
  }

  // The reason why the line is of no use, or empty.
  std::string read_line(std::string_view line) {
    if (line.size() > list_line_bytes) return "too long";
    const bool escaped = line.front() == '\\';
    if (escaped) line.remove_prefix(1);
    const auto hex = line.substr(0, line.find_first_not_of(hex_digits));
    if (hex.size() != 32 && hex.size() != 64) return "no digest at the start";
    line.remove_prefix(hex.size());
    if (!line.starts_with(' ')) return "no blank behind the digest";
    line.remove_prefix(1);

    std::string reason;
    const auto path = escaped ? escaped_path(line, reason) : plain_path(line, reason);
    if (!path) return reason;
    if (escaped) note("md5sum's escapes");
    if (hex.size() == 64) note("SHA-256 instead of MD5");
    if (hex.find_first_of("ABCDEF") != hex.npos) note("a digest in capital letters");
    sums_.entries.push_back(
        {*path, Digest::from_hex(hex.size() == 32 ? Algorithm::md5 : Algorithm::sha256, hex), number_});
    return {};
  }

  std::optional<std::string> escaped_path(std::string_view rest, std::string& reason) {
    if (rest.starts_with(' ') || rest.starts_with('*')) rest.remove_prefix(1);
    const auto name = unescaped(rest);
    if (!name) reason = "an unknown escape";
    if (!name || !usable(*name, reason)) return std::nullopt;
    return absolute(*name);
  }

  // `rest` begins behind the first blank: " path" as it should be, "*path" or "path".
  std::optional<std::string> plain_path(std::string_view rest, std::string& reason) {
    if (rest.starts_with(' ')) {
      rest.remove_prefix(1);
    } else if (rest.starts_with('*')) {
      const auto behind = without_cr(rest.substr(1));
      if (!usable(behind, reason)) return std::nullopt;
      if (!listed_ || listed_(absolute(behind))) {
        note("\"*\" before the path");
        return absolute(behind);
      }
      if (!listed_(absolute(without_cr(rest)))) {
        reason = "\"*\" before a path that the package does not list";
        return std::nullopt;
      }
      note("one blank between digest and path");
    } else {
      note("one blank between digest and path");
    }
    rest = without_cr(rest);
    if (!usable(rest, reason)) return std::nullopt;
    return absolute(rest);
  }

  // A CR is part of the name unless it is known to be none.
  std::string_view without_cr(std::string_view path) {
    if (!path.ends_with('\r')) return path;
    const auto shorter = path.substr(0, path.size() - 1);
    const bool is_mark = listed_ ? !listed_(absolute(path)) && listed_(absolute(shorter)) : all_cr_;
    if (!is_mark) return path;
    note("a CR at the end");
    return shorter;
  }

  static bool usable(std::string_view path, std::string& reason) {
    if (has_dot_dot(path)) reason = "a path with \"..\"";
    if (path.empty() || path == "/" || path == ".") reason = "no path";
    return reason.empty();
  }

  std::string_view text_;
  const DpkgMd5sums::Listed& listed_;
  bool all_cr_;
  DpkgMd5sums& sums_;
  std::size_t number_ = 0;
};

// Of two lines for one path the later holds, as for dpkg.
void drop_earlier(DpkgMd5sums& sums) {
  auto& entries = sums.entries;
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return entries[a].path < entries[b].path; });
  std::vector<bool> drop(entries.size());
  bool any = false;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (entries[order[i]].path != entries[order[i + 1]].path) continue;
    any = drop[order[i]] = true;
    add_note(sums.notes, entries[order[i + 1]].line, entries[order[i]].path + " stands there twice");
  }
  if (!any) return;
  std::size_t to = 0;
  for (std::size_t from = 0; from < entries.size(); ++from) {
    if (drop[from]) continue;
    if (to != from) entries[to] = std::move(entries[from]);
    ++to;
  }
  entries.resize(to);
}

}  // namespace

DpkgMd5sums DpkgMd5sums::parse(std::string_view text, const Listed& listed) {
  DpkgMd5sums sums;
  try {
    require_text(text, list_bytes);
  } catch (const Error& error) {
    sums.malformed = error.what();
    return sums;
  }
  SumsReader(text, listed, sums).read();
  drop_earlier(sums);
  if (sums.entries.empty() && sums.refused != 0)
    sums.malformed = "none of its " + std::to_string(sums.refused) + " lines is usable";
  return sums;
}

}  // namespace ocilint
