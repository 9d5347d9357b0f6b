#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/efficiency.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_paths = 10;  // in the details of a finding; ocilint layers --top has them all

constexpr Param params[] = {
    {"lowest_efficiency", ParamType::number, "per cent, as dive counts them; less is a finding"},
    {"most_hidden", ParamType::number, "bytes of files that later layers may hide; more is a finding"},
};

constexpr FindingKind kinds[] = {{"inefficient", "the efficiency is below the bound"},
                                 {"hidden", "later layers hide more bytes than the bound allows"}};

constexpr Example examples[] = {
    {"a file that is written twice", "{lowest_efficiency: 90, most_hidden: 0}",
     "layers: [{files: {/a: 0123456789}}, {files: {/a: 9876543210}}]", "inefficient image\nhidden image"},
    {"a file that is removed later is published all the same", "{most_hidden: 9}",
     "layers: [{files: {/a: 0123456789}}, {remove: [/a]}]", "hidden image"},
    {"two files, each once", "{lowest_efficiency: 100, most_hidden: 0}",
     "layers: [{files: {/a: '01'}}, {files: {/b: '01'}}]", "pass"},
    {"a name that goes hides nothing while another is left", "{most_hidden: 0}",
     "layers: [{files: {/a: '01'}, hardlinks: {/b: /a}}, {remove: [/a]}]", "pass"},
};

void plan(const Params&, Plan& plan) { plan.tree(); }

/// The layer that holds most of what is hidden.
std::optional<std::uint32_t> worst_layer(const Efficiency& efficiency) {
  const auto worst = std::ranges::max_element(efficiency.layers, {}, &LayerUse::hidden_bytes);
  if (worst == efficiency.layers.end() || worst->hidden_bytes == 0) return std::nullopt;
  return static_cast<std::uint32_t>(worst - efficiency.layers.begin());
}

Finding report(std::string kind, std::string message, const Efficiency& efficiency, const ImageView& image) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.subject = "image";
  finding.message = std::move(message);
  finding.layer = worst_layer(efficiency);
  for (std::size_t i = 0; i < std::min(most_paths, efficiency.hidden.size()); ++i) {
    const HiddenPath& path = efficiency.hidden[i];
    finding.details.push_back(
        fmt::format("{} bytes of {}, written by {}", path.bytes, path.path, layer_text(image, path.layers.front())));
  }
  if (efficiency.hidden.size() > most_paths)
    finding.details.push_back(fmt::format("and {} more paths", efficiency.hidden.size() - most_paths));
  finding.remedy =
      "remove and change files in the RUN that writes them, set owner and mode as they are copied (COPY --chown, "
      "--chmod), or copy the result into a fresh stage";
  return finding;
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  const auto lowest = with.number("lowest_efficiency"), most = with.number("most_hidden");
  if (!lowest && !most) {
    answer.could_not("neither lowest_efficiency nor most_hidden is stated");
    return;
  }
  if (lowest && *lowest > 100) {
    answer.could_not("lowest_efficiency is in per cent, at most 100");
    return;
  }
  const std::vector<const LayerIndex*> layers = image.scanned().facts.indexes();
  const Efficiency efficiency = measure_efficiency(layers, image.tree());
  // In whole bytes: the score itself is rounded.
  const bool inefficient = lowest && static_cast<double>(efficiency.least_bytes) * 100 <
                                         static_cast<double>(efficiency.stated_bytes) * static_cast<double>(*lowest);
  const std::string score = fmt::format("{:.2f} %", std::floor(efficiency.score() * 10'000) / 100);
  if (inefficient)
    answer.finding(report("inefficient", fmt::format("the efficiency is {}, at least {} % is wanted", score, *lowest),
                          efficiency, image));
  if (most && efficiency.hidden_bytes > *most)
    answer.finding(report(
        "hidden", fmt::format("later layers hide {} bytes of files, at most {} may be", efficiency.hidden_bytes, *most),
        efficiency, image));
  answer.evidence(fmt::format("efficiency {}, {} of {} bytes of files hidden, in {} layers", score,
                              efficiency.hidden_bytes, efficiency.content_bytes, layers.size()));
}

}  // namespace

extern const Rule image_efficiency;
const Rule image_efficiency{
    .doc = {.id = "image-efficiency",
            .summary = "The layers of the image do not write again and again what is gone or changed in the end.",
            .details = R"(What one layer writes and a later one removes or replaces is stored, sent and published with
the image, and nobody sees it: `RUN rm -r /var/cache` in a layer of its own makes nothing smaller, `RUN chmod -R` and
`chown -R` double what they touch.

`most_hidden` bounds the bytes of files no name of which is left in the image; a file that another hard link keeps is not
hidden. `lowest_efficiency` bounds the score of dive, in per cent: of every path that layers write, an empty folder or a
removal included, the smallest size over the sum of all sizes. A pass of one tool is a pass of the other.

Limits: the score counts paths, so equal files under two names are fine to it, and a folder that is removed whole does
not lower it; `most_hidden` sees both sizes as they are. Headers, padding and compression do not count.)",
            .severity = Severity::warning,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
