#include "run/survey.h"

#include "base/path.h"
#include "check/canonical_paths.h"
#include "check/efficiency.h"
#include "run/survey_parts.h"

namespace ocilint {

std::optional<std::string> place_of(const MergedTree& tree, std::string_view subject) {
  if (!subject.starts_with('/') || subject == "/") return std::nullopt;
  std::string path = CanonicalPaths(tree).of(normalise(subject).path);
  if (tree.story(path).empty()) return std::nullopt;
  return path;
}

ImageSurvey survey(const Scanned& scanned, std::vector<CheckResult>& checks) {
  ImageSurvey out;
  if (scanned.tree == nullptr) return out;
  Efficiency efficiency = measure_efficiency(scanned.facts.indexes(), *scanned.tree);
  out.layers = std::move(efficiency.layers);
  out.content_bytes = efficiency.content_bytes;
  out.hidden_bytes = efficiency.hidden_bytes;
  out.score = efficiency.score();
  if (efficiency.hidden.size() > most_surveyed_hidden) efficiency.hidden.resize(most_surveyed_hidden);
  out.hidden = std::move(efficiency.hidden);
  survey_sizes(scanned, checks, out);
  survey_stories(scanned, checks, out);
  return out;
}

ImageSurvey survey(const Scanned& scanned) {
  std::vector<CheckResult> none;
  return survey(scanned, none);
}

}  // namespace ocilint
