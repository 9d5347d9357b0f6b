#include "facts/ld_so_conf.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/path.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view without_leading_space(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

/// `word` and a blank behind it.
bool begins_with_word(std::string_view line, std::string_view word, bool any_case) {
  if (line.size() <= word.size() || !is_blank(line[word.size()])) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = any_case && line[i] >= 'A' && line[i] <= 'Z' ? static_cast<char>(line[i] - 'A' + 'a') : line[i];
    if (c != word[i]) return false;
  }
  return true;
}

void add_includes(std::string_view words, std::size_t number, LdSoConf& conf) {
  while (!words.empty()) {
    std::size_t end = 0;
    while (end < words.size() && !is_blank(words[end])) ++end;
    if (end > 0) conf.lines.push_back({LdSoConf::Kind::include, std::string(words.substr(0, end)), number});
    words.remove_prefix(end < words.size() ? end + 1 : end);
  }
}

void add_directory(std::string_view path, std::size_t number, LdSoConf& conf) {
  if (const std::size_t equal = path.find('='); equal != path.npos) {
    add_note(conf.notes, number, "a library type behind the directory");
    path = path.substr(0, equal);
  }
  while (!path.empty() && is_space(path.back())) path.remove_suffix(1);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (path.empty()) return;
  if (path.front() != '/') add_note(conf.notes, number, "a relative directory");
  conf.lines.push_back({LdSoConf::Kind::directory, std::string(path), number});
}

/// What is still to do, innermost file last: no recursion on what an image says.
struct OpenFile {
  std::string path;
  LdSoConf conf;
  std::size_t next = 0;
  std::vector<std::string> included;  // of the include that is being followed, in reverse
};

}  // namespace

LdSoConf LdSoConf::parse(std::string_view text) {
  require_text(text, small_text_bytes);
  LdSoConf conf;
  for (Lines lines(text); lines.next();) {
    std::string_view line = lines.text();
    line = without_leading_space(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (line.size() > list_line_bytes) limit_line(lines.number(), "a line of more bytes than is allowed");
    if (conf.lines.size() >= ld_so_conf_directories) limit_line(lines.number(), "more directories than are allowed");
    if (begins_with_word(line, "include", false))
      add_includes(line.substr(8), lines.number(), conf);
    else if (begins_with_word(line, "hwcap", true))
      add_note(conf.notes, lines.number(), "hwcap, which ldconfig ignores");
    else
      add_directory(line, lines.number(), conf);
  }
  return conf;
}

LdSoConfDirectories read_ld_so_conf(const std::string& path, const LdSoConfSource& source) {
  LdSoConfDirectories out;
  std::vector<OpenFile> open;
  std::size_t includes = 0;
  const auto enter = [&](const std::string& file) {
    const std::optional<std::string> text = source.text(file);
    if (!text) return;
    if (open.size() >= ld_so_conf_depth) throw Error(ErrorKind::limit, file + ": includes within includes without end");
    if (out.files.size() >= ld_so_conf_files) throw Error(ErrorKind::limit, file + ": more files than are allowed");
    out.files.push_back(file);
    try {
      open.push_back({file, LdSoConf::parse(*text), 0, {}});
    } catch (Error& error) {
      error.within(file);
      throw;
    }
    for (const std::string& note : open.back().conf.notes)
      if (out.notes.size() < notes_kept) out.notes.push_back(fmt::format("{}: {}", file, note));
  };
  enter(path);
  while (!open.empty()) {
    OpenFile& now = open.back();
    if (!now.included.empty()) {
      const std::string file = std::move(now.included.back());
      now.included.pop_back();
      enter(file);  // `now` may be gone after this
    } else if (now.next == now.conf.lines.size()) {
      open.pop_back();
    } else if (const LdSoConf::Line& line = now.conf.lines[now.next++]; line.kind == LdSoConf::Kind::directory) {
      if (out.directories.size() >= ld_so_conf_directories)
        throw Error(ErrorKind::limit, now.path + ": more directories than are allowed");
      out.directories.push_back({line.text, now.path, line.number});
    } else {
      if (++includes > ld_so_conf_includes)
        throw Error(ErrorKind::limit, now.path + ": more includes than are allowed");
      const std::string glob = line.text.front() == '/' ? line.text : join(parent_path(now.path), line.text);
      now.included = source.files(glob);
      std::reverse(now.included.begin(), now.included.end());
    }
  }
  return out;
}

}  // namespace ocilint
