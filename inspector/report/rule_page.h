// The page of a rule in Markdown, from its RuleDoc: what `ocilint explain` prints and docs/rules holds.
#pragma once

#include <string>

#include "check/rule.h"

namespace ocilint {

std::string rule_page(const Rule& rule);

std::string_view type_name(ParamType type);  // "list of strings"

}  // namespace ocilint
