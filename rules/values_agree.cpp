#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/path.h"
#include "base/pattern.h"
#include "check/document_texts.h"
#include "check/package_db.h"
#include "check/rule.h"
#include "check/selection.h"
#include "facts/key_value.h"
#include "facts/secret_values.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_values = 1000;        // of one source: a glob over a tree is a mistake
constexpr std::size_t longest_value = 200;       // bytes that a message shows
constexpr std::uint64_t shortest_beginning = 4;  // bytes: what git abbreviates a commit to at most; fewer are in all

constexpr std::string_view sources[] = {"label", "env", "text", "file", "sha256", "path", "link", "package", "history"};
constexpr std::string_view normalisers[] = {"lower", "strip-v", "digits", "packed"};
constexpr std::string_view equalities[] = {"all", "prefix"};

constexpr Param fields[] = {
    {.name = "label", .type = ParamType::text, .doc = "the name of a label of the image"},
    {.name = "env", .type = ParamType::text, .doc = "the name of a variable of the image's environment"},
    {.name = "text", .type = ParamType::text, .doc = "a text of the policy, as a rule a variable: '$(name)'"},
    {.name = "file",
     .type = ParamType::paths,
     .doc = "files, whose content is the value: one line, or what key or pattern "
            "choose"},
    {.name = "sha256", .type = ParamType::paths, .doc = "files, whose digest is the value, as 64 hex digits"},
    {.name = "path", .type = ParamType::paths, .doc = "names that exist, whose last component is the value"},
    {.name = "link",
     .type = ParamType::paths,
     .doc = "names, and the last component of what each finally leads to is the "
            "value"},
    {.name = "package", .type = ParamType::text, .doc = "an installed package, whose version is the value"},
    {.name = "history",
     .type = ParamType::pattern,
     .doc = "what this matches, or captures, in each line of the history "
            "where it matches"},
    {.name = "key", .type = ParamType::text, .doc = "of KEY=value or KEY: value lines in the file", .beside = "file"},
    {.name = "pattern",
     .type = ParamType::pattern,
     .doc = "the value is the first match in the source's text, or group 1 "
            "of it"},
    {.name = "normalise",
     .type = ParamType::texts,
     .doc = "in order: lower (case), strip-v (a leading v), digits (nothing "
            "else stays), packed (70204 becomes 7.2.4)",
     .choices = normalisers},
    {.name = "prefix", .type = ParamType::number, .doc = "only so many bytes count, from the left"},
    {.name = "optional", .type = ParamType::flag, .doc = "the source may be absent; one with another form may not"},
};

constexpr Param params[] = {
    {.name = "values",
     .type = ParamType::records,
     .doc = "sources of the value, two at least; the first that is there is "
            "what the others are compared with",
     .required = true,
     .fields = fields,
     .one_of = sources},
    {.name = "equal",
     .type = ParamType::text,
     .doc = "all (default): the values are equal; prefix: each is the beginning of "
            "the longest",
     .choices = equalities},
    {.name = "shortest",
     .type = ParamType::number,
     .doc = "with equal: prefix, the fewest bytes that a value may have "
            "(default 4)"},
};

constexpr FindingKind kinds[] = {
    {"absent", "the image does not have the source"},
    {"form", "the source is there, and its text is not of the stated form, empty, or too short for a beginning"},
    {"differs", "the source gives another value"},
};

constexpr Example examples[] = {
    {"a label says what the file says", "{values: [{label: version}, {file: /v, pattern: '^[0-9.]+'}]}",
     "{config: {labels: {version: '7.2.4'}}, layers: [{files: {/v: '7.2.4-42'}}]}", "pass"},
    {"the folder has another version than its version file",
     "{values: [{file: /opt/x-1.2/version}, {path: '/opt/x-*', pattern: 'x-(.+)'}]}",
     "layers: [{files: {/opt/x-1.2/version: '1.3'}}]", "differs /opt/x-1.2"},
    {"a short commit in a file name",
     "{equal: prefix, values: [{file: /commit}, {link: /l/a.so, pattern: '-([0-9a-f]{7,})$'}]}",
     "layers: [{files: {/commit: 'b539bf7a01', /l/a.so.7-b539bf7: x}, links: {/l/a.so: a.so.7-b539bf7}}]", "pass"},
    {"one letter is the beginning of too much", "{equal: prefix, values: [{label: revision}, {file: /commit}]}",
     "{config: {labels: {revision: b}}, layers: [{files: {/commit: 'b539bf7a01'}}]}", "form label revision"},
    {"a label that nobody set", "{values: [{label: revision}, {file: /commit}]}",
     "layers: [{files: {/commit: 'b539bf7a01'}}]", "absent label revision"}};

void plan(const Params& with, Plan& plan) {
  for (const Params& source : with.records("values")) {
    if (source.has("path") || source.has("link")) plan.tree();
    if (source.has("file")) plan.content(source.paths("file"));
    if (source.has("sha256")) plan.sha256(source.paths("sha256"));
    if (source.has("package")) plan.packages();
  }
}

struct Value {
  std::string source;  // "label x", a path
  std::string text;
  std::string shown;  // the text, or a mark in its place
  std::string path;
  std::optional<std::uint32_t> layer;
};

std::string shown(const std::string& text) {
  return text.size() <= longest_value ? text : text.substr(0, longest_value) + "…";
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

/// 70204 is 7.2.4: from the right two digits a part.
std::string unpacked(std::string text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return text;
  std::string out;
  while (!text.empty()) {
    std::string part = text.substr(text.size() > 2 ? text.size() - 2 : 0);
    text.resize(text.size() - part.size());
    part.erase(0, std::min(part.find_first_not_of('0'), part.size() - 1));
    out = out.empty() ? part : part + "." + out;
  }
  return out;
}

std::string normalised(std::string text, const Params& source) {
  for (const std::string& how : source.texts("normalise")) {
    if (how == "lower")
      std::ranges::transform(text, text.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (how == "strip-v" && (text.starts_with('v') || text.starts_with('V'))) text.erase(0, 1);
    if (how == "digits") std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
    if (how == "packed") text = unpacked(std::move(text));
  }
  if (const auto prefix = source.number("prefix"); prefix && *prefix < text.size()) text.resize(*prefix);
  return text;
}

/// The report's last stage knows secrets as the image has them, not in the form to which a source changes its text.
class Secrets {
 public:
  explicit Secrets(const Image& image) {
    for (const DocumentText& text : texts_of(image).texts)
      for (const SecretHit& hit : find_secrets(text, {})) values_.add(hit.value);
    values_.freeze();
  }

  /// Is `part` of `whole` a secret or a piece of one? `name` is a variable's or label's, "" for other texts.
  bool holds(std::string_view name, std::string_view whole, std::string_view part) const {
    std::vector<SecretHit> hits =
        name.empty() ? find_secrets_in_any_form(whole, {}) : find_secrets_in_value(name, whole, {});
    values_.find_in(whole, hits);
    return !hits.empty() && masked(whole, united(std::move(hits))).find(part) == std::string::npos;
  }

 private:
  SecretValues values_;
};

/// Reads the sources; what it cannot take is a finding at once.
class Reader {
 public:
  Reader(const ImageView& image, Answer& answer) : image_(image), answer_(answer) {}

  void read(const Params& source) {
    source_ = &source;
    pattern_.reset();
    if (source.has("pattern")) pattern_.emplace(Pattern::compile(source.text("pattern")));
    count_ = 0;
    const Config& config = image_.config();
    if (source.has("label")) {
      const auto label = config.labels.find(source.text("label"));
      one("label " + source.text("label"), label == config.labels.end() ? std::nullopt : std::optional(label->second));
    } else if (source.has("env")) {
      one("env " + source.text("env"), config.env_value(source.text("env")));
    } else if (source.has("text")) {
      one("the policy's text", source.text("text"));
    } else if (source.has("package")) {
      package();
    } else if (source.has("history")) {
      history();
    } else {
      files();
    }
  }

  const std::vector<Value>& values() const { return values_; }

 private:
  void one(const std::string& name, const std::optional<std::string>& text) {
    if (!text || text->empty()) return none(name, !text ? "the image has no such thing" : "is empty");
    add(name, *text);
  }

  void none(const std::string& name, std::string why) {
    if (source_->flag("optional")) return answer_.evidence(fmt::format("{}: {}, which the policy allows", name, why));
    find("absent", name, std::move(why), std::nullopt);
  }

  void add(const std::string& name, const std::string& whole, const std::string& path = {},
           std::optional<std::uint32_t> layer = {}) {
    if (++count_ > most_values)
      throw Error(ErrorKind::limit, fmt::format("one source of values gives more than {}", most_values));
    std::string text = whole;
    if (pattern_) {
      const auto match = pattern_->first_in(whole);
      if (!match)
        return find("form", name, fmt::format("'{}' does not match {}", shown(whole), source_->text("pattern")), layer);
      text = *match;
    }
    const std::string part = text;
    text = normalised(std::move(text), *source_);
    if (text.empty()) return find("form", name, fmt::format("of '{}' nothing is left to compare", shown(whole)), layer);
    std::string shown_text = shown(text);
    if (text != whole && is_secret(whole, part)) {
      answer_.hide(text);
      shown_text = secret_mark(text.size());
    }
    values_.push_back({name, std::move(text), std::move(shown_text), path, layer});
  }

  bool is_secret(const std::string& whole, const std::string& part) {
    if (!secrets_) secrets_ = std::make_unique<const Secrets>(image_.scanned().image);
    const std::string& variable = source_->has("label") ? source_->text("label") : source_->text("env");
    return secrets_->holds(variable, whole, part);
  }

  void package() {
    const std::string& name = source_->text("package");
    const PackageDb& db = image_.packages();
    if (image_.pending()) return;
    if (!db.found()) return answer_.could_not(db.presence_text());
    bool any = false;
    for (const Package* const package : db.named(name)) {
      if (!package->control.installed()) continue;
      any = true;
      add("package " + package->name(), package->control.version);
    }
    if (!any) none("package " + name, "is not installed");
  }

  void history() {
    const Pattern pattern = Pattern::compile(source_->text("history"));
    const std::vector<History>& lines = image_.config().history;
    bool any = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto match = pattern.first_in(lines[i].created_by);
      if (!match) continue;
      any = true;
      add(fmt::format("history line {}", i + 1), *match);
    }
    if (!any) none("history", fmt::format("none of {} lines matches {}", lines.size(), source_->text("history")));
  }

  void files() {
    const std::string_view which = source_->has("file")     ? "file"
                                   : source_->has("sha256") ? "sha256"
                                   : source_->has("path")   ? "path"
                                                            : "link";
    const PathSet& set = source_->paths(which);
    const std::vector<Selected> selected = select(set, image_);
    if (selected.empty()) return none(set.text, "no such file");
    for (const Selected& one : selected) {
      const auto layer = last_touched(image_, one.end.found() && which != "path" ? one.end.path : one.match.canonical);
      if (which == "path") {
        add(one.match.path, std::string(base_name(one.match.path)), one.match.path, layer);
      } else if (!one.end.found()) {
        find("form", one.match.path, "leads to " + one.end.path + ", which does not exist", layer);
      } else if (which == "link") {
        add(one.match.path, std::string(base_name(one.end.path)), one.end.path, layer);
      } else if (image_.tree()[one.end.node].type != EntryType::file) {
        find("form", one.match.path, "is no regular file", layer);
      } else if (which == "sha256") {
        add("sha256 of " + one.match.path, image_.sha256(image_.tree()[one.end.node].inode).hex(), one.end.path, layer);
      } else {
        content(one, layer);
      }
    }
  }

  void content(const Selected& one, std::optional<std::uint32_t> layer) {
    const std::string& text = image_.content(image_.tree()[one.end.node].inode);
    if (image_.pending()) return;
    if (source_->has("key")) {
      const std::string& key = source_->text("key");
      const KeyValue lines = KeyValue::parse(text);
      const auto value = lines.find(key);
      const std::string name = fmt::format("{} {}", one.match.path, key);
      if (!value || value->empty()) return none(name, value ? "is empty" : "there is no such key");
      return add(name, std::string(*value), one.end.path, layer);
    }
    const std::string_view whole = without_end(text);
    if (whole.empty()) return find("form", one.match.path, "is empty", layer);
    if (!pattern_ && whole.find('\n') != std::string_view::npos)
      return find("form", one.match.path, "has more than one line; the source needs key or pattern", layer);
    add(one.match.path, std::string(whole), one.end.path, layer);
  }

  void find(const char* kind, const std::string& subject, std::string message, std::optional<std::uint32_t> layer) {
    Finding finding;
    finding.kind = kind;
    finding.subject = subject;
    finding.message = std::move(message);
    finding.layer = layer;
    answer_.finding(std::move(finding));
  }

  const ImageView& image_;
  Answer& answer_;
  const Params* source_ = nullptr;
  std::optional<Pattern> pattern_;
  std::unique_ptr<const Secrets> secrets_;  // on first use
  std::vector<Value> values_;
  std::size_t count_ = 0;
};

void check(const Params& with, const ImageView& image, Answer& answer) {
  const std::vector<Params>& asked = with.records("values");
  if (asked.size() < 2) throw Error(ErrorKind::policy, "values-agree needs two sources at least");
  if (std::ranges::all_of(asked, [](const Params& source) { return source.has("text"); }))
    throw Error(ErrorKind::policy, "values-agree has only texts of the policy: no source is of the image");
  Reader reader(image, answer);
  for (const Params& source : asked) reader.read(source);
  const std::vector<Value>& values = reader.values();
  if (values.empty()) {
    if (answer.findings().empty()) answer.could_not("no source is there, so nothing was compared");
    return;
  }
  const bool by_prefix = with.text("equal") == "prefix";
  const Value* reference = &values.front();
  if (by_prefix)
    for (const Value& value : values)
      if (value.text.size() > reference->text.size()) reference = &value;
  const std::uint64_t shortest = by_prefix ? with.number("shortest").value_or(shortest_beginning) : 0;
  for (const Value& value : values) {
    const bool fits = by_prefix ? reference->text.starts_with(value.text) : value.text == reference->text;
    if (fits && value.text.size() >= shortest) {
      answer.evidence(fmt::format("{} says {}", value.source, value.shown), value.path, value.layer);
      continue;
    }
    Finding finding;
    finding.kind = fits ? "form" : "differs";
    finding.subject = value.source;
    finding.message = fits ? fmt::format("says {}: so short a beginning ({} of {} bytes) agrees with too much",
                                         value.shown, value.text.size(), shortest)
                           : fmt::format("says {}, but {} says {}", value.shown, reference->source, reference->shown);
    for (const Value& other : values)
      if (&other != &value) finding.details.push_back(fmt::format("{}: {}", other.source, other.shown));
    finding.layer = value.layer;
    answer.finding(std::move(finding));
  }
  if (values.size() == 1 && answer.findings().empty())
    answer.evidence("no other source is there, which the policy allows, so nothing was compared");
}

}  // namespace

extern const Rule values_agree;
const Rule values_agree{
    .doc = {.id = "values-agree",
            .summary = "Labels, environment, files, names and packages give one value.",
            .details = R"(The same version or commit is often written down in several places, and a build that changes
one of them by hand forgets the others. Each source of `values` gives a text; `pattern` chooses a part of it,
`normalise` and `prefix` make forms comparable. All values must then be equal, or, with `equal: prefix`, each the
beginning of the longest (a short commit and a whole one); one of less than `shortest` bytes agrees with too much and
is a finding.

A source that names several files or lines gives several values, and all must agree. One that is absent is a
finding unless `optional`; one that is there in another form always is. If no source is there at all, the check is an
error and no pass.

`packed` reads numbers as C headers write them, two digits a part: 70204 is 7.2.4. `file` with `key` reads KEY=value
and KEY: value lines. A variable of the policy is compared as `text: '$(name)'`.)",
            .severity = Severity::error,
            .security = "none",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
