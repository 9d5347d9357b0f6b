#include <fmt/format.h>

#include "check/rule.h"

namespace ocilint::rules {
namespace {

constexpr FindingKind kinds[] = {
    {"refused", "Docker, containerd or Podman on overlay refuse to unpack the layer"},
    {"divergent", "a path that overlay engines show in one way and cumulative unpackers in another"},
};

constexpr Example examples[] = {
    {"entries below a link of a lower layer turn it into a directory", "{}",
     "layers: [{links: {/opt/acme: acme-7}, files: {/opt/acme-7/a: x}}, {files: {/opt/acme/b: y}}]",
     "divergent /opt/acme\ndivergent /opt/acme-7/b"}};

void plan(const Params&, Plan&) {}

void check(const Params&, const ImageView& image, Answer& answer) {
  const Scanned& scanned = image.scanned();
  if (scanned.tree == nullptr) {
    answer.not_applicable("no check of this run looks at files, so no layer was read");
    return;
  }
  for (const Refusal& refusal : scanned.overlay().refusals()) {
    Finding finding;
    finding.kind = "refused";
    finding.subject = refusal.path;
    finding.message = std::string(refusal.id) + ": " + refusal.text;
    finding.layer = refusal.layer;
    finding.remedy = "rebuild the layer: the image cannot be pulled by engines that unpack layers one by one";
    finding.severity = Severity::error;
    answer.finding(std::move(finding));
  }
  for (const Divergence& divergence : compare(scanned.overlay(), scanned.cumulative())) {
    Finding finding;
    finding.kind = "divergent";
    finding.subject = divergence.path;
    finding.message = divergence.text;
    finding.layer = divergence.layer;
    finding.remedy = "write directories of lower layers with their own entries, and files at their real paths";
    if (divergence.attributes_only) finding.severity = Severity::note;
    answer.finding(std::move(finding));
  }
  answer.evidence(fmt::format("{} names compared between what overlay engines show and the cumulative reading",
                              scanned.tree->size()));
}

}  // namespace

extern const Rule engine_divergence;
const Rule engine_divergence{
    .doc = {.id = "engine-divergence",
            .summary = "Every engine shows the same files.",
            .details = R"(Always runs when layers are read. There is no single merged file system: engines on
overlay (Docker, containerd, Podman) unpack each layer alone and merge by name; others unpack each layer onto
the tree so far. They disagree about entries below a symbolic link of a lower layer, about a whiteout and a
directory of one name in one layer, about opaque markers at the root, and overlay engines refuse hard links to
files of lower layers, duplicate names, and a file together with its whiteout.

The worst real case: a layer with entries under a path that is a link in the base turns it into a directory on
overlay and hides everything behind the link.)",
            .severity = Severity::warning,
            .security = "5.0",
            .since = "0.1",
            .params = {},
            .kinds = kinds,
            .examples = examples,
            .built_in = true},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
