#include "report/files.h"

#include <fmt/format.h>

#include <chrono>

#include "base/base64.h"
#include "base/json.h"
#include "base/mode.h"
#include "base/path.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/report.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

std::string layer_cell(const FileRow& row) { return row.layer ? std::to_string(*row.layer) : "-"; }

std::string size_cell(const FileRow& row) {
  if (row.type == EntryType::character || row.type == EntryType::block)
    return fmt::format("{}, {}", row.device_major, row.device_minor);
  return row.type == EntryType::file ? std::to_string(row.size) : "-";
}

std::string name_cell(const FileRow& row, bool full) {
  std::string out = for_terminal(full || row.path == "/" ? std::string_view(row.path) : base_name(row.path));
  if (row.type == EntryType::symlink) out += " -> " + for_terminal(row.link);
  return out;
}

Ordered of(const FileRow& row) {
  Ordered out;
  put_text(out, "path", row.path);
  out["type"] = to_string(row.type);
  out["mode"] = mode_text(row.mode);
  out["uid"] = row.uid;
  out["gid"] = row.gid;
  out["size"] = row.size;
  out["mtime"] = row.mtime;
  if (row.type == EntryType::symlink) put_text(out, "link", row.link);
  if (row.type == EntryType::character || row.type == EntryType::block)
    out["device"] = {row.device_major, row.device_minor};
  out["layer"] = row.layer ? Ordered(*row.layer) : Ordered();
  out["names"] = row.names;
  return out;
}

}  // namespace

std::string mode_letters(EntryType type, std::uint32_t mode) {
  std::string out = type == EntryType::directory   ? "d"
                    : type == EntryType::symlink   ? "l"
                    : type == EntryType::character ? "c"
                    : type == EntryType::block     ? "b"
                    : type == EntryType::fifo      ? "p"
                                                   : "-";
  for (const int shift : {6, 3, 0}) {
    out += (mode >> shift & 4) != 0 ? 'r' : '-';
    out += (mode >> shift & 2) != 0 ? 'w' : '-';
    out += (mode >> shift & 1) != 0 ? 'x' : '-';
  }
  const auto special = [&](std::uint32_t bit, std::size_t at, char letter) {
    if ((mode & bit) != 0) out[at] = out[at] == 'x' ? letter : static_cast<char>(letter - 'a' + 'A');
  };
  special(04000, 3, 's');
  special(02000, 6, 's');
  special(01000, 9, 't');
  return out;
}

std::string time_text(std::int64_t seconds) {
  using namespace std::chrono;
  // Years that four digits can say; a layer may state any number.
  constexpr std::int64_t first = -62'135'596'800, last = 253'402'300'799;
  if (seconds < first || seconds > last) return fmt::format("@{}", seconds);
  const sys_seconds time{std::chrono::seconds(seconds)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string write_files_text(const FileList& files, const LookStyle& style, bool details, bool full) {
  if (!details) {
    std::string out;
    for (const FileRow& row : files.rows)
      out += for_terminal(full ? std::string_view(row.path) : base_name(row.path)) + "\n";
    return out;
  }
  using Align = Table::Align;
  Table table({{"mode"},
               {"names", Align::right},
               {"owner"},
               {"size", Align::right},
               {"time"},
               {"layer", Align::right},
               {"name"}});
  for (const FileRow& row : files.rows)
    table.row({mode_letters(row.type, row.mode), std::to_string(row.names), fmt::format("{}:{}", row.uid, row.gid),
               size_cell(row), time_text(row.mtime), layer_cell(row), name_cell(row, full)});
  // A name is not to be broken: it is for copying.
  return table.write(0, style.color);
}

std::string write_files_json(const FileList& files, std::string_view verb) {
  Ordered out = look_document(verb, files.image);
  out["files"] = Ordered::array();
  for (const FileRow& row : files.rows) out["files"].push_back(of(row));
  return json_text(out);
}

std::string write_stat_text(const FileStory& story, const LookStyle& style) {
  const FileRow& file = story.file;
  Table table({{"what"}, {"the layers say"}});
  table.row({"path", for_terminal(file.path)});
  for (const auto& [path, target] : story.links)
    table.row({"link", for_terminal(path) + " -> " + for_terminal(target)});
  std::string kind(to_string(file.type));
  if (file.type == EntryType::symlink) kind += " to " + for_terminal(file.link);
  if (file.type == EntryType::character || file.type == EntryType::block) kind += " " + size_cell(file);
  table.row({"type", kind});
  if (file.type == EntryType::file)
    table.row({"size", fmt::format("{} bytes ({})", file.size, human_bytes(file.size))});
  table.row({"mode", mode_text(file.mode) + " " + mode_letters(file.type, file.mode)});
  table.row({"owner", fmt::format("{}:{}", file.uid, file.gid)});
  table.row({"time", time_text(file.mtime)});
  const std::string by = for_terminal(story.layer_title);
  table.row({"layer", by.empty() ? "none: a folder that no layer tells of" : by});
  for (const std::string& name : story.names)
    if (story.names.size() > 1) table.row({"name", for_terminal(name)});
  for (const std::string& attribute : story.attributes) table.row({"attribute", for_terminal(attribute)});
  if (!story.sha256.empty()) table.row({"content", for_terminal(story.sha256)});
  for (const std::string& package : story.packages) table.row({"package", for_terminal(package)});
  if (!story.packages_problem.empty()) table.row({"package", "unknown: " + for_terminal(story.packages_problem)});
  if (story.packages.empty() && story.packages_problem.empty()) table.row({"package", "none"});
  return heading(story.image, style) + "\n" + table.write(style.width, style.color);
}

std::string write_stat_json(const FileStory& story) {
  Ordered out = look_document("stat", story.image);
  put_text(out, "asked", story.asked);
  out["links"] = Ordered::array();
  for (const auto& [path, target] : story.links) {
    Ordered link;
    put_text(link, "path", path);
    put_text(link, "target", target);
    out["links"].push_back(std::move(link));
  }
  out["file"] = of(story.file);
  const auto texts = [&](const char* key, const std::vector<std::string>& list) {
    out[key] = Ordered::array();
    for (const std::string& text : list) out[key].push_back(for_json(text));
  };
  texts("names", story.names);
  texts("attributes", story.attributes);
  texts("packages", story.packages);
  if (!story.packages_problem.empty()) put_text(out, "packages_problem", story.packages_problem);
  put_text(out, "layer_title", story.layer_title);
  if (!story.sha256.empty()) out["sha256"] = for_json(story.sha256);
  return json_text(out);
}

std::string write_content_text(const FileContent& content) {
  std::string text = content.content;
  content.redact(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += for_terminal(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string write_content_json(const FileContent& content) {
  Ordered out = look_document("cat", content.image);
  out["file"] = of(content.file);
  out["content_base64"] = encode_base64(content.content);
  return json_text(out);
}

}  // namespace ocilint
