// The two parts of a survey (run/survey.h) that walk the whole tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/image_view.h"
#include "run/result.h"
#include "run/survey.h"

namespace ocilint {

/// Where the name that a finding is about stands: links in its parent folders followed. Unset when it is about
/// no path, or one that no layer ever had.
std::optional<std::string> place_of(const MergedTree& tree, std::string_view subject);

void survey_sizes(const Scanned& scanned, const std::vector<CheckResult>& checks, ImageSurvey& out);
void survey_stories(const Scanned& scanned, std::vector<CheckResult>& checks, ImageSurvey& out);

}  // namespace ocilint
