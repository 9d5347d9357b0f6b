#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/path.h"
#include "base/pattern.h"
#include "check/path_selection.h"
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
    {"in_any_layer", ParamType::flag,
     "also files that a later layer hides or removes: whoever pulls the image has them"},
};

constexpr FindingKind kinds[] = {{"present", "such a file exists"},
                                 {"hidden", "a layer holds such a file, and a later one hides it"}};

constexpr Example examples[] = {
    {"a certificate is no private key", "{files: ['**/*.pem'], content: private-key}",
     "layers: [{files: {/etc/ssl/ca.pem: '-----BEGIN CERTIFICATE-----'}}]", "pass"},
    {"a tool that a later layer removes is still published", "{files: [/usr/bin/tool], in_any_layer: true}",
     "layers: [{files: {/usr/bin/tool: x}}, {remove: [/usr/bin/tool]}]", "hidden /usr/bin/tool"},
    {"package lists that were not removed", "{files: [/var/lib/apt/lists/*_Packages]}",
     "layers: [{files: {/var/lib/apt/lists/x_Packages: 'Package: a'}}]", "present /var/lib/apt/lists/x_Packages"}};

// A header alone stands in every crypto library; a key has a body.
constexpr std::string_view private_key =
    R"((?s)-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.{0,300}?[A-Za-z0-9+/]{48})";

void plan(const Params& with, Plan& plan) {
  plan.tree();
  if (with.has("content") || with.has("matching")) plan.content(with.paths("files"));
}

class Search {
 public:
  Search(const Params& with, const ImageView& image, Answer& answer) : image_(image), answer_(answer) {
    if (with.text("content") == "private-key") patterns_.push_back(Pattern::compile(private_key));
    is_key_ = !patterns_.empty();
    if (with.has("matching")) patterns_.push_back(Pattern::compile(with.text("matching")));
  }

  void merged(const PathSet& files) {
    for (const Match& match : image_.match(files)) {
      const Node& node = image_.tree()[match.node];
      if (!counts(node.type, node.inode)) continue;
      Finding finding = about(match.path, "present");
      finding.message = is_key_ ? "holds a private key" : "exists and must not";
      finding.layer = last_touched(image_, match.canonical);
      finding.remedy = is_key_ ? "take it out of the layer that wrote it, not by a later RUN rm; then replace the key"
                               : "remove it in the RUN that makes it";
      answer_.finding(std::move(finding));
      reported_.insert(match.canonical);
    }
  }

  /// What the layers hold and the merged tree does not show.
  void hidden(const PathSet& files) {
    const PathSelection selection(image_, files, PathSelection::Links::keep);
    const auto& layers = image_.scanned().facts.layers();
    for (std::uint32_t layer = 0; layer < layers.size(); ++layer) {
      std::unordered_map<std::string_view, Ordinal> by_path;
      for (Ordinal ordinal = 0; ordinal < layers[layer].entries.size(); ++ordinal) {
        const LayerEntry& entry = layers[layer].entries[ordinal];
        by_path.insert_or_assign(entry.path, ordinal);
        if (base_name(entry.path).starts_with(".wh.") || !selection.has(entry.path)) continue;
        const auto node = image_.tree().find(entry.path);
        if (node && image_.tree()[*node].inode == InodeId{layer, ordinal}) continue;
        EntryType type = entry.type;
        InodeId inode{layer, ordinal};
        if (type == EntryType::hard_link && !patterns_.empty()) {
          const auto target = by_path.find(entry.link);
          if (target == by_path.end()) {
            answer_.could_not(fmt::format("{} in layer {}: a hard link to {}, which that layer does not hold before it",
                                          entry.path, layer, entry.link));
            continue;
          }
          inode.ordinal = target->second;
          type = layers[layer].entries[inode.ordinal].type;
        }
        if (counts(type, inode)) report(entry, layer);
      }
    }
  }

  std::size_t looked_at() const { return looked_at_; }
  bool by_content() const { return !patterns_.empty(); }

 private:
  bool counts(EntryType type, InodeId inode) {
    if (patterns_.empty()) return true;
    if (type != EntryType::file) return false;
    ++looked_at_;
    const std::string& content = image_.content(inode);
    return std::ranges::all_of(patterns_, [&](const Pattern& pattern) { return pattern.found_in(content); });
  }

  void report(const LayerEntry& entry, std::uint32_t layer) {
    if (!reported_.insert(std::string(entry.path)).second) return;
    Finding finding = about(std::string(entry.path), "hidden");
    finding.message = fmt::format("layer {} holds {}", layer, is_key_ ? "it, with a private key" : "it");
    for (const Event& event : image_.tree().story(entry.path))
      if (event.layer > layer) {
        finding.details.push_back("not shown since " + layer_text(image_, event.layer));
        break;
      }
    finding.layer = layer;
    finding.remedy = "keep it out of that layer: a later step hides a file and does not take it back";
    answer_.finding(std::move(finding));
  }

  static Finding about(std::string subject, const char* kind) {
    Finding finding;
    finding.kind = kind;
    finding.subject = std::move(subject);
    return finding;
  }

  const ImageView& image_;
  Answer& answer_;
  std::vector<Pattern> patterns_;
  bool is_key_ = false;
  std::size_t looked_at_ = 0;
  std::unordered_set<std::string> reported_;
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  const PathSet& files = with.paths("files");
  Search search(with, image, answer);
  search.merged(files);
  const bool every_layer = with.flag("in_any_layer");
  if (every_layer) search.hidden(files);
  const std::string where =
      every_layer ? fmt::format("in each of {} layers", image.layers().size()) : "in the whole tree";
  answer.evidence(search.by_content() ? fmt::format("{} files matching {} were read", search.looked_at(), files.text)
                                      : fmt::format("names matching {} were looked for {}", files.text, where));
}

}  // namespace

extern const Rule file_absent;
const Rule file_absent{
    .doc = {.id = "file-absent",
            .summary = "No such file is in the image.",
            .details = R"(Looks at the merged tree. With `content: private-key` or `matching` only files with such
content count, so that a folder of CA certificates named *.pem is no finding.

A file that a later layer deletes is still published in its own layer: `in_any_layer` looks there, by the paths
that the layers record.

A set with exclusions can say "nothing but these": list the files that some check names as exclusions of a
set over their folder, and a marker that nobody reads is a finding.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
