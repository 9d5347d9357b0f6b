#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "check/path_selection.h"
#include "check/rule.h"
#include "check/secret_settings.h"
#include "check/selection.h"
#include "facts/credential_files.h"
#include "facts/secret_expiry.h"
#include "facts/secret_id.h"
#include "facts/secret_names.h"
#include "facts/secret_samples.h"

namespace ocilint::rules {
namespace {

constexpr std::size_t most_of_file = 20;  // findings; the others are counted in one more
constexpr std::size_t most_copies = 10;   // of one secret under one name, in the details
constexpr std::string_view everything = "/**";

constexpr auto params = with_secret_params(std::array{
    Param{"files", ParamType::paths, "the files to search, in every layer (unset: all of them)"},
    Param{"allow_empty", ParamType::flag, "no file of `files` need be there"},
    Param{"names", ParamType::flag, "files are findings by their names too, such as .netrc (unset: yes)"},
    Param{"allow_files", ParamType::paths, "files that may hold secrets or be one by their name"},
});

constexpr FindingKind kinds[] = {
    {"secret", "a file of some layer holds what looks like a credential"},
    {"never", "a file gives a value to a variable that must never have one"},
    {"credential-file", "a file by whose name programs keep credentials and nothing else is in some layer"},
    {"missing", "no file of the set is in any layer, so that none was searched"},
    {"sample", "a credential in a test, an example or a document, or one that a library publishes for its tests"},
};

constexpr Example examples[] = {
    {"a password in a file of variables", "{}", "layers: [{files: {/app/.env: 'DB_PASSWORD=correct-horse-7'}}]",
     "secret /app/.env"},
    {"removed by a later layer, and published still", "{}",
     "layers: [{run: COPY . /src, files: {/src/.env: 'DB_PASSWORD=correct-horse-7'}}, "
     "{run: RUN rm /src/.env, remove: [/src/.env]}]",
     "secret /src/.env"},
    {"a file that is nothing but credentials", "{}",
     "layers: [{files: {/root/.git-credentials: 'https://git.invalid'}}]", "credential-file /root/.git-credentials"},
    {"a login in a configuration of apt", "{}",
     "layers: [{files: {/etc/apt/auth.conf: 'machine apt.invalid login ci password hunter22-x'}}]",
     "secret /etc/apt/auth.conf"},
    {"references and switches are no values", "{}",
     "layers: [{files: {/root/.npmrc: '//npm.invalid/:_authToken=${NPM_TOKEN}', /app/.env: 'TOKEN_TTL=3600'}}]",
     "pass"},
    {"a script that sets what no build may set", "{never: [SCCACHE_DOWNLOAD_URL]}",
     "layers: [{files: {/src/build.sh: \"#!/bin/sh\\nexport SCCACHE_DOWNLOAD_URL=https://cache.invalid/s.tgz\\n\", "
     "/src/ok.sh: 'make SCCACHE_DOWNLOAD_URL=$SCCACHE_DOWNLOAD_URL'}}]",
     "never /src/build.sh"},
    {"only what is known by its form counts", "{min_confidence: high}",
     "layers: [{files: {/app/.env: 'DB_PASSWORD=correct-horse-7'}}]", "pass"},
    {"a value that is known to be harmless", "{allow: [DB_PASSWORD]}",
     "layers: [{files: {/app/.env: 'DB_PASSWORD=correct-horse-7'}}]", "pass"},
};

void plan(const Params& with, Plan& plan) {
  std::vector<ExtraDetector> more;
  try {
    more = file_detectors(with);
  } catch (const Error&) {
    // One that is none is an error of the check, which will say so.
  }
  if (with.has("files")) {
    plan.scan(with.paths("files"), more);
  } else {
    PathSet all;
    all.include.push_back(Glob::parse(everything));
    plan.scan(all, more);
  }
}

struct Place {
  InodeId inode;
  std::string fate;  // "deleted by layer 9", "" while the file is there
};

bool is_never(const FileSecret& secret) { return secret.detector.starts_with(never_id); }

/// One value, or the name alone, under one path; layers may have written it several times.
struct Sighting {
  std::string path;
  const FileSecret* secret = nullptr;  // null: found by its name
  std::string_view what;
  std::vector<Place> places;
};

class Search {
 public:
  Search(const Params& with, const ImageView& image, SecretSettings& settings)
      : image_(image),
        settings_(settings),
        names_(with.flag("names", true)),
        allowed_(image, with.paths("allow_files"), PathSelection::Links::keep) {
    if (with.has("files")) files_.emplace(image, with.paths("files"), PathSelection::Links::keep);
  }

  void run() {
    std::uint32_t number = 0;
    for (const LayerIndex& layer : image_.scanned().facts.layers()) {
      for (Ordinal ordinal = 0; ordinal < layer.entries.size(); ++ordinal)
        look(layer, layer.entries[ordinal], {number, ordinal});
      ++number;
    }
  }

  struct Counts {
    std::uint64_t files = 0, bytes = 0;
  };
  Counts listed() const { return listed_; }
  Counts searched() const { return searched_; }
  const std::vector<Sighting>& sightings() const { return sightings_; }
  const std::map<std::string, std::uint64_t, std::less<>>& uncounted() const { return uncounted_; }
  const std::vector<const FileSecret*>& found() const { return found_; }

 private:
  void look(const LayerIndex& layer, const LayerEntry& entry, InodeId inode) {
    const bool regular = entry.type == EntryType::file;
    if (!regular && entry.type != EntryType::hard_link) return;
    if (files_ && !files_->has(entry.path)) return;
    std::size_t secrets = 0;
    if (regular) {
      const FileSecrets& found = image_.secrets(inode);
      ++listed_.files;
      listed_.bytes += entry.size;
      if (layer.was_scanned(inode.ordinal)) {
        ++searched_.files;
        searched_.bytes += entry.size;
      }
      for (const FileSecret& secret : found.kept) found_.push_back(&secret);
      if (found.found > 0) secrets = enter(entry, inode, found);
    }
    if (names_ && secrets == 0 && (entry.size > 0 || !regular)) enter_name(entry, inode);
  }

  bool allowed(const LayerEntry& entry, InodeId inode) const {
    return allowed_.has(entry.path) || settings_.allows_layer(inode.layer);
  }

  std::size_t enter(const LayerEntry& entry, InodeId inode, const FileSecrets& found) {
    std::size_t entered = 0, left = 0;
    const bool fine = allowed(entry, inode);
    for (const FileSecret& secret : found.kept) {
      // A detector that another check of the run has added is none of this one.
      if (settings_.query().set().find(secret.detector) == nullptr) continue;
      if (!is_never(secret) && (fine || is_allowed(secret))) continue;
      if (!settings_.is_sure(settings_.confidence_of(secret.detector))) continue;
      if (entered == most_of_file) {
        ++left;
        continue;
      }
      ++entered;
      sighting({std::string(entry.path), secret.value}, &secret, settings_.describe(secret.detector))
          .places.push_back({inode, fate(entry, inode)});
    }
    if (!fine) left += static_cast<std::size_t>(found.found - found.kept.size());
    if (left > 0) uncounted_[std::string(entry.path)] += left;
    return entered + left;
  }

  bool is_allowed(const FileSecret& secret) {
    const auto same = [&](const std::string& name) { return same_name(name, secret.name); };
    return (!secret.name.empty() && std::ranges::any_of(settings_.query().allow, same)) ||
           settings_.allows_value(secret.value);
  }

  void enter_name(const LayerEntry& entry, InodeId inode) {
    const std::string_view what = kept_credentials(entry.path);
    if (what.empty() || allowed(entry, inode) || !settings_.is_sure(Confidence::low)) return;
    sighting({std::string(entry.path), std::string()}, nullptr, what).places.push_back({inode, fate(entry, inode)});
  }

  Sighting& sighting(std::pair<std::string, std::string> key, const FileSecret* secret, std::string_view what) {
    const auto [at, fresh] = by_key_.try_emplace(key, sightings_.size());
    if (fresh) sightings_.push_back({std::move(key.first), secret, what, {}});
    return sightings_[at->second];
  }

  /// What became of the name after the layer that wrote it.
  std::string fate(const LayerEntry& entry, InodeId inode) const {
    bool written = false;
    for (const Event& event : image_.tree().story(entry.path)) {
      if (event.layer < inode.layer) continue;
      if (event.layer == inode.layer) {
        written = event.inode == inode || event.deed == Deed::linked;
        continue;
      }
      const bool gone = event.deed == Deed::removed || event.deed == Deed::hidden;
      return fmt::format("{} by layer {}", gone ? "deleted" : "overwritten", event.layer);
    }
    return written ? "" : "not visible in the image";
  }

  const ImageView& image_;
  SecretSettings& settings_;
  bool names_;
  PathSelection allowed_;
  std::optional<PathSelection> files_;
  Counts listed_, searched_;
  std::vector<Sighting> sightings_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_key_;
  std::map<std::string, std::uint64_t, std::less<>> uncounted_;  // secrets of a file that got no finding
  std::vector<const FileSecret*> found_;
};

std::string place_text(const Sighting& sighting) {
  if (sighting.secret->line > 0) return fmt::format("line {}", sighting.secret->line);
  return fmt::format("byte {}", sighting.secret->offset);
}

/// The last layer that wrote it counts: who has that fate has lost all.
std::string fate_text(const Sighting& sighting) {
  const Place& last = sighting.places.back();
  if (last.fate.empty()) return "";
  return fmt::format(": {}, still published in layer {}", last.fate, last.inode.layer);
}

Finding report(const Sighting& sighting, SecretSettings& settings, const ImageView& image) {
  Finding finding;
  finding.subject = sighting.path;
  finding.layer = sighting.places.front().inode.layer;
  const Confidence confidence =
      sighting.secret == nullptr ? Confidence::low : settings.confidence_of(sighting.secret->detector);
  finding.confidence = confidence;
  if (sighting.secret == nullptr) {
    finding.kind = "credential-file";
    finding.message = fmt::format("{} holds {}{}", sighting.path, sighting.what, fate_text(sighting));
    finding.details.push_back(fmt::format("confidence: {}", to_string(confidence)));
  } else {
    const FileSecret& secret = *sighting.secret;
    const bool published = is_published_value(secret.value);
    finding.kind = is_never(secret) ? "never" : is_sample(sighting.path, secret) ? "sample" : "secret";
    if (finding.kind == "sample") finding.severity = Severity::note;
    finding.message =
        fmt::format("{} stands in {}, {}{}", sighting.what, sighting.path, place_text(sighting), fate_text(sighting));
    finding.content = std::make_shared<const SecretContent>(secret.value);
    if (const auto expires = expiry_of(secret.detector, secret.value, secret.excerpt)) {
      finding.message += ": " + settings.expiry_text(*expires);
      if (!is_never(secret) && settings.was_over(*expires)) finding.severity = Severity::note;
    }
    if (published) finding.details.push_back("everybody has it, with a public library");
    finding.details.push_back(
        fmt::format("value: {} bytes at byte {}, {}", secret.length, secret.offset, secret.detector));
    finding.details.push_back(fmt::format("confidence: {}", to_string(confidence)));
    if (!secret.name.empty()) finding.details.push_back("name: " + secret.name);
    if (const std::string id = settings.id_of(secret.value); !id.empty()) finding.details.push_back("value id: " + id);
    if (!secret.excerpt.empty()) finding.details.push_back(secret.excerpt);
  }
  for (std::size_t i = 0; i < std::min(most_copies, sighting.places.size()); ++i) {
    const Place& place = sighting.places[i];
    if (sighting.places.size() == 1 && place.fate.empty()) break;
    finding.details.push_back(layer_text(image, place.inode.layer) +
                              (place.fate.empty() ? "" : " (" + place.fate + ")"));
  }
  finding.remedy =
      "rotate the credential, for whoever has the image has it; give it to the build by a secret mount, or leave the "
      "file out of the build context, and build the layer again: deleting it in a later layer does not help";
  return finding;
}

/// A detector whose text is known only now (a variable is in it) was not there when the layers were read.
void require_detectors(const Params& with, const ImageView& image, Answer& answer) {
  for (const ExtraDetector& detector : file_detectors(with))
    for (const LayerIndex& layer : image.scanned().facts.layers())
      if (layer.counts.scanned_files > 0 && std::ranges::find(layer.detectors, detector) == layer.detectors.end()) {
        answer.could_not(fmt::format("detector '{}' was not searched for: no variable may stand in it", detector.id));
        return;
      }
}

void check(const Params& with, const ImageView& image, Answer& answer) {
  SecretSettings settings(with, image, file_detectors(with));
  require_detectors(with, image, answer);
  Search search(with, image, settings);
  search.run();
  if (image.pending()) return;
  for (const FileSecret* const secret : search.found()) answer.hide(secret->value);
  std::vector<std::string_view> values;
  for (const Sighting& sighting : search.sightings())
    if (sighting.secret != nullptr) values.push_back(sighting.secret->value);
  settings.make_ids(values);
  for (const Sighting& sighting : search.sightings()) answer.finding(report(sighting, settings, image));
  for (const auto& [path, count] : search.uncounted()) {
    Finding finding;
    finding.kind = "secret";
    finding.subject = path;
    finding.message = fmt::format("{} holds {} more secrets", path, count);
    finding.remedy = "look at the first ones";
    answer.finding(std::move(finding));
  }
  const auto listed = search.listed(), searched = search.searched();
  answer.covered("files searched for secrets", listed.files, searched.files);
  answer.covered("bytes of files searched for secrets", listed.bytes, searched.bytes);
  answer.evidence(
      fmt::format("{} files of {} layers searched, {} bytes", searched.files, image.layers().size(), searched.bytes));
  if (const std::string left = settings.left_out_text(); !left.empty()) answer.evidence(left);
  if (listed.files > 0 || !with.has("files") || with.flag("allow_empty")) return;
  Finding missing;
  missing.kind = "missing";
  missing.subject = with.paths("files").text;
  missing.message = "no file of any layer matches, so that none was searched";
  answer.finding(std::move(missing));
}

}  // namespace

extern const Rule file_secrets;
const Rule file_secrets{
    .doc = {.id = "file-secrets",
            .summary = "No secret stands in the files of any layer.",
            .details = R"(Every byte of every regular file goes by the search, in every layer: also of files that a
later layer deletes or overwrites, for they are published all the same, of binaries and of files of any size.
The finding says in which layer the file is and what became of it.

Found are the forms of tokens and keys that `history-secrets` knows, private keys by what they are and not by the
name of their file, passwords in addresses and connection strings, and keys by which web frameworks sign. In files in which programs keep logins (`.npmrc`, `.pypirc`, `.env`,
`.docker/config.json`, `pip.conf`, `/etc/apt/auth.conf`, `.git/config`, kubeconfig, `/etc/shadow`, …) also values whose
names say that they are secrets. UTF-16 with a byte order mark is text too. Files that hold nothing but credentials
(`.netrc`, `.git-credentials`, `.aws/credentials`, shell histories, `/run/secrets`, …) are findings by their names when
they are not empty, unless `names` is false.

What stands in tests, examples and documents or behind words that introduce an example (`e.g. …`, `"example": …`),
addresses and signed tokens in comments of a program's source, short words for passwords in addresses there, and keys that libraries publish with their tests, are
findings of the kind `sample` and a note: only their authors can tell them from real ones.

`never` lists variables to which no file may give a value (`NAME=value` in scripts, Dockerfiles and files of variables,
`"NAME": "value"`, `ENV NAME value`), whatever it looks like; a reference to another variable is none, and no `allow`
counts for them. Until when a token or a signed address is good, by its own words, is said, and it is a note when that
was over before the image was made; nobody is asked.

A finding says how sure it is: `certain` (a private key, decoded, or a variable of `never`), `high` (a form that a vendor
gives to nothing else), `medium` (by what stands beside it: a name, an option, an address) or `low` (a file by its name).
What is less sure than `min_confidence` is no finding; the evidence counts it.

`allow` names variables whose values are fine, `allow_values` single values by their ids, `allow_files` and
`allow_layers` files and layers. `known` adds detectors. A value is never shown; its id is that of `history-secrets`
when both have the same `salt`.

Limits: archives within layers (jar, whl, zip) are not opened. Text in UTF-16 without a mark is not decoded. A value
that is encoded (base64 of a token) is found where the encoding has a known form.)",
            .severity = Severity::error,
            .security = "8.5",
            .since = "0.1",
            .params = params,
            .kinds = kinds,
            .examples = examples},
    .plan = plan,
    .check = check};

}  // namespace ocilint::rules
