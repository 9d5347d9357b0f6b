#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "check/document_texts.h"
#include "check/rule.h"
#include "check/secret_settings.h"
#include "facts/secret_expiry.h"
#include "facts/secret_id.h"
#include "facts/secret_values.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_places = 20;     // of one value, in the details
constexpr std::size_t excerpt_before = 60;  // bytes of the line that are shown around a value
constexpr std::size_t excerpt_after = 40;

constexpr auto params = with_secret_params(std::array{
    Param{"allow_places", ParamType::texts, "places that may hold secrets, by their beginning: 'config Labels'"},
});

constexpr FindingKind kinds[] = {
    {"secret", "a text of the image holds what looks like a credential"},
    {"never", "a variable that must never have a value has one"},
};

constexpr Example examples[] = {
    {"a password in the environment", "{}",
     "{config: {env: [DB_PASSWORD=correct-horse-7]}, layers: [{files: {/a: x}}]}", "secret DB_PASSWORD"},
    {"a build argument of a RUN, listed as one that must not be there", "{never: [SCCACHE_DOWNLOAD_URL]}",
     "layers: [{run: '|1 SCCACHE_DOWNLOAD_URL=https://cache.invalid/s.tgz /bin/sh -c make', files: {/a: x}}]",
     "never SCCACHE_DOWNLOAD_URL"},
    {"the same address is fine where no policy forbids it", "{}",
     "layers: [{run: '|1 SCCACHE_DOWNLOAD_URL=https://cache.invalid/s.tgz /bin/sh -c make', files: {/a: x}}]", "pass"},
    {"a password in an address", "{}",
     R"(layers: [{run: "RUN |1 SCCACHE_DOWNLOAD_URL=https://ci:hunter22\x40cache.invalid/s /bin/sh -c make", )"
     "files: {/a: x}}]",
     "secret SCCACHE_DOWNLOAD_URL"},
    {"a label with a clone address", "{}",
     R"({config: {labels: {source: "https://bot:hunter22\x40git.invalid/g/p.git"}}, layers: [{files: {/a: x}}]})",
     "secret source"},
    {"names, references and secret mounts are no values", "{}",
     "layers: [{run: 'ARG NPM_TOKEN', files: {/a: x}}, "
     "{run: 'RUN |1 NPM_TOKEN= /bin/sh -c TOKEN=$(cat /run/secrets/npm) npm ci # buildkit', files: {/b: x}}]",
     "pass"},
    {"only what is known by its form counts", "{min_confidence: high}",
     "{config: {env: [DB_PASSWORD=correct-horse-7]}, layers: [{files: {/a: x}}]}", "pass"},
    {"a value that is known to be harmless", "{allow: [SIGNING_TOKEN]}",
     "{config: {env: [SIGNING_TOKEN=public-test-4711]}, layers: [{files: {/a: x}}]}", "pass"}};

// Documents only: a policy of nothing but this rule reads no layer.
void plan(const Params&, Plan&) {}

struct Place {
  std::string name;  // "history entry 7"
  std::string line;  // redacted

  bool operator==(const Place&) const = default;
};

/// One value, wherever it stands.
struct Secret {
  std::string name, detector, value;
  bool never = false;
  Confidence confidence = Confidence::low;  // the most of all places
  std::vector<Place> places;
  std::optional<std::uint32_t> layer;
  std::optional<std::chrono::sys_seconds> expires;
};

bool is_within(std::string_view place, std::string_view outer) {
  return place.size() > outer.size() && place.starts_with(outer) &&
         (place[outer.size()] == '.' || place[outer.size()] == '[');
}

class Search {
 public:
  Search(const SecretSettings& settings, const Params& with, const ImageView& image)
      : settings_(settings), query_(settings.query()), allowed_places_(with.texts("allow_places")) {
    const HistoryPairing pairing = pair_history(image.config().history, image.layers().size());
    for (std::size_t layer = 0; layer < pairing.entry_of_layer.size(); ++layer)
      if (const auto entry = pairing.entry_of_layer[layer])
        layer_of_.emplace(*entry, static_cast<std::uint32_t>(layer));
  }

  void run(const DocumentTexts& documents) {
    // All values first: a line that is shown beside one may hold another.
    std::vector<std::vector<SecretHit>> found;
    for (const DocumentText& text : documents.texts) {
      found.push_back(find_secrets(text, query_));
      for (const SecretHit& hit : found.back()) {
        values_.add(hit.value);
        values_.add(std::string_view(text.text).substr(hit.begin, hit.end - hit.begin));
      }
    }
    values_.freeze();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].empty()) continue;
      const DocumentText& text = documents.texts[i];
      std::vector<SecretHit> spans = found[i];
      values_.find_in(text.text, spans);
      spans = united(std::move(spans));
      for (const SecretHit& hit : found[i]) enter(text, spans, hit);
    }
  }

  const std::vector<Secret>& secrets() const { return secrets_; }

 private:
  bool allows(const DocumentText& text, std::optional<std::uint32_t> layer) const {
    const auto begins = [&](const std::string& place) { return text.place.starts_with(place); };
    return settings_.allows_layer(layer) || std::ranges::any_of(allowed_places_, begins);
  }

  void enter(const DocumentText& text, const std::vector<SecretHit>& spans, const SecretHit& hit) {
    std::optional<std::uint32_t> layer;
    if (text.history_entry)
      if (const auto known = layer_of_.find(*text.history_entry); known != layer_of_.end()) layer = known->second;
    const bool never = hit.detector == "never";
    if (!never && allows(text, layer)) return;
    Place place{without_values(text.place), excerpt(text, spans, hit)};
    Secret& secret = secret_of(hit, place.name);
    secret.never = secret.never || never;
    secret.confidence = std::max(secret.confidence, hit.confidence);
    if (secret.name.empty()) secret.name = hit.name;
    if (!secret.layer) secret.layer = layer;
    if (!secret.expires)
      secret.expires = expiry_of(hit.detector, hit.value, address_around(text.text, hit.begin, hit.end));
    if (std::ranges::find(secret.places, place) == secret.places.end()) secret.places.push_back(std::move(place));
  }

  /// A value under two names is two secrets, but not where one is a field of the other's text (a label that
  /// is JSON). A sighting without a name belongs to the first of that value.
  Secret& secret_of(const SecretHit& hit, std::string_view place) {
    std::vector<std::size_t>& known = by_value_[hit.value];
    for (const std::size_t index : known) {
      Secret& secret = secrets_[index];
      if (hit.name.empty() || secret.name.empty() || secret.name == hit.name) return secret;
      if (is_within(place, secret.places.back().name)) return secret;
    }
    known.push_back(secrets_.size());
    return secrets_.emplace_back(Secret{hit.name, hit.detector, hit.value, false, hit.confidence, {}, {}, {}});
  }

  std::string without_values(std::string_view text) const {
    std::vector<SecretHit> hits = find_secrets(text, query_, TextForm::words);
    values_.find_in(text, hits);
    return masked(text, united(std::move(hits)));
  }

  /// What stands around a value; no other value is cut in two by it.
  std::string excerpt(const DocumentText& text, const std::vector<SecretHit>& spans, const SecretHit& hit) const {
    std::size_t begin = hit.begin > excerpt_before ? hit.begin - excerpt_before : 0;
    std::size_t end = std::min(text.text.size(), hit.end + excerpt_after);
    auto first = std::ranges::upper_bound(spans, begin, {}, &SecretHit::end);
    std::vector<SecretHit> shown;
    for (; first != spans.end() && first->begin < end; ++first) {
      begin = std::min(begin, first->begin);
      end = std::max(end, first->end);
      shown.push_back(*first);
    }
    for (SecretHit& span : shown) {
      span.begin -= begin;
      span.end -= begin;
    }
    std::string line = text.name.empty() ? "" : without_values(text.name) + "=";
    if (begin > 0) line += "…";
    line += masked(std::string_view(text.text).substr(begin, end - begin), shown);
    if (end < text.text.size()) line += "…";
    return line;
  }

  const SecretSettings& settings_;
  const SecretQuery& query_;
  const std::vector<std::string>& allowed_places_;
  SecretValues values_;
  std::map<std::size_t, std::uint32_t> layer_of_;  // of a history entry
  std::vector<Secret> secrets_;
  std::map<std::string, std::vector<std::size_t>> by_value_;
};

Finding report(const Secret& secret, SecretSettings& settings) {
  Finding finding;
  finding.kind = secret.never ? "never" : "secret";
  const std::string& first = secret.places.front().name;
  finding.subject = secret.name.empty() ? secret.detector + " in " + first : secret.name;
  finding.layer = secret.layer;
  finding.content = std::make_shared<const SecretContent>(secret.value);
  const std::size_t others = secret.places.size() - 1;
  finding.message = fmt::format("{} stands in {}", settings.describe(secret.never ? "never" : secret.detector), first);
  if (others > 0) finding.message += fmt::format(" and {} more place{}", others, others == 1 ? "" : "s");
  if (secret.expires) {
    finding.message += ": " + settings.expiry_text(*secret.expires);
    if (!secret.never && settings.was_over(*secret.expires)) finding.severity = Severity::note;
  }
  finding.details.push_back(
      fmt::format("value: {} bytes, {}", secret.value.size(), settings.describe(secret.detector)));
  finding.confidence = secret.confidence;
  finding.details.push_back(fmt::format("confidence: {}", to_string(secret.confidence)));
  if (const std::string id = settings.id_of(secret.value); !id.empty()) finding.details.push_back("value id: " + id);
  for (std::size_t i = 0; i < std::min(most_places, secret.places.size()); ++i)
    finding.details.push_back(fmt::format("{}: {}", secret.places[i].name, secret.places[i].line));
  if (secret.places.size() > most_places)
    finding.details.push_back(fmt::format("and {} more places", secret.places.size() - most_places));
  finding.remedy =
      "pass it by a secret mount (RUN --mount=type=secret,id=NAME), rebuild every layer from there on, and "
      "rotate the credential: whoever has the image has it";
  return finding;
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  const DocumentTexts documents = texts_of(image.scanned().image);
  if (documents.listed == 0) {
    answer.could_not("the image has no documents to look at");
    return;
  }
  for (const std::string& why : documents.unread) answer.could_not(why);
  answer.covered("documents", documents.listed, documents.scanned);
  if (documents.attestations_listed > 0)
    answer.covered("attestations", documents.attestations_listed, documents.attestations_scanned);
  SecretSettings settings(with, image, known_detectors(with));
  Search search(settings, with, image);
  search.run(documents);
  for (const Secret& secret : search.secrets()) answer.hide(secret.value);
  std::vector<const Secret*> told;
  std::vector<std::string_view> values;
  for (const Secret& secret : search.secrets()) {
    if ((!secret.never && settings.allows_value(secret.value)) || !settings.is_sure(secret.confidence)) continue;
    told.push_back(&secret);
    values.push_back(secret.value);
  }
  settings.make_ids(values);
  for (const Secret* const secret : told) answer.finding(report(*secret, settings));
  answer.evidence(fmt::format("{} texts of {} documents searched", documents.texts.size(), documents.scanned));
  if (const std::string left = settings.left_out_text(); !left.empty()) answer.evidence(left);
}

}  // namespace

extern const Rule history_secrets;
const Rule history_secrets{
    .doc = {.id = "history-secrets",
            .summary = "No secret stands in the documents of the image.",
            .details = R"(Looks at every text that is published beside the files: the history (also comments
and authors), the environment, labels, commands and every other string of the config, unknown keys too;
annotations of manifests and indexes; build records and attestations, decoded. No layer is read.

Found are tokens and keys that are known by their form (clouds, forges, package registries, model services, private
keys, tokens that are signed), passwords and tokens before the host of a URL, signed URLs, headers and command lines
that carry a credential, connection strings, and values of variables whose names say that they are secrets
(`NPM_TOKEN`, `DB_PASSWORD`), in every way that the builders write them. A name without a value, a reference
(`${TOKEN}`), a secret mount, a path, a checksum, a public key, a version, a placeholder or a sample that its vendor
published is no finding. A variable that names a URL is judged by its value.

`never` lists variables that must have no value at all, whatever it looks like. `allow` lists variables whose
values are fine, and the case of letters does not count; `allow_values`, `allow_places` and `allow_layers` let single
values, places and layers be. `never` is stronger than all of them. `known` adds detectors.

A value is never shown. Its id in the finding is equal wherever the same value stands, in any spelling, and says
nothing else about it; with a `salt` it is equal over builds. An id in `allow_values` holds whatever the salt is now.
One that stands in several places is one finding that lists them. Until when a token or a signed address is good, by
its own words, is said, and it is a note when that was over before the image was made; nobody is asked. A document that cannot be parsed makes the check an
error.

A finding says how sure it is: `certain` (a private key, decoded, or a variable of `never`), `high` (a form that a vendor
gives to nothing else), `medium` (by what stands beside it: the name of a variable, an option, an address) or `low` (a
name among words). What is less sure than `min_confidence` is no finding; the evidence counts it.

Limits: histories are written without quotes, so a value that holds ` NAME=` itself is taken for two. `file-secrets`
looks into the files of the layers.)",
            .severity = Severity::error,
            .security = "8.5",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
