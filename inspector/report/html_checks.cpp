#include <fmt/format.h>

#include <algorithm>

#include "look/command_text.h"
#include "report/escape.h"
#include "report/html_parts.h"

namespace ocilint {
namespace {

constexpr std::size_t findings_most = 200;         // of a check
constexpr std::size_t page_findings_most = 1'000;  // of an image: a page is for reading, JSON has everything
constexpr std::size_t evidence_most = 60;
constexpr std::size_t details_most = 40;

enum class State { unknown, bad, waived, good, skipped };

State state_of(const CheckResult& check) {
  switch (check.outcome) {
    case Outcome::error: return State::unknown;
    case Outcome::fail: return check.open_findings(Severity::note) > 0 ? State::bad : State::waived;
    case Outcome::pass: return State::good;
    case Outcome::not_applicable: return State::skipped;
  }
  return State::unknown;
}

std::string_view key_of(State state) {
  static constexpr std::string_view keys[] = {"unsure", "bad", "waived", "good", "skip"};
  return keys[static_cast<int>(state)];
}

/// Nobody has to act on it: it is waived, or known by the baseline.
bool is_quiet(const ReportedFinding& found) { return found.waived.has_value() || found.known; }

Severity worst_of(const CheckResult& check) {
  Severity worst = Severity::note;
  for (const ReportedFinding& found : check.findings)
    if (!is_quiet(found)) worst = std::max(worst, found.severity);
  return worst;
}

/// Then its history line stands in the story.
bool tells_of(const NameStory& story, std::uint32_t layer) {
  for (const StoryName& name : story.names)
    for (const StoryEvent& event : name.events)
      if (event.layer == layer) return true;
  return false;
}

class Checks {
 public:
  Checks(const ImageResult& result, const HtmlPlace& place) : result_(result), place_(place) {}

  std::string write() {
    std::vector<const CheckResult*> order;
    for (const CheckResult& check : result_.checks) order.push_back(&check);
    std::ranges::stable_sort(order, {}, [](const CheckResult* check) {
      return std::pair(state_of(*check), -static_cast<int>(worst_of(*check)));
    });
    out_ = fmt::format("<section class=\"part\" aria-labelledby=\"{0}-checks\">\n<h2 id=\"{0}-checks\">Checks</h2>\n",
                       place_.id);
    filter();
    out_ += "<div class=\"checks\">\n";
    for (const CheckResult* const check : order) entry(*check);
    out_ += "</div>\n";
    if (const std::size_t untold = result_.survey ? result_.survey->stories_left_out : 0; untold > 0)
      out_ += fmt::format(
          "<p class=\"more\">Of {} how the file came about is not told here; <code>ocilint blame</code> tells it.</p>\n",
          count_text(untold, "more finding"));
    out_ += "</section>\n";
    return std::move(out_);
  }

 private:
  /// Shown by the script: without it there is nothing to filter with.
  void filter() {
    static constexpr std::pair<State, std::string_view> words[] = {{State::unknown, "could not be checked"},
                                                                   {State::bad, "findings"},
                                                                   {State::waived, "waived"},
                                                                   {State::good, "passed"},
                                                                   {State::skipped, "not applicable"}};
    out_ += fmt::format(
        "<div class=\"filter\" role=\"search\" hidden=\"\"><label for=\"{0}-q\">Filter</label><input id=\"{0}-q\" type=\"search\" "
        "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"check, rule, path, command\"/>",
        place_.id);
    for (const auto& [state, word] : words)
      if (std::ranges::any_of(result_.checks,
                              [&, wanted = state](const CheckResult& check) { return state_of(check) == wanted; }))
        out_ +=
            fmt::format("<button type=\"button\" class=\"{0}\" data-state=\"{0}\" aria-pressed=\"true\">{1}</button>",
                        key_of(state), word);
    out_ += "<output aria-live=\"polite\"></output></div>\n";
  }

  void entry(const CheckResult& check) {
    const State state = state_of(check);
    const bool open = state == State::unknown || state == State::bad;
    out_ += fmt::format(
        "<details class=\"check item {0}\" data-state=\"{0}\"{1}>\n<summary>{2}<span class=\"name\">{3}</span>"
        "<span class=\"gist\">{4}</span></summary>\n<div class=\"body\">\n",
        key_of(state), open ? " open=\"\"" : "", badge(check, state), for_html(check.id), gist(check, state));
    if (!check.why.empty()) out_ += "<p class=\"why\">" + for_html(check.why) + "</p>\n";
    for (const std::string& error : check.errors)
      out_ += "<p class=\"couldnot\"><b>Could not check:</b> " + for_html(error) + "</p>\n";
    if (state == State::skipped) out_ += "<p class=\"reason\">Not applicable: " + for_html(check.reason) + "</p>\n";
    findings(check);
    evidence(check);
    foot(check);
    out_ += "</div>\n</details>\n";
  }

  static std::string badge(const CheckResult& check, State state) {
    switch (state) {
      case State::unknown: return "<span class=\"badge unsure\">could not check</span>";
      case State::bad: {
        const std::string_view word = to_string(worst_of(check));
        return fmt::format("<span class=\"badge {0}\">{0}</span>", word);
      }
      case State::waived:
        return fmt::format("<span class=\"badge waived\">{}</span>", check.waived_findings() > 0 ? "waived" : "known");
      case State::good: return "<span class=\"badge good\">passed</span>";
      case State::skipped: return "<span class=\"badge skip\">skipped</span>";
    }
    return "";
  }

  static std::string gist(const CheckResult& check, State state) {
    const std::size_t open = check.open_findings(Severity::note), waived = check.waived_findings();
    const std::size_t known = check.known_findings();
    switch (state) {
      case State::unknown: return check.errors.empty() ? "" : for_html(check.errors.front(), 120);
      case State::bad: {
        std::string out = count_text(open, "finding");
        if (waived > 0) out += fmt::format(", {} waived", waived);
        if (known > 0) out += fmt::format(", {} known", known);
        if (const auto first = std::ranges::find_if_not(check.findings, is_quiet);
            open == 1 && first != check.findings.end())
          out = for_html(first->finding.subject, 90);
        return out;
      }
      case State::waived:
        if (waived == 0) return count_text(known, "finding") + " known by the baseline";
        return count_text(waived, "finding") + " waived" + (known > 0 ? fmt::format(", {} known", known) : "");
      case State::good: return check.evidence.empty() ? "" : for_html(check.evidence.front().text, 120);
      case State::skipped: return for_html(check.reason, 120);
    }
    return "";
  }

  void findings(const CheckResult& check) {
    std::size_t shown = 0;
    for (const bool quiet : {false, true})
      for (const ReportedFinding& found : check.findings) {
        if (is_quiet(found) != quiet) continue;
        if (shown == findings_most || written_ == page_findings_most) continue;
        ++shown;
        ++written_;
        finding(found);
      }
    out_ += html_left_out(check.findings.size() - shown);
  }

  void finding(const ReportedFinding& found) {
    const Finding& finding = found.finding;
    out_ += fmt::format(
        "<section class=\"finding sub {}{}\">\n<h3><span class=\"kind\">{}</span> <code class=\"subject\">{}</code></h3>\n<p class=\"message\">{}</p>\n",
        to_string(found.severity), is_quiet(found) ? " iswaived" : "", for_html(finding.kind),
        for_html(finding.subject), for_html(finding.message));
    if (!finding.details.empty()) {
      out_ += "<ul class=\"details\">";
      for (std::size_t i = 0; i < std::min(finding.details.size(), details_most); ++i)
        out_ += "<li>" + for_html(finding.details[i]) + "</li>";
      if (finding.details.size() > details_most)
        out_ += fmt::format("<li>and {} more lines</li>", finding.details.size() - details_most);
      out_ += "</ul>\n";
    }
    const NameStory* const story = story_of(found);
    if (finding.layer && (story == nullptr || !tells_of(*story, *finding.layer))) {
      out_ += "<p class=\"by\">" + (*finding.layer < result_.layers.size() ? place_.layer_link(*finding.layer)
                                                                           : fmt::format("layer {}", *finding.layer));
      out_ += found.created_by.empty() ? " <code>" + for_html(found.layer_name) + "</code> (no history line)"
                                       : " " + html_command(found.created_by);
      out_ += "</p>\n";
    }
    if (story != nullptr) out_ += html_story(*story, result_.layers, finding.layer, place_);
    if (!finding.remedy.empty()) out_ += "<p class=\"todo\"><b>To do</b> " + for_html(finding.remedy) + "</p>\n";
    if (found.waived) {
      const WaiverUse& waiver = *found.waived;
      out_ +=
          fmt::format("<p class=\"waiver\"><b>Waived</b> until {} by {}: {}{} <span class=\"place\">{}</span></p>\n",
                      for_html(waiver.expires), for_html(waiver.owner), for_html(waiver.reason),
                      waiver.ticket.empty() ? "" : " (" + for_html(waiver.ticket) + ")", for_html(waiver.place));
    }
    if (found.known && !found.waived) out_ += "<p class=\"waiver\"><b>Known</b> by the baseline</p>\n";
    if (!found.expired_waiver.empty())
      out_ += "<p class=\"waiver\">A waiver covered it and has expired: " + for_html(found.expired_waiver) + "</p>\n";
    out_ += "</section>\n";
  }

  /// nullptr when one layer wrote it and nothing else happened: the finding says that.
  const NameStory* story_of(const ReportedFinding& found) const {
    if (!result_.survey || !found.story || *found.story >= result_.survey->stories.size()) return nullptr;
    const NameStory& story = result_.survey->stories[*found.story];
    return story.names.size() > 1 || story.names.front().events.size() > 1 ? &story : nullptr;
  }

  void evidence(const CheckResult& check) {
    if (check.evidence.empty()) return;
    out_ += "<h3 class=\"quiet\">What was looked at</h3>\n<ul class=\"evidence\">\n";
    for (std::size_t i = 0; i < std::min(check.evidence.size(), evidence_most); ++i) {
      const Evidence& evidence = check.evidence[i];
      out_ += "<li>" + for_html(evidence.text);
      if (!evidence.path.empty()) out_ += " <code>" + for_html(evidence.path) + "</code>";
      if (evidence.layer && *evidence.layer < result_.layers.size()) out_ += " " + place_.layer_link(*evidence.layer);
      out_ += "</li>\n";
    }
    if (check.evidence.size() > evidence_most)
      out_ += fmt::format("<li>and {} more; <code>-o json</code> has every one</li>\n",
                          grouped(check.evidence.size() - evidence_most));
    out_ += "</ul>\n";
  }

  void foot(const CheckResult& check) {
    std::string text = "policy " + for_html(check.policy);
    if (check.rule != "gate") text += ", rule <code>" + for_html(check.rule) + "</code>";
    if (!check.file.empty()) text += fmt::format(", {}:{}", for_html(check.file), check.line);
    out_ += "<p class=\"foot\">" + text + "</p>\n";
  }

  const ImageResult& result_;
  const HtmlPlace& place_;
  std::string out_;
  std::size_t written_ = 0;
};

}  // namespace

std::string html_command(std::string_view created_by) {
  const Command command = parse_command(created_by);
  std::string out = "<code class=\"command\">";
  if (!command.instruction.empty()) out += "<b>" + for_html(command.instruction) + "</b> ";
  for (std::size_t i = 0; i < command.lines.size(); ++i) out += (i == 0 ? "" : "\n  ") + for_html(command.lines[i]);
  return out + "</code>";
}

std::string html_checks(const ImageResult& result, const HtmlPlace& place) { return Checks(result, place).write(); }

}  // namespace ocilint
