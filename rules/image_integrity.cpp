#include <fmt/format.h>

#include <algorithm>

#include "check/rule.h"

namespace ocilint::rules {
namespace {

constexpr FindingKind kinds[] = {
    {"data-after-end", "bytes that are not zero follow the end marker of a layer's archive"},
    {"data-after-compressed-stream", "bytes follow the last gzip member or zstd frame of a layer"},
    {"data-after-archive-end", "bytes follow the end of the archive that holds the image"},
    {"media-type-mismatch", "the media type says another compression than the bytes have"},
    {"diff-id-without-padding", "the diff ID matches only when the archive is padded with zeros"},
    {"unverifiable-layer", "neither a digest nor a diff ID is stated for a layer"},
    {"history-mismatch", "the history does not match the layers: who made a layer is not certain"},
    {"unknown-entry-type", "an entry of a type that container engines refuse"},
};

constexpr Example examples[] = {{"an image that is what it claims to be", "{}", "layers: [{files: {/a: x}}]", "pass"}};

/// Oddities that change nothing about what a file is or who made it.
bool harmless(std::string_view id) {
  static constexpr std::string_view ids[] = {"dangling-descriptor", "implied-parent-resets-mode", "no-end-marker",
                                             "global-header",       "oci-layout-marker",          "ignored-xattr"};
  return std::ranges::find(ids, id) != std::end(ids);
}

void plan(const Params&, Plan&) {}

void check(const Params&, const ImageView& image, Answer& answer) {
  const Scanned& scanned = image.scanned();
  for (const Oddity& oddity : scanned.oddities) {
    Finding finding;
    finding.kind = oddity.id;
    finding.subject = oddity.subject;
    finding.message = oddity.text;
    if (oddity.layer >= 0) finding.layer = static_cast<std::uint32_t>(oddity.layer);
    if (harmless(oddity.id)) finding.severity = Severity::note;
    answer.finding(std::move(finding));
  }
  const Config& config = image.config();
  const bool certain = scanned.layers.empty() || scanned.layers.front().history_certain;
  if (!config.history.empty() && !certain) {
    const auto with_layer = std::ranges::count(config.history, false, &History::empty_layer);
    Finding finding;
    finding.kind = "history-mismatch";
    finding.subject = "history";
    finding.message =
        fmt::format("the history speaks of {} layers, the image has {}", with_layer, scanned.layers.size());
    finding.remedy = "which command made a layer is a guess for this image: rebuild it with one history entry a layer";
    answer.finding(std::move(finding));
  }

  if (scanned.tree == nullptr) {
    const auto absent =
        std::ranges::count_if(scanned.image.layers, [](const LayerSource& layer) { return layer.problem.has_value(); });
    answer.evidence(
        fmt::format("{} documents agree with their digests; no check looks at files, so the {} layers "
                    "were not read{}",
                    scanned.image.documents.size(), scanned.layers.size(),
                    absent == 0 ? "" : fmt::format(", of which {} could not be", absent)));
    return;
  }
  std::uint64_t stored = 0, unpacked = 0;
  for (const LayerIndex& layer : scanned.facts.layers()) {
    stored += layer.counts.stored_bytes;
    unpacked += layer.counts.unpacked_bytes;
  }
  answer.evidence(
      fmt::format("{} layer{} read to the last byte: {} stored and {} unpacked bytes agree with their "
                  "digests and diff IDs",
                  scanned.layers.size(), scanned.layers.size() == 1 ? "" : "s", stored, unpacked));
}

}  // namespace

extern const Rule image_integrity;
const Rule image_integrity{
    .doc = {.id = "image-integrity",
            .summary = "The image is what it claims to be, and nothing hides in it.",
            .details = R"(Always runs. Sizes, digests and diff IDs are verified while the image is read; what does
not agree makes the image unreadable (exit status 3). This rule reports what is readable but odd: bytes behind
the end of an archive or a stream, media types unlike the bytes, a history that does not match the layers, names
that no runtime could create, entries that container engines refuse.

Such an image may show different files to different tools: rebuild it with the builder's current release.)",
            .severity = Severity::error,
            .security = "6.0",
            .since = "0.1",
            .params = {},
            .kinds = kinds,
            .examples = examples,
            .built_in = true},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
