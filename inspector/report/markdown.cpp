// Markdown (GitHub's flavour) for step summaries, Buildkite annotations and comments. The verdict comes first, then
// what is wrong, then what passed; what does not fit is left out from the end, on the border of a row, with a note.
//
// A text of the image is never Markdown: every character with a meaning becomes a numeric entity, which CommonMark
// takes for text only. @ and # stand in <code> too: GitHub looks for names and numbers after the entities are gone.
#include <fmt/format.h>

#include <utility>

#include "report/escape.h"
#include "report/problems.h"

namespace ocilint {
namespace {

constexpr std::size_t markdown_most = 60'000;  // bytes; a comment on GitHub takes 65,536 characters
constexpr std::size_t note_room = 200;
constexpr std::size_t cell_most = 400;  // characters of a line in a cell
constexpr std::size_t lines_most = 8;   // of a cell
constexpr std::size_t evidence_shown = 3;

std::string with_entities(std::string_view safe) {
  static constexpr std::string_view plain = " /,-+=();?%'\"";
  std::string out;
  for (const char c : safe) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool wide = static_cast<unsigned char>(c) >= 0x80;
    const bool dot = c == '.' && !out.ends_with('w') && !out.ends_with('W');  // "www." is a link
    if (letter || wide || dot || plain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("&#{};", static_cast<unsigned char>(c));
  }
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// An address of mail is found after the entities too, but not across a comment.
std::string code(std::string_view text) {
  return "<code>" + replaced(with_entities(for_terminal(text, cell_most)), "&#64;", "<!-- -->&#64;") + "</code>";
}

std::string prose(std::string_view text) {
  std::string out = replaced(with_entities(for_terminal(text, cell_most)), "&#64;", "<code>&#64;</code>");
  return replaced(std::move(out), "&#35;", "<code>&#35;</code>");
}

/// Adds pieces until one does not fit; then nothing more, whatever its size.
class Page {
 public:
  void add(std::string_view piece) {
    if (cut_ || out_.size() + piece.size() + closing_.size() + note_room > markdown_most)
      cut_ = true;
    else
      out_ += piece;
  }
  void row(std::string_view piece) {
    add(piece);
    left_out_ += cut_;
  }
  void open(std::string_view piece, std::string_view closing) {
    add(piece);
    if (!cut_) closing_ = closing;
  }
  void close() {
    if (cut_) return;
    out_ += std::exchange(closing_, "");
  }
  std::string finish() {
    out_ += closing_;
    if (cut_)
      out_ += fmt::format("\n{} row{} left out: this report ends at {} bytes, `-o json` has everything.\n", left_out_,
                          left_out_ == 1 ? " is" : "s are", markdown_most);
    return std::move(out_);
  }

 private:
  std::string out_, closing_;
  bool cut_ = false;
  std::size_t left_out_ = 0;
};

std::string policies_of(const ImageResult& result) {
  std::string out;
  for (const PolicyResult& policy : result.policies) out += (out.empty() ? "" : ", ") + policy.name;
  return out.empty() ? "no policy" : out;
}

void summary(Page& page, std::span<const ImageResult> results, const ReportStyle& style) {
  const ExitStatus status = verdict(results, style.fail_on, 1, 1);
  page.add(fmt::format("## ocilint: {} (exit status {})\n\n", to_string(status), static_cast<int>(status)));
  page.add("| image | policy | verdict | checks |\n|---|---|---|---|\n");
  for (const ImageResult& result : results) {
    std::string image = code(pinned_reference(result));
    if (!result.platform.empty()) image += " " + prose(result.platform);
    page.row(fmt::format("| {} | {} | {} | {} |\n", image, prose(policies_of(result)),
                         to_string(verdict(result, style.fail_on)),
                         result.unreadable ? "none" : count_line(result, style.fail_on)));
    for (const std::string& other : compared_with(result)) page.row("| compared with " + code(other) + " | | | |\n");
  }
  if (results.size() > 1) page.add("\n" + count_images(results, style.fail_on) + "\n");
  if (const std::string fixed = fixed_line(style); !fixed.empty()) page.add("\n" + prose(fixed) + "\n");
}

std::string what(const Problem& problem) {
  std::string out;
  if (problem.found != nullptr) {
    const Finding& finding = problem.found->finding;
    out = fmt::format("{}: {}: {}", prose(finding.kind), code(finding.subject), prose(finding.message));
  } else {
    out = prose(problem.text);
  }
  for (std::size_t i = 0; i < problem.more.size(); ++i) {
    if (i == lines_most) {
      out += fmt::format("<br/>and {} more lines", problem.more.size() - i);
      break;
    }
    out += "<br/>" + prose(problem.more[i]);
  }
  return out;
}

void problems(Page& page, const ImageResult& result, const ReportStyle& style, bool several) {
  const std::vector<Problem> list = problems_of(result, style);
  if (list.empty()) return;
  page.add(several ? "\n### " + code(result.full_reference) + "\n\n" : "\n");
  page.add("| severity | check | what | where |\n|---|---|---|---|\n");
  for (const Problem& problem : list)
    page.row(fmt::format("| {} | {} | {} | {}:{} |\n", to_string(problem.severity), code(problem.id), what(problem),
                         code(problem.file), problem.line));
}

std::string evidence(const CheckResult& check) {
  std::string out;
  for (std::size_t i = 0; i < check.evidence.size(); ++i) {
    if (i > 0) out += "<br/>";
    if (i == evidence_shown) {
      out += fmt::format("and {} more", check.evidence.size() - i);
      break;
    }
    const Evidence& shown = check.evidence[i];
    out += prose(shown.text);
    if (!shown.path.empty() && shown.text.find(shown.path) == std::string::npos) out += ": " + code(shown.path);
  }
  return out;
}

std::vector<std::string> other_rows(const ImageResult& result) {
  std::vector<std::string> rows;
  for (const CheckResult& check : result.checks) {
    const std::string id = code(check.policy + "/" + check.id);
    if (check.outcome == Outcome::pass) rows.push_back(fmt::format("| pass | {} | {} |\n", id, evidence(check)));
    if (check.outcome == Outcome::not_applicable)
      rows.push_back(fmt::format("| not applicable | {} | {} |\n", id, prose(check.reason)));
    for (const ReportedFinding& found : check.findings)
      if (found.waived)
        rows.push_back(fmt::format("| waived until {} | {} | {}: {} ({}) |\n", prose(found.waived->expires), id,
                                   code(found.finding.subject), prose(found.waived->reason),
                                   prose(found.waived->owner)));
      else if (found.known)
        rows.push_back(fmt::format("| known, of the baseline | {} | {}: {} |\n", id, prose(found.finding.kind),
                                   code(found.finding.subject)));
  }
  return rows;
}

void rest(Page& page, const ImageResult& result, bool several) {
  const std::vector<std::string> rows = other_rows(result);
  if (rows.empty()) return;
  page.open(fmt::format("\n<details><summary>What passed, was waived or does not apply{}</summary>\n\n"
                        "| outcome | check | evidence or reason |\n|---|---|---|\n",
                        several ? ": " + code(result.full_reference) : ""),
            "\n</details>\n");
  for (const std::string& row : rows) page.row(row);
  page.close();
}

}  // namespace

std::string write_markdown(std::span<const ImageResult> results, const ReportStyle& style) {
  Page page;
  const bool several = results.size() > 1;
  summary(page, results, style);
  for (const ImageResult& result : results) problems(page, result, style, several);
  for (const ImageResult& result : results) rest(page, result, several);
  return page.finish();
}

}  // namespace ocilint
