// `ocilint diff` as text, JSON and a page. Pure.
#pragma once

#include <string>

#include "look/diff.h"
#include "report/look_head.h"

namespace ocilint {

/// `all`: every file and symbol, else the first of each group and how many more.
std::string write_diff_text(const ImageDiff& diff, const LookStyle& style, bool all = false);
std::string write_diff_json(const ImageDiff& diff);
std::string write_diff_html(const ImageDiff& diff);  // a whole page

}  // namespace ocilint
