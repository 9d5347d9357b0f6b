// The story of a name as a picture that is a table: a column a layer, a row a name, a letter an inode. A line runs
// as long as the name is there; whoever hears the table read gets the same in words.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/path.h"
#include "report/escape.h"
#include "report/html_parts.h"

namespace ocilint {
namespace {

constexpr std::size_t columns_most = 14;  // of all layers; beyond, only those in which something happens
constexpr std::size_t tints = 6;          // of report/html/report.css

std::string letter_of(std::uint32_t inode) {
  return inode < 26 ? std::string(1, static_cast<char>('A' + inode)) : std::to_string(inode + 1);
}

std::string tint_of(std::uint32_t inode) { return std::to_string(inode % tints); }

std::string words_of(const StoryEvent& event) {
  const bool bound = event.inode != SizeNode::none;
  switch (event.deed) {
    case StoryDeed::wrote: return bound ? "writes file " + letter_of(event.inode) : "writes";
    case StoryDeed::linked: return bound ? "links file " + letter_of(event.inode) : "links";
    case StoryDeed::removed: return "removes it";
    case StoryDeed::hidden: return "takes its folder away";
  }
  return "";
}

std::vector<std::uint32_t> columns_of(const NameStory& story, std::size_t layers) {
  std::set<std::uint32_t> out;
  if (layers <= columns_most)
    for (std::uint32_t i = 0; i < layers; ++i) out.insert(i);
  for (const StoryName& name : story.names)
    for (const StoryEvent& event : name.events)
      if (event.layer < layers) out.insert(event.layer);
  return {out.begin(), out.end()};
}

/// What one layer did to one name, between how it was and how it is.
struct Step {
  std::optional<std::uint32_t> before, after;
  bool there_before = false, there_after = false;
  std::string words, mark;
};

Step step_of(const StoryName& name, std::uint32_t layer, const Step& last) {
  Step step;
  step.before = last.after;
  step.there_before = last.there_after;
  step.after = last.after;
  step.there_after = last.there_after;
  for (const StoryEvent& event : name.events) {
    if (event.layer != layer) continue;
    step.words += (step.words.empty() ? "" : ", ") + words_of(event);
    step.there_after = event.deed == StoryDeed::wrote || event.deed == StoryDeed::linked;
    step.after = step.there_after && event.inode != SizeNode::none ? std::optional(event.inode) : std::nullopt;
    step.mark = !step.there_after ? "gone" : event.deed == StoryDeed::wrote ? "wrote" : "linked";
  }
  return step;
}

std::string cell_of(const Step& step) {
  std::string classes;
  if (step.there_before) classes += " b" + tint_of(step.before.value_or(0));
  if (step.there_after) classes += " a" + tint_of(step.after.value_or(0));
  std::string inside;
  if (!step.mark.empty()) {
    const std::string sign = step.mark == "gone" ? "×" : step.after ? letter_of(*step.after) : "•";
    inside = fmt::format("<b class=\"m {} k{}\" aria-hidden=\"true\">{}</b><span class=\"vh\">{}</span>", step.mark,
                         tint_of(step.after.value_or(step.before.value_or(0))), sign, step.words);
  }
  return fmt::format("<td class=\"s{}\">{}</td>", classes, inside);
}

std::string deeds_of(const NameStory& story, const std::vector<LayerResult>& layers,
                     std::optional<std::uint32_t> culprit, const HtmlPlace& place) {
  std::string out;
  std::set<std::uint32_t> told;
  for (const StoryName& name : story.names)
    for (const StoryEvent& event : name.events) told.insert(event.layer);
  for (const std::uint32_t layer : told) {
    if (layer >= layers.size()) continue;
    std::string words;
    for (const StoryName& name : story.names) {
      const bool subject = &name == &story.names.front();
      for (const StoryEvent& event : name.events)
        if (event.layer == layer)
          words += (words.empty() ? "" : ", ") + words_of(event) +
                   (subject ? "" : " as <code>" + for_html(base_name(name.path)) + "</code>");
    }
    const std::string& line = layers[layer].created_by;
    out += fmt::format("<li{}>{} {}{}</li>\n", culprit == layer ? " class=\"did\"" : "", place.layer_link(layer), words,
                       line.empty() ? "" : ": " + html_command(line));
  }
  return out;
}

}  // namespace

std::string html_story(const NameStory& story, const std::vector<LayerResult>& layers,
                       std::optional<std::uint32_t> culprit, const HtmlPlace& place) {
  if (story.names.empty() || layers.empty()) return "";
  const std::vector<std::uint32_t> columns = columns_of(story, layers.size());
  std::set<std::uint32_t> inodes;
  std::string out =
      "<details class=\"story\" open=\"\"><summary>How it came about</summary>\n<div class=\"wide\"><table class=\"lanes\"><thead><tr><th scope=\"col\">name</th>";
  std::uint32_t next = 0;
  for (const std::uint32_t layer : columns) {
    const bool gap = layer > next;
    next = layer + 1;
    out += fmt::format(
        "<th scope=\"col\"{0}><a href=\"#{1}\"><span class=\"vh\">layer </span>{2}</a><i class=\"bar {3}\"></i></th>",
        gap ? " class=\"gap\"" : "", place.layer_id(layer), layer, place.colour(layer));
  }
  out += "</tr></thead><tbody>\n";
  for (const StoryName& name : story.names) {
    out += "<tr><th scope=\"row\"><code>" + for_html(name.path) + "</code>";
    if (!name.link.empty()) out += " <span class=\"target\">→ <code>" + for_html(name.link) + "</code></span>";
    out += "</th>";
    Step step;
    for (const std::uint32_t layer : columns) {
      step = step_of(name, layer, step);
      if (step.after) inodes.insert(*step.after);
      out += cell_of(step);
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (story.more_names > 0)
    out += "<p class=\"quiet\">and " + count_text(story.more_names, "more name") + " of the same file</p>\n";
  if (inodes.size() > 1 || story.names.size() > 1)
    out +=
        "<p class=\"quiet\">Names with the same letter are one file (hard links); another letter is another file.</p>\n";
  return out + "<ol class=\"deeds\">\n" + deeds_of(story, layers, culprit, place) + "</ol></details>\n";
}

}  // namespace ocilint
