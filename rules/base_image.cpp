#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "check/config_term.h"
#include "check/environment.h"
#include "check/image_records.h"
#include "check/rule.h"

namespace ocilint::rules {
namespace {

constexpr Param params[] = {
    {"layers", ParamType::texts, "digests or diff IDs (sha256:…) of the base's layers, the lowest first"},
    {"other", ParamType::text, "the base itself: the name of an image that is given as --with NAME=REF"},
    {"recorded", ParamType::flag, "annotations or labels org.opencontainers.image.base.* name the base by digest"},
    {"labels", ParamType::texts, "labels or annotations that each hold a reference with a digest"},
    {"env", ParamType::texts, "environment variables that each hold a reference with a digest"},
    {"allow_floating", ParamType::flag, "a tag that moves (latest, or none) is fine where the digest stands beside it"},
};

constexpr FindingKind kinds[] = {
    {"other-base", "the lowest layers are not those of the base"},
    {"unrecorded", "nothing says which base was used"},
    {"unpinned", "the base is named without a digest"},
    {"floating", "the base's name has a tag that moves"},
    {"ambiguous", "annotations of one name say different things"},
};

constexpr Example examples[] = {
    {"the base as another image, on which this one was built", "{other: base}",
     "{layers: [{files: {/etc/base: x}}, {files: {/app: y}}], others: {base: {layers: [{files: {/etc/base: x}}]}}}",
     "pass"},
    {"the base was rebuilt meanwhile", "{other: base}",
     "{layers: [{files: {/etc/base: x}}, {files: {/app: y}}], others: {base: {layers: [{files: {/etc/base: z}}]}}}",
     "other-base base"},
    {"a name that may be another image tomorrow", "{env: [BASE_IMAGE]}",
     "{config: {env: ['BASE_IMAGE=registry.example/dev:latest']}, layers: [{files: {/a: x}}]}",
     "unpinned BASE_IMAGE\nfloating BASE_IMAGE"}};

constexpr std::string_view digest_grammar = R"(^sha256:[0-9a-f]{64}$)";
constexpr std::string_view pinned_grammar = R"(@sha256:[0-9a-f]{64}$)";

void plan(const Params& with, Plan& plan) {
  // Its documents say which layers it has.
  if (with.has("other")) (void)plan.other(with.text("other"));
}

std::string text_of(const std::optional<Digest>& digest) { return digest ? digest->text() : "not stated"; }

std::string describe(const LayerSource& layer) {
  return layer.diff_id ? "diff ID " + layer.diff_id->text() : "digest " + text_of(layer.digest);
}

Finding other_base(std::string subject, std::string message, std::vector<std::string> details,
                   std::optional<std::uint32_t> layer) {
  Finding finding;
  finding.kind = "other-base";
  finding.subject = std::move(subject);
  finding.message = std::move(message);
  finding.details = std::move(details);
  finding.layer = layer;
  finding.remedy = "build on the base that the policy means, or name the one that was meant";
  return finding;
}

/// Compares layer by layer; `same` throws when it cannot tell.
template <typename Same, typename Describe>
void compare_prefix(const ImageView& image, std::size_t base_layers, const std::string& subject, Same&& same,
                    Describe&& describe_base, Answer& answer) {
  const std::vector<LayerSource>& layers = image.scanned().image.layers;
  if (base_layers == 0) {
    answer.could_not(fmt::format("{} has no layers: every image begins with them", subject));
    return;
  }
  for (std::size_t i = 0; i < base_layers; ++i) {
    if (i == layers.size()) {
      std::string message = fmt::format("the image has {} layers, its base has {}", layers.size(), base_layers);
      answer.finding(other_base(subject, std::move(message), {}, std::nullopt));
      return;
    }
    if (same(i)) continue;
    answer.finding(other_base(subject, fmt::format("layer {} is not the base's", i),
                              {"the base's: " + describe_base(i), "the image's: " + describe(layers[i])},
                              static_cast<std::uint32_t>(i)));
    return;
  }
  answer.evidence(fmt::format("the lowest {} of {} layers are those of {}", base_layers, layers.size(), subject), {},
                  static_cast<std::uint32_t>(base_layers - 1));
}

void compare_with_list(const Params& with, const ImageView& image, Answer& answer) {
  std::vector<Digest> base;
  for (const std::string& text : with.texts("layers")) {
    try {
      base.push_back(Digest::parse(text));
    } catch (const Error& error) {
      throw Error(ErrorKind::policy, fmt::format("layers: '{}': {}", text, error.what()));
    }
  }
  const std::vector<LayerSource>& layers = image.scanned().image.layers;
  const auto same = [&](std::size_t i) {
    if (!layers[i].digest && !layers[i].diff_id) corrupt(fmt::format("layer {} states neither digest nor diff ID", i));
    return layers[i].digest == base[i] || layers[i].diff_id == base[i];
  };
  compare_prefix(
      image, base.size(), "the list", same, [&](std::size_t i) { return base[i].text(); }, answer);
}

void compare_with_image(const std::string& name, const ImageView& image, Answer& answer) {
  const std::vector<LayerSource>& layers = image.scanned().image.layers;
  const std::vector<LayerSource>& base = image.other(name).scanned().image.layers;
  const auto same = [&](std::size_t i) {
    // The same content may be compressed anew; the diff ID is what the config is built from.
    if (layers[i].diff_id && base[i].diff_id) return layers[i].diff_id == base[i].diff_id;
    if (layers[i].digest && base[i].digest) return layers[i].digest == base[i].digest;
    corrupt(fmt::format("layer {} states neither digest nor diff ID in both images", i));
  };
  compare_prefix(
      image, base.size(), name, same, [&](std::size_t i) { return describe(base[i]); }, answer);
}

/// "registry:5000/dev:1.2" -> "1.2"; nullopt without a tag.
std::optional<std::string_view> tag_of(std::string_view reference) {
  const std::string_view name = reference.substr(0, reference.find('@'));
  const std::size_t colon = name.rfind(':');
  const std::size_t slash = name.rfind('/');
  const bool port = slash != std::string_view::npos && colon != std::string_view::npos && colon < slash;
  if (colon == std::string_view::npos || port) return std::nullopt;
  return name.substr(colon + 1);
}

class Recorded {
 public:
  Recorded(const Params& with, const ImageView& image, Answer& answer) : with_(with), image_(image), answer_(answer) {}

  void run() {
    if (with_.flag("recorded")) by_specification();
    for (const std::string& name : with_.texts("labels")) {
      const auto record = one_record(name);
      if (ambiguous_.contains(name)) continue;
      reference(name, value_of(record), where_of(record), false);
    }
    const Environment environment(image_.config());
    for (const std::string& name : with_.texts("env")) {
      const EnvironmentVariable* const variable = environment.find(name);
      const auto value = variable == nullptr ? std::nullopt : std::optional(variable->value);
      reference(name, value, "environment variable", false);
    }
  }

 private:
  static std::optional<std::string> value_of(const std::optional<ImageRecord>& record) {
    return record ? std::optional(record->value) : std::nullopt;
  }
  static std::string_view where_of(const std::optional<ImageRecord>& record) {
    return record ? std::string_view(record->where) : "label or annotation";
  }

  /// The one record of this name; when several contradict each other a finding, and none.
  std::optional<ImageRecord> one_record(std::string_view name) {
    std::vector<ImageRecord> all = find_records(image_.scanned().image, name);
    if (all.empty()) return std::nullopt;
    if (std::ranges::any_of(all, [&](const ImageRecord& one) { return one.value != all.front().value; })) {
      std::vector<std::string> details;
      for (const ImageRecord& one : all) details.push_back(fmt::format("{}: {}", one.where, one.value));
      find("ambiguous", name, "annotations of this name say different things, and nothing says which of them is true",
           std::move(details));
      ambiguous_.insert(std::string(name));
      return std::nullopt;
    }
    const auto label = image_.config().labels.find(std::string(name));
    if (label != image_.config().labels.end() && label->second != all.front().value)
      answer_.evidence(
          fmt::format("label {} is {}, which does not count beside the {}", name, label->second, all.front().where));
    return std::move(all.front());
  }

  void by_specification() {
    const auto name = one_record(base_name_key), digest = one_record(base_digest_key);
    if (ambiguous_.contains(base_digest_key)) return;
    const bool good = digest && value_pattern(digest_grammar).found_in(digest->value);
    if (digest && !good) {
      find("unpinned", base_digest_key, "it is no digest", {"is: " + digest->value});
      return;
    }
    if (digest) answer_.evidence(fmt::format("{} {} is {}", digest->where, base_digest_key, digest->value));
    if ((digest && !name) || ambiguous_.contains(base_name_key)) return;
    reference(base_name_key, value_of(name), where_of(name), good);
  }

  /// `digest_beside`: the digest stands in a record of its own.
  void reference(std::string_view subject, const std::optional<std::string>& value, std::string_view where,
                 bool digest_beside) {
    if (!value || value->empty()) {
      find("unrecorded", subject,
           fmt::format("{} {} {}", value ? "the" : "the image has no", where, value ? "is empty" : "of that name"), {});
      return;
    }
    const std::size_t before = answer_.findings().size();
    const bool pinned = value_pattern(pinned_grammar).found_in(*value);
    if (!pinned && !digest_beside)
      find("unpinned", subject, "it names the base without @sha256:…, so nobody can tell which one was used",
           {"is: " + *value});
    const auto tag = tag_of(*value);
    const bool floats = !pinned && (!tag || *tag == "latest");
    if (floats && !(digest_beside && with_.flag("allow_floating")))
      find("floating", subject, tag ? "the tag 'latest' moves" : "without a tag it means 'latest', which moves",
           {"is: " + *value});
    if (answer_.findings().size() == before) answer_.evidence(fmt::format("{} {} is {}", where, subject, *value));
  }

  void find(const char* kind, std::string_view subject, std::string message, std::vector<std::string> details) {
    Finding finding;
    finding.kind = kind;
    finding.subject = subject;
    finding.message = std::move(message);
    finding.details = std::move(details);
    finding.remedy = "build FROM name@sha256:… and record that reference when building";
    answer_.finding(std::move(finding));
  }

  const Params& with_;
  const ImageView& image_;
  Answer& answer_;
  std::set<std::string, std::less<>> ambiguous_;  // names that were reported as such
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  if (with.has("layers")) compare_with_list(with, image, answer);
  if (with.has("other")) compare_with_image(with.text("other"), image, answer);
  Recorded(with, image, answer).run();
}

}  // namespace

extern const Rule base_image;
const Rule base_image{
    .doc = {.id = "base-image",
            .summary = "The image is built on the stated base, and says so by digest.",
            .details = R"(`layers` and `other` compare the lowest layers, one by one, with a list or with the image
that `--with NAME=REF` gives. Equal digests or diff IDs are equal content, so a base that was only compressed anew is
the same. Reads no layer, of neither image.

`recorded` wants `org.opencontainers.image.base.name` and `.digest` (the annotations that the OCI image specification
defines, or labels of these names); `labels` and `env` want further places, as builds of their own use them, to hold
`name@sha256:…`. A tag can be moved at any time: `latest`, or no tag at all, names no image in particular. The digest
of an image for several platforms is that of its index.

Annotations stand in the manifest, in its entry in an index, and in the index itself: where they contradict each other
the record is *ambiguous*. Annotations go before labels, which a build inherits from its base: a label that says
something else beside an annotation is told as evidence.

That the recorded digest is the true one is shown only by comparing the layers.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
