#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/escape.h"
#include "report/paint.h"
#include "report/problems.h"
#include "report/report.h"

namespace ocilint {
namespace {

constexpr std::size_t label_width = 9;       // "warning" and two blanks
constexpr std::size_t label_of_status = 19;  // "not to be trusted" and two blanks
constexpr std::size_t known_shown = 3;
constexpr std::size_t subject_most = 80;   // characters, of one that is shown on a line with others
constexpr std::size_t evidence_shown = 6;  // lines of one passed check; the JSON report has them all

class TextReport {
 public:
  TextReport(const ImageResult& result, const ReportStyle& style) : result_(result), style_(style) {
    for (const CheckResult& check : result.checks) id_width_ = std::max(id_width_, columns(for_terminal(check.id)));
    id_width_ = std::min<std::size_t>(id_width_, 32);
  }

  std::string write() {
    heading();
    if (result_.unreadable) {
      unreadable();
    } else {
      for (const CheckResult* const check : by_urgency()) entry(*check);
      const bool strict = result_.strict_waivers;
      const std::string stale = strict ? paint("error", Hue::red) + "    " : paint("warning", Hue::yellow) + "  ";
      for (const std::string& unused : result_.unused_waivers)
        line(stale + "unused waiver, it covers no finding: " + for_terminal(unused));
      // Otherwise the finding that it covered says so.
      if (strict)
        for (const std::string& expired : result_.expired_waivers)
          line(stale + "expired waiver: " + for_terminal(expired));
    }
    summary();
    if (style_.stats) stats();
    return std::move(out_);
  }

 private:
  std::string paint(std::string_view text, Hue hue) const { return ocilint::paint(text, hue, style_.color); }

  void line(std::string text) { out_ += text + "\n"; }
  void indented(const std::string& text) { line(std::string(label_width, ' ') + text); }

  void heading() {
    std::string names;
    for (const PolicyResult& policy : result_.policies)
      names += (names.empty() ? "" : ", ") + for_terminal(policy.name);
    if (names.empty()) names = "no policy";
    std::string text = names + " · " + with_digest(result_.full_reference, result_.manifest_digest);
    if (!result_.platform.empty()) text += " · " + for_terminal(result_.platform);
    if (!result_.layers.empty()) {
      std::uint64_t bytes = 0;
      for (const LayerResult& layer : result_.layers)
        bytes += result_.ledger.layers_needed ? layer.unpacked_bytes : layer.stored_bytes;
      text += fmt::format(" · {} layer{}, {}", result_.layers.size(), result_.layers.size() == 1 ? "" : "s",
                          human_bytes(bytes));
      if (const std::size_t shared = result_.ledger.layers_shared; shared > 0)
        text += fmt::format(", {} of them read before for another image", shared);
    }
    if (result_.view != "overlay") text += " · view " + for_terminal(result_.view);
    line(paint(text, Hue::bold));
    for (const OtherImageResult& other : result_.others) compared_with(other);
    line("");
  }

  static std::string with_digest(const std::string& reference, const std::string& digest) {
    std::string text = for_terminal(reference);
    if (!digest.empty() && reference.find(digest) == std::string::npos) text += "@" + for_terminal(digest);
    return text;
  }

  void compared_with(const OtherImageResult& other) {
    std::string text =
        "compared with " + for_terminal(other.name) + " · " + with_digest(other.full_reference, other.manifest_digest);
    if (!other.platform.empty()) text += " · " + for_terminal(other.platform);
    text += fmt::format(" · {} layer{}", other.layers, other.layers == 1 ? "" : "s");
    if (other.layers_read + other.layers_shared == 0) text += ", not read";
    if (other.layers_shared > 0) text += fmt::format(", {} of them the image's own", other.layers_shared);
    if (other.earlier && other.layers_read > 0) text += ", read before for another image";
    line(text);
  }

  void unreadable() {
    // A list of choices has a line each; everything else is one line.
    const std::string_view text = result_.unreadable->what();
    const bool list = result_.unreadable->kind() == ErrorKind::usage;
    const std::size_t first = list ? text.find('\n') : std::string_view::npos;
    line(paint("error", Hue::red) + "  the image could not be checked: " + for_terminal(text.substr(0, first)));
    for (std::size_t at = first; at < text.size();) {
      const std::size_t next = std::min(text.find('\n', at + 1), text.size());
      indented(for_terminal(text.substr(at + 1, next - at - 1)));
      at = next;
    }
  }

  static int urgency(const CheckResult& check) {
    switch (check.outcome) {
      case Outcome::error: return 0;
      case Outcome::fail: return check.open_findings(Severity::note) > 0 ? 1 : 2;
      case Outcome::pass: return 3;
      case Outcome::not_applicable: return 4;
    }
    return 0;
  }

  std::vector<const CheckResult*> by_urgency() const {
    std::vector<const CheckResult*> order;
    for (const CheckResult& check : result_.checks) order.push_back(&check);
    std::ranges::stable_sort(order, {}, [](const CheckResult* check) {
      int worst = 0;
      for (const ReportedFinding& found : check->findings)
        if (!found.waived && !found.known) worst = std::max(worst, static_cast<int>(found.severity));
      return std::pair(urgency(*check), -worst);
    });
    return order;
  }

  std::string label(std::string_view word, Hue hue, const CheckResult& check) const {
    const std::string id = for_terminal(check.id);
    const std::size_t pad = label_width > word.size() ? label_width - word.size() : 0;
    const std::size_t gap = columns(id) < id_width_ ? id_width_ - columns(id) : 0;
    return paint(word, hue) + std::string(pad, ' ') + id + std::string(gap, ' ') + "  ";
  }

  void entry(const CheckResult& check) {
    for (const std::string& error : check.errors)
      line(label("error", Hue::red, check) + "could not check: " + for_terminal(error));
    if (!check.errors.empty()) where(check);
    for (const ReportedFinding& found : check.findings)
      if (!found.waived && !found.known) finding(check, found);
    waived(check);
    known(check);
    if (check.outcome == Outcome::pass) passed(check);
    if (check.outcome == Outcome::not_applicable)
      line(label("skipped", Hue::grey, check) + "not applicable: " + for_terminal(check.reason));
  }

  void finding(const CheckResult& check, const ReportedFinding& found) {
    const Hue hue = found.severity == Severity::error     ? Hue::red
                    : found.severity == Severity::warning ? Hue::yellow
                                                          : Hue::grey;
    line(label(to_string(found.severity), hue, check) + for_terminal(found.finding.subject));
    indented(for_terminal(found.finding.kind) + ": " + for_terminal(found.finding.message));
    for (const std::string& detail : found.finding.details) indented("  " + for_terminal(detail));
    if (found.finding.layer) {
      std::string by = fmt::format("layer {}", *found.finding.layer);
      if (!found.created_by.empty())
        by += ": " + for_terminal(found.created_by, std::max<std::size_t>(style_.width, 60) - 16);
      else
        by += " " + for_terminal(found.layer_name) + " (no history line)";
      indented(by);
    }
    if (!found.finding.remedy.empty()) indented("to do: " + for_terminal(found.finding.remedy));
    if (!found.expired_waiver.empty())
      indented("a waiver covered it and has expired: " + for_terminal(found.expired_waiver));
    if (!check.why.empty()) indented("why: " + for_terminal(check.why));
    where(check);
  }

  void where(const CheckResult& check) {
    std::string text = check.file.empty() ? "" : fmt::format("{}:{}", for_terminal(check.file), check.line);
    if (check.rule != "gate")
      text += (text.empty() ? "" : "   ") + ("more: ocilint explain " + for_terminal(check.rule));
    if (!text.empty()) indented(paint(text, Hue::grey));
    line("");
  }

  void waived(const CheckResult& check) {
    const ReportedFinding* first = nullptr;
    for (const ReportedFinding& found : check.findings)
      if (found.waived && first == nullptr) first = &found;
    if (first == nullptr) return;
    const std::size_t count = check.waived_findings();
    line(label("waived", Hue::grey, check) + fmt::format("{} finding{}, until {} ({}): {}", count,
                                                         count == 1 ? "" : "s", for_terminal(first->waived->expires),
                                                         for_terminal(first->waived->owner),
                                                         for_terminal(first->waived->reason)));
  }

  void known(const CheckResult& check) {
    const std::size_t count = check.known_findings();
    if (count == 0) return;
    std::string text = fmt::format("{} finding{} of the baseline:", count, count == 1 ? "" : "s");
    std::size_t shown = 0;
    for (const ReportedFinding& found : check.findings)
      if (found.known && !found.waived && shown++ < known_shown)
        text += " " + for_terminal(found.finding.subject, subject_most);
    if (count > known_shown) text += fmt::format(" and {} more", count - known_shown);
    line(label("known", Hue::grey, check) + text);
  }

  void passed(const CheckResult& check) {
    std::size_t shown = 0;
    for (const Evidence& evidence : check.evidence) {
      if (shown == evidence_shown) {
        line(std::string(label_width + id_width_ + 2, ' ') + fmt::format("and {} more", check.evidence.size() - shown));
        break;
      }
      std::string text = for_terminal(evidence.text);
      if (!evidence.path.empty() && evidence.text.find(evidence.path) == std::string::npos)
        text += ": " + for_terminal(evidence.path);
      if (evidence.layer) text += fmt::format(" (layer {})", *evidence.layer);
      line((shown == 0 ? label("pass", Hue::green, check) : std::string(label_width + id_width_ + 2, ' ')) + text);
      ++shown;
    }
  }

  void summary() {
    if (!out_.ends_with("\n\n")) line("");
    if (!result_.unreadable) {
      line(count_line(result_, style_.fail_on));
      for (const std::string& hole : result_.ledger.holes()) line("not to be trusted: " + for_terminal(hole));
    }
    const ExitStatus status = verdict(result_, style_.fail_on);
    const Hue hue = status == ExitStatus::good ? Hue::green : Hue::red;
    line(paint(fmt::format("verdict: {} (exit status {})", to_string(status), static_cast<int>(status)), hue));
  }

  void stats() {
    const Stats& stats = result_.stats;
    const std::string searched = stats.searched_files == 0
                                     ? ""
                                     : fmt::format(", searched {} files ({}) for secrets", stats.searched_files,
                                                   human_bytes(stats.searched_bytes));
    line(fmt::format(
        "stats: {} entries, {} names; hashed {} files ({}), kept {} ({}), read {} ELF files{}; second reads: "
        "{} facts of {} layers in {} rounds; spooled {}",
        stats.entries, stats.names, stats.hashed_files, human_bytes(stats.hashed_bytes), stats.kept_files,
        human_bytes(stats.kept_bytes), stats.elf_files, searched, stats.refilled_facts, stats.refilled_layers,
        stats.refill_rounds, human_bytes(stats.spooled_bytes)));
  }

  const ImageResult& result_;
  const ReportStyle& style_;
  std::size_t id_width_ = 12;
  std::string out_;
};

/// A line an image, so that none is looked for among the findings of others; then the verdict of the run.
std::string summary(std::span<const ImageResult> results, const ReportStyle& style) {
  const auto words = [&](ExitStatus status) {
    return paint(to_string(status), status == ExitStatus::good ? Hue::green : Hue::red, style.color) +
           std::string(label_of_status - to_string(status).size(), ' ');
  };
  std::string out = "\n" + paint(count_images(results, style.fail_on), Hue::bold, style.color) + "\n";
  for (const ImageResult& result : results) {
    std::string line = "  " + words(verdict(result, style.fail_on)) + for_terminal(result.reference);
    if (!result.platform.empty()) line += " " + for_terminal(result.platform);
    if (result.unreadable) {
      // The rest of a list of choices stands above.
      const std::string_view why = result.unreadable->what();
      line += ": " + for_terminal(why.substr(0, why.find('\n')), style.width);
    } else {
      line += ": " + count_line(result, style.fail_on);
    }
    out += line + "\n";
  }
  const ExitStatus status = verdict(results, style.fail_on, 1, 1);
  return out +
         paint(fmt::format("verdict of all: {} (exit status {})", to_string(status), static_cast<int>(status)),
               status == ExitStatus::good ? Hue::green : Hue::red, style.color) +
         "\n";
}

}  // namespace

std::string write_text(std::span<const ImageResult> results, const ReportStyle& style) {
  std::string out;
  for (const ImageResult& result : results) {
    if (!out.empty()) out += "\n";
    out += TextReport(result, style).write();
  }
  if (results.size() > 1) out += summary(results, style);
  if (const std::string fixed = fixed_line(style); !fixed.empty()) out += for_terminal(fixed) + "\n";
  return out;
}

}  // namespace ocilint
