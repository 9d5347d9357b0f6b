#include <fmt/format.h>

#include "base/mode.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"files", ParamType::paths, "files and directories to look at", true},
    {"deny", ParamType::mode, "permission bits that none may have, such as 'o+w'"},
    {"require", ParamType::mode, "bits that each must have, or an exact mode such as '0644'"},
    {"allow_empty", ParamType::flag, "no such file is fine"},
};

constexpr FindingKind kinds[] = {{"mode", "a denied bit is set, or a required one is not"},
                                 {"missing", "no file matches"}};

constexpr Example examples[] = {{"a file that everybody may write", "{files: [/etc/**], deny: o+w}",
                                 "layers: [{files: {/etc/a: {content: x, mode: '0666'}, /etc/b: x}}]", "mode /etc/a"}};

constexpr std::uint32_t sticky = 01000, others_write = 0002;

void plan(const Params&, Plan& plan) { plan.tree(); }

void check(const Params& with, const ImageView& image, Answer& answer) {
  const PathSet& files = with.paths("files");
  std::optional<ModeSpec> deny, require;
  if (with.has("deny")) deny = ModeSpec::parse(with.text("deny"));
  if (with.has("require")) require = ModeSpec::parse(with.text("require"));
  if (!deny && !require) {
    answer.could_not("neither deny nor require is stated");
    return;
  }
  std::size_t looked_at = 0;
  for (const Match& match : image.match(files)) {
    const Node& node = image.tree()[match.node];
    if (node.type == EntryType::symlink) continue;  // its mode means nothing
    ++looked_at;
    std::uint32_t bad = deny ? node.mode & deny->bits : 0;
    // In a sticky directory everybody may write, but only their own.
    if (node.type == EntryType::directory && (node.mode & sticky) != 0) bad &= ~others_write;
    const bool lacks =
        require && (require->octal ? node.mode != require->bits : (node.mode & require->bits) != require->bits);
    if (bad == 0 && !lacks) continue;
    Finding finding;
    finding.kind = "mode";
    finding.subject = match.path;
    finding.message = bad != 0 ? fmt::format("mode {}: {} is denied", mode_text(node.mode), with.text("deny"))
                               : fmt::format("mode {}: {} is required", mode_text(node.mode), with.text("require"));
    finding.layer = last_touched(image, match.canonical);
    finding.remedy = "set the mode in the RUN or COPY --chmod that writes the file";
    answer.finding(std::move(finding));
  }
  if (looked_at == 0 && !with.flag("allow_empty")) {
    Finding finding;
    finding.kind = "missing";
    finding.subject = files.text;
    finding.message = "no file of the image matches";
    answer.finding(std::move(finding));
    return;
  }
  answer.evidence(
      fmt::format("the modes of {} files and directories matching {} were compared", looked_at, files.text));
}

}  // namespace

extern const Rule file_mode;
const Rule file_mode{
    .doc = {.id = "file-mode",
            .summary = "Files have (or lack) permission bits.",
            .details = R"(Compares the permissions of the merged tree. Symbolic links are passed over. A directory
with the sticky bit may be writable for others.)",
            .severity = Severity::error,
            .security = "6.5",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
