// `ocilint inspect` as text, as JSON and as a page. Pure; strings of an Inspection are raw bytes without secrets.
#pragma once

#include <string>

#include "look/inspect.h"
#include "report/look_head.h"

namespace ocilint {

/// Of each list the first `most`; 0: all.
std::string write_inspect_text(const Inspection& look, const LookStyle& style, std::size_t most);
std::string write_inspect_json(const Inspection& look);
std::string write_inspect_html(const Inspection& look);  // a whole page; with the survey of its result

}  // namespace ocilint
