#include <fmt/format.h>

#include "base/pattern.h"
#include "check/rule.h"
#include "check/selection.h"

namespace ocilint::rules {
namespace {

constexpr std::string_view contents[] = {"private-key"};

constexpr Param params[] = {
    {"files", ParamType::paths, "files that must not exist", true},
    {"content", ParamType::text, "only files with this content count: the name selects, the content decides", false,
     contents},
    {"matching", ParamType::pattern, "only files whose content matches this regular expression count"},
};

constexpr FindingKind kinds[] = {{"present", "such a file exists"}};

constexpr Example examples[] = {
    {"a certificate is no private key", "{files: ['**/*.pem'], content: private-key}",
     "layers: [{files: {/etc/ssl/ca.pem: '-----BEGIN CERTIFICATE-----'}}]", "pass"},
    {"package lists that were not removed", "{files: [/var/lib/apt/lists/*_Packages]}",
     "layers: [{files: {/var/lib/apt/lists/x_Packages: 'Package: a'}}]", "present /var/lib/apt/lists/x_Packages"}};

// A header alone stands in every crypto library; a key has a body.
constexpr std::string_view private_key =
    R"((?s)-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.{0,300}?[A-Za-z0-9+/]{48})";

void plan(const Params& with, Plan& plan) {
  plan.tree();
  if (with.has("content") || with.has("matching")) plan.content(with.paths("files"));
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  std::optional<Pattern> pattern;
  if (with.text("content") == "private-key") pattern.emplace(Pattern::compile(private_key));
  std::optional<Pattern> matching;
  if (with.has("matching")) matching.emplace(Pattern::compile(with.text("matching")));

  const PathSet& files = with.paths("files");
  std::size_t looked_at = 0;
  for (const Match& match : image.match(files)) {
    const Node& node = image.tree()[match.node];
    if (pattern || matching) {
      if (node.type != EntryType::file) continue;
      ++looked_at;
      const std::string& content = image.content(node.inode);
      if ((pattern && !pattern->found_in(content)) || (matching && !matching->found_in(content))) continue;
    }
    Finding finding;
    finding.kind = "present";
    finding.subject = match.path;
    finding.message = pattern ? "holds a private key" : "exists and must not";
    finding.layer = last_touched(image, match.canonical);
    finding.remedy = pattern ? "take it out of the layer that wrote it, not by a later RUN rm; then replace the key"
                             : "remove it in the RUN that makes it";
    answer.finding(std::move(finding));
  }
  answer.evidence(pattern || matching ? fmt::format("{} files matching {} were read", looked_at, files.text)
                                      : "names matching " + files.text + " were looked for in the whole tree");
}

}  // namespace

extern const Rule file_absent;
const Rule file_absent{
    .doc = {.id = "file-absent",
            .summary = "No such file is in the image.",
            .details = R"(Looks at the merged tree. With `content: private-key` or `matching` only files with such
content count, so that a folder of CA certificates named *.pem is no finding.

A file that a later layer deletes is still published in its own layer: the secret rules look there.)",
            .severity = Severity::error,
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
