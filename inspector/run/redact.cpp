#include "run/redact.h"

#include <algorithm>
#include <memory>
#include <set>

#include "check/document_texts.h"
#include "facts/secret_values.h"

namespace ocilint {
namespace {

constexpr std::size_t ellipsis = 3;  // bytes: a rule may have cut the text behind a mark

/// A rule has put a mark there already: what follows it is left, and whether that is nothing is told.
bool skip_mark(std::string_view text, SecretHit& hit) {
  constexpr std::string_view before = "[secret, ", after = " bytes]";
  std::size_t at = hit.begin;
  if (!text.substr(at).starts_with(before)) return false;
  at += before.size();
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  if (!text.substr(at).starts_with(after)) return false;
  hit.begin = std::min(hit.end, at + after.size());
  return hit.end - hit.begin <= ellipsis;
}

class Redactor {
 public:
  Redactor(std::span<const Image* const> images, std::vector<std::string> never, const Redaction& more)
      : query_{std::move(never), {}} {
    if (!more.known.empty()) {
      detectors_ = std::make_unique<const DetectorSet>(more.known);
      query_.detectors = detectors_.get();
    }
    for (const std::string& value : more.hidden) values_.add(value);
    for (const Image* const image : images) {
      for (const DocumentText& text : texts_of(*image).texts) {
        for (const SecretHit& hit : find_secrets(text, query_)) {
          values_.add(hit.value);
          values_.add(std::string_view(text.text).substr(hit.begin, hit.end - hit.begin));
        }
      }
    }
    values_.freeze();
  }

  void operator()(std::string& text) const {
    std::vector<SecretHit> hits;
    values_.find_in(text, hits);
    for (SecretHit& hit : find_secrets_in_any_form(text, query_))
      if (!skip_mark(text, hit)) hits.push_back(std::move(hit));
    if (!hits.empty()) text = masked(text, united(std::move(hits)));
  }

  void operator()(std::vector<std::string>& texts) const {
    for (std::string& text : texts) (*this)(text);
  }

  void operator()(ReportedFinding& reported) const {
    reported.finding.content.reset();
    (*this)(reported.finding.subject);
    (*this)(reported.finding.message);
    (*this)(reported.finding.details);
    (*this)(reported.finding.remedy);
    (*this)(reported.layer_name);
    (*this)(reported.created_by);
  }

 private:
  std::unique_ptr<const DetectorSet> detectors_;  // null: the standard ones
  SecretQuery query_;
  SecretValues values_;
};

/// A name that holds a secret with a slash stands in its folders too, in parts.
template <typename Redact>
void redact_sizes(std::vector<SizeNode>& sizes, const Redact& redact_text) {
  for (std::size_t i = sizes.size(); i > 0; --i) {
    SizeNode& node = sizes[i - 1];
    std::string safe = node.path;
    redact_text(safe);
    if (safe == node.path) continue;
    const auto differ = std::ranges::mismatch(node.path, safe).in1 - node.path.begin();
    for (std::uint32_t at = node.parent; at != SizeNode::none; at = sizes[at].parent)
      if (std::ssize(sizes[at].path) > differ && node.path.starts_with(sizes[at].path))
        sizes[at].path = node.path.substr(0, static_cast<std::size_t>(differ)) + "[part of a secret]";
    node.path = std::move(safe);
  }
}

template <typename Redact>
void redact_survey(ImageSurvey& survey, const Redact& redact_text) {
  redact_sizes(survey.sizes, redact_text);
  for (HiddenPath& hidden : survey.hidden) redact_text(hidden.path);
  redact_text(survey.packages);
  for (NameStory& story : survey.stories)
    for (StoryName& name : story.names) {
      redact_text(name.path);
      redact_text(name.link);
    }
}

/// Variables that a policy forbids and the image has: whatever their values look like, they are secrets.
std::vector<std::string> names_found(const ImageResult& result) {
  std::set<std::string> names;
  for (const CheckResult& check : result.checks)
    for (const ReportedFinding& reported : check.findings)
      if (check.rule == "history-secrets" && reported.finding.kind == "never") names.insert(reported.finding.subject);
  return {names.begin(), names.end()};
}

}  // namespace

void redact(ImageResult& result, std::span<const Image* const> images, const Redaction& more) {
  const Redactor redact_text(images, names_found(result), more);
  redact_text(result.reference);
  redact_text(result.full_reference);
  redact_text(result.platform);
  for (OtherImageResult& other : result.others) {
    redact_text(other.reference);
    redact_text(other.full_reference);
    redact_text(other.platform);
  }
  if (result.unreadable) {
    std::string why = result.unreadable->what();
    redact_text(why);
    result.unreadable = Error(result.unreadable->kind(), std::move(why));
  }
  for (LayerResult& layer : result.layers) {
    redact_text(layer.name);
    redact_text(layer.created_by);
    redact_text(layer.shared_with);
  }
  for (GateResult& gate : result.gates) redact_text(gate.text);
  for (CheckResult& check : result.checks) {
    for (ReportedFinding& finding : check.findings) redact_text(finding);
    for (Evidence& evidence : check.evidence) {
      redact_text(evidence.text);
      redact_text(evidence.path);
    }
    redact_text(check.errors);
    redact_text(check.reason);
    redact_text(check.why);
  }
  if (result.survey) redact_survey(*result.survey, redact_text);
  redact_text(result.unused_waivers);
  redact_text(result.expired_waivers);
  for (Coverage& coverage : result.ledger.covered) redact_text(coverage.what);
}

RedactText redactor(std::span<const Image* const> images) {
  const auto replace = std::make_shared<const Redactor>(images, std::vector<std::string>(), Redaction());
  return [replace](std::string& text) { (*replace)(text); };
}

RedactText redactor(const ImageResult& result, std::span<const Image* const> images, const Redaction& more) {
  const auto replace = std::make_shared<const Redactor>(images, names_found(result), more);
  return [replace](std::string& text) { (*replace)(text); };
}

}  // namespace ocilint
