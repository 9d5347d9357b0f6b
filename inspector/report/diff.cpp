#include "report/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "look/command_text.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/report.h"
#include "report/table.h"

namespace ocilint {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t shown = 20;  // of one group

std::string sign_of(Change change) { return change == Change::added ? "+" : change == Change::removed ? "-" : "~"; }
Hue hue_of(Change change) {
  return change == Change::added ? Hue::green : change == Change::removed ? Hue::red : Hue::yellow;
}
/// Lines of one part of the report; a heading is written when something follows.
class Section {
 public:
  Section(const LookStyle& style, bool all) : style_(style), all_(all) {}

  void title(const std::string& text) {
    out_ += (out_.empty() ? "" : "\n") + paint(text, Hue::bold, style_.color) + "\n";
  }
  void group(const std::string& text) {
    end_group();
    for (const std::string& line : wrap("  " + text, style_.width, 4)) out_ += line + "\n";
  }
  void line(std::size_t indent, Change change, const std::string& text) {
    if (!all_ && ++lines_ > shown) return;
    for (const std::string& one : wrap(std::string(indent, ' ') + sign_of(change) + " " + text, style_.width, 4))
      out_ += paint(one, hue_of(change), style_.color) + "\n";
  }
  void end_group() {
    if (!all_ && lines_ > shown) out_ += fmt::format("    … and {} more: --all\n", lines_ - shown);
    lines_ = 0;
  }
  std::string take() {
    end_group();
    return std::move(out_);
  }

 private:
  const LookStyle& style_;
  bool all_;
  std::string out_;
  std::size_t lines_ = 0;
};

std::string value_of(const std::string& value) { return value.empty() ? "\"\"" : for_terminal(value); }

void write_fields(const ImageDiff& diff, Section& out) {
  if (!diff.fields.empty()) out.title("configuration");
  for (const DiffField& field : diff.fields) {
    const std::string name = for_terminal(field.name) + ": ";
    out.line(2, field.change,
             name + (field.change == Change::added     ? value_of(field.after)
                     : field.change == Change::removed ? value_of(field.before)
                                                       : value_of(field.before) + " -> " + value_of(field.after)));
  }
  out.end_group();
}

void write_history(const ImageDiff& diff, Section& out) {
  if (!diff.history.empty()) out.title("history");
  for (const DiffHistory& entry : diff.history) {
    const std::string text = parse_command(entry.created_by).text();
    out.line(2, entry.change, for_terminal(text.empty() ? "(comment) " + entry.comment : text));
  }
  out.end_group();
}

void write_packages(const ImageDiff& diff, Section& out) {
  if (!diff.packages.empty()) out.title("packages");
  for (const DiffPackage& package : diff.packages)
    out.line(2, package.change,
             for_terminal(package.title()) + " " +
                 (package.change == Change::added ? for_terminal(package.after)
                  : package.change == Change::removed
                      ? for_terminal(package.before)
                      : for_terminal(package.before) + " -> " + for_terminal(package.after)));
  out.end_group();
}

std::string text_of(const DiffFile& file) {
  std::string out = for_terminal(file.path);
  if (file.change != Change::changed) {
    if (file.what.front() != "file") out += "  " + for_terminal(file.what.front());
    const auto& bytes = file.change == Change::added ? file.bytes_after : file.bytes_before;
    return bytes ? out + "  " + human_bytes(*bytes) : out;
  }
  for (const std::string& what : file.what) {
    out += (&what == &file.what.front() ? "  " : ", ") + for_terminal(what);
    if (what == "content" && file.bytes_before && file.bytes_after && file.bytes_before != file.bytes_after)
      out += fmt::format(" {} -> {}", human_bytes(*file.bytes_before), human_bytes(*file.bytes_after));
  }
  return out;
}

std::string layer_of(const ImageDiff& diff, std::optional<std::uint32_t> layer) {
  if (!layer) return "no layer names it";
  const std::string line = *layer < diff.layer_lines.size() ? parse_command(diff.layer_lines[*layer]).text() : "";
  return fmt::format("layer {}", *layer) + (line.empty() ? "" : ": " + for_terminal(line));
}

/// By package, and of no package by the layer of the second image that did it.
void write_files(const ImageDiff& diff, Section& out) {
  std::map<std::pair<std::string, std::optional<std::uint32_t>>, std::vector<const DiffFile*>> groups;
  for (const DiffFile& file : diff.files)
    if (!file.only_time()) groups[{file.package, file.layer_after}].push_back(&file);
  if (!groups.empty()) out.title("files");
  for (const auto& [key, files] : groups) {
    const std::string owner = key.first.empty() ? "of no package" : for_terminal(key.first);
    out.group(owner + ", " + layer_of(diff, key.second));
    for (const DiffFile* const file : files) out.line(4, file->change, text_of(*file));
  }
  out.end_group();
}

void write_libraries(const ImageDiff& diff, Section& out) {
  if (!diff.libraries.empty()) out.title("shared libraries");
  for (const DiffLibrary& library : diff.libraries) {
    const std::string name = for_terminal(library.before);
    out.group(library.before == library.after ? name : name + " -> " + for_terminal(library.after));
    if (library.soname_before != library.soname_after)
      out.line(4, Change::changed,
               "SONAME " + value_of(library.soname_before) + " -> " + value_of(library.soname_after));
    for (const std::string& text : library.needed_removed) out.line(4, Change::removed, "needs " + for_terminal(text));
    for (const std::string& text : library.needed_added) out.line(4, Change::added, "needs " + for_terminal(text));
    for (const std::string& text : library.symbols_removed) out.line(4, Change::removed, for_terminal(text));
    for (const std::string& text : library.symbols_added) out.line(4, Change::added, for_terminal(text));
  }
  out.end_group();
}

std::string totals_of(const ImageDiff& diff) {
  std::size_t added = 0, removed = 0, changed = 0, only_time = 0;
  for (const DiffFile& file : diff.files) {
    only_time += file.only_time();
    added += file.change == Change::added;
    removed += file.change == Change::removed;
    changed += file.change == Change::changed && !file.only_time();
  }
  const std::string of = diff.before.layers == diff.after.layers
                             ? count_of(diff.after.layers, "layer")
                             : fmt::format("{} and {} layers", diff.before.layers, diff.after.layers);
  std::string out = fmt::format("{} of {} equal; {} compared: {} added, {} removed, {} changed", diff.equal_layers, of,
                                count_of(diff.names_compared, "name"), added, removed, changed);
  if (only_time > 0) out += fmt::format(", {} only in time (--ignore-timestamps)", only_time);
  out += diff.ignore_timestamps ? "; times not compared\n" : "\n";
  if (diff.equal()) out += diff.unread.empty() ? "no difference\n" : "no difference in what could be compared\n";
  return out;
}

template <typename Value>
Ordered optional_of(const std::optional<Value>& value) {
  return value ? Ordered(*value) : Ordered();
}

/// Of a field or a package: what it was and what it is.
template <typename Named>
Ordered of_values(const Named& named) {
  Ordered out;
  put_text(out, "name", named.name);
  out["change"] = to_string(named.change);
  if (named.change != Change::added) put_text(out, "before", named.before);
  if (named.change != Change::removed) put_text(out, "after", named.after);
  return out;
}

Ordered of(const DiffFile& file) {
  Ordered out;
  put_text(out, "path", file.path);
  out["change"] = to_string(file.change);
  out["what"] = json_texts(file.what);
  if (file.bytes_before) out["bytes_before"] = *file.bytes_before;
  if (file.bytes_after) out["bytes_after"] = *file.bytes_after;
  if (!file.package.empty()) put_text(out, "package", file.package);
  out["layer_before"] = optional_of(file.layer_before);
  out["layer_after"] = optional_of(file.layer_after);
  return out;
}

Ordered of(const DiffLibrary& library) {
  Ordered out;
  put_text(out, "before", library.before);
  put_text(out, "after", library.after);
  put_text(out, "soname_before", library.soname_before);
  put_text(out, "soname_after", library.soname_after);
  out["needed_added"] = json_texts(library.needed_added);
  out["needed_removed"] = json_texts(library.needed_removed);
  out["symbols_added"] = json_texts(library.symbols_added);
  out["symbols_removed"] = json_texts(library.symbols_removed);
  return out;
}

}  // namespace

std::string write_diff_text(const ImageDiff& diff, const LookStyle& style, bool all) {
  std::string out = heading(diff.before, style, "- ") + heading(diff.after, style, "+ ") + "\n";
  Section section(style, all);
  write_fields(diff, section);
  write_history(diff, section);
  write_packages(diff, section);
  write_files(diff, section);
  write_libraries(diff, section);
  const std::string parts = section.take();
  out += parts + (parts.empty() ? "" : "\n") + totals_of(diff);
  for (const std::string& why : diff.unread)
    out += paint("not to be trusted", Hue::red, style.color) + ": " + for_terminal(why) + "\n";
  return out;
}

std::string write_diff_json(const ImageDiff& diff) {
  Ordered out = look_document("diff", diff.before);
  out["other"] = look_document("diff", diff.after)["image"];
  out["equal"] = diff.equal() && diff.unread.empty();
  out["ignore_timestamps"] = diff.ignore_timestamps;
  out["equal_layers"] = diff.equal_layers;
  out["names_compared"] = diff.names_compared;
  out["config"] = Ordered::array();
  for (const DiffField& field : diff.fields) out["config"].push_back(of_values(field));
  out["history"] = Ordered::array();
  for (const DiffHistory& entry : diff.history) {
    Ordered one;
    one["change"] = to_string(entry.change);
    one["entry"] = entry.entry;
    put_text(one, "created_by", entry.created_by);
    if (!entry.comment.empty()) put_text(one, "comment", entry.comment);
    out["history"].push_back(std::move(one));
  }
  out["packages"] = Ordered::array();
  for (const DiffPackage& package : diff.packages) {
    Ordered one = of_values(package);
    one["manager"] = package.manager;
    out["packages"].push_back(std::move(one));
  }
  out["files"] = Ordered::array();
  for (const DiffFile& file : diff.files) out["files"].push_back(of(file));
  out["libraries"] = Ordered::array();
  for (const DiffLibrary& library : diff.libraries) out["libraries"].push_back(of(library));
  out["unread"] = json_texts(diff.unread);
  return json_text(out);
}

}  // namespace ocilint
