#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/pattern.h"
#include "check/rule.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_shown = 20;  // lines of one pattern

constexpr Param params[] = {
    {"required", ParamType::patterns, "regular expressions; some line of the history must match each"},
    {"forbidden", ParamType::patterns, "regular expressions that no line may match"},
    {"order", ParamType::patterns,
     "two or more: some line that matches the second comes after the last that matches the first, and so on"},
};

constexpr FindingKind kinds[] = {
    {"missing", "no line matches a pattern that is required or stands in the order"},
    {"present", "a line matches a forbidden pattern"},
    {"order", "no line that matches a pattern comes after the last of the pattern before it"},
};

constexpr Example examples[] = {
    {"the library is tested after it was copied", "{order: ['^COPY .*/libx', 'ctest|pytest']}",
     "layers: [{run: 'COPY /out/libx.so /usr/lib/', files: {/usr/lib/libx.so: x}}, "
     "{run: 'RUN ctest --test-dir /build', files: {/log: x}}]",
     "pass"},
    {"the test ran before the copy", "{order: ['^COPY .*/libx', 'ctest|pytest']}",
     "layers: [{run: 'RUN ctest --test-dir /build', files: {/log: x}}, "
     "{run: 'COPY /out/libx.so /usr/lib/', files: {/usr/lib/libx.so: x}}]",
     "order ctest|pytest"},
    {"a fixed number of jobs", "{forbidden: ['--parallel [0-9]+']}",
     "layers: [{run: 'RUN cmake --build . --parallel 16', files: {/a: x}}]", "present --parallel [0-9]+"}};

/// Only the config is read, no layer.
void plan(const Params&, Plan&) {}

class Lines {
 public:
  explicit Lines(const ImageView& image) : history_(image.config().history) {
    const HistoryPairing pairing = pair_history(history_, image.layers().size());
    certain_ = pairing.certain;
    for (std::size_t layer = 0; layer < pairing.entry_of_layer.size(); ++layer)
      if (const auto entry = pairing.entry_of_layer[layer])
        layer_of_.emplace(*entry, static_cast<std::uint32_t>(layer));
  }

  std::vector<std::size_t> matching(const Pattern& pattern) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < history_.size(); ++i)
      if (pattern.found_in(history_[i].created_by)) out.push_back(i);
    return out;
  }

  bool certain() const { return certain_; }
  std::size_t size() const { return history_.size(); }
  std::string text(std::size_t entry) const {
    return fmt::format("line {}: {}", entry + 1, history_[entry].created_by);
  }
  std::optional<std::uint32_t> layer(std::size_t entry) const {
    const auto found = layer_of_.find(entry);
    if (found == layer_of_.end()) return std::nullopt;
    return found->second;
  }
  std::vector<std::string> texts(const std::vector<std::size_t>& entries) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::min(entries.size(), most_shown); ++i) out.push_back(text(entries[i]));
    if (entries.size() > most_shown) out.push_back(fmt::format("and {} more lines", entries.size() - most_shown));
    return out;
  }

 private:
  const std::vector<History>& history_;
  std::map<std::size_t, std::uint32_t> layer_of_;
  bool certain_ = true;
};

Finding missing(const std::string& pattern, const Lines& lines) {
  Finding finding;
  finding.kind = "missing";
  finding.subject = pattern;
  finding.message = fmt::format("none of the {} lines of the history matches", lines.size());
  return finding;
}

void required(const std::string& text, const Lines& lines, Answer& answer) {
  const std::vector<std::size_t> found = lines.matching(Pattern::compile(text));
  if (found.empty()) return answer.finding(missing(text, lines));
  answer.evidence(fmt::format("{} matches {}", text, lines.text(found.back())), {}, lines.layer(found.back()));
}

void forbidden(const std::string& text, const Lines& lines, Answer& answer) {
  const std::vector<std::size_t> found = lines.matching(Pattern::compile(text));
  for (const std::size_t entry : found) {
    Finding finding;
    finding.kind = "present";
    finding.subject = text;
    finding.message = fmt::format("line {} of the history matches", entry + 1);
    finding.details.push_back(lines.text(entry));
    finding.layer = lines.layer(entry);
    answer.finding(std::move(finding));
  }
  if (found.empty()) answer.evidence(fmt::format("none of {} lines matches {}", lines.size(), text));
}

void order(const std::vector<std::string>& texts, const Lines& lines, Answer& answer) {
  std::vector<std::vector<std::size_t>> found;
  bool all = true;
  for (const std::string& text : texts) {
    found.push_back(lines.matching(Pattern::compile(text)));
    if (found.back().empty()) {
      answer.finding(missing(text, lines));
      all = false;
    }
  }
  if (!all) return;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const std::size_t before = found[i - 1].back();
    const auto after = std::ranges::find_if(found[i], [&](std::size_t entry) { return entry > before; });
    if (after != found[i].end()) {
      answer.evidence(fmt::format("{} comes after {}", lines.text(*after), lines.text(before)), {},
                      lines.layer(*after));
      continue;
    }
    Finding finding;
    finding.kind = "order";
    finding.subject = texts[i];
    finding.message = fmt::format("no line that matches comes after the last that matches {}", texts[i - 1]);
    finding.details = lines.texts(found[i]);
    finding.details.push_back(fmt::format("the last that matches {} is {}", texts[i - 1], lines.text(before)));
    finding.layer = lines.layer(before);
    finding.remedy = "do it again in a step after that line";
    answer.finding(std::move(finding));
  }
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  if (image.config().history.empty()) return answer.could_not("the image has no history");
  const std::vector<std::string>& in_order = with.texts("order");
  if (in_order.size() == 1) throw Error(ErrorKind::policy, "'order' needs two patterns at least");
  const Lines lines(image);
  // Whoever wrote a history without a line for each layer may have left out the line that is forbidden.
  if (!lines.certain() && (with.has("forbidden") || with.has("order")))
    answer.could_not(
        fmt::format("the history of {} lines does not account for all {} layers", lines.size(), image.layers().size()));
  for (const std::string& text : with.texts("required")) required(text, lines, answer);
  for (const std::string& text : with.texts("forbidden")) forbidden(text, lines, answer);
  if (!in_order.empty()) order(in_order, lines, answer);
}

}  // namespace

extern const Rule history_lines;
const Rule history_lines{
    .doc = {.id = "history-lines",
            .summary = "The history of the image has certain lines, lacks others, or has them in an order.",
            .details = R"(Looks at what the image configuration says of each step (`created_by`), empty layers
included, as it stands there: BuildKit writes `RUN |1 NAME=value /bin/sh -c make # buildkit`, the older builder
`|1 NAME=value /bin/sh -c make`. Patterns match anywhere in a line.

`order` proves that a step was done after another one: a test that ran before the last COPY has tested other
files. Each pattern of the order must match some line, or it is a finding.

A history is a claim of whoever built the image; steps of stages that were not kept have no line. An image
without a history, or with fewer lines than layers, makes the check an error. Passwords and tokens in a history are
what history-secrets looks for.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
