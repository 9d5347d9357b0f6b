// `ocilint blame` as text and JSON. Pure.
#pragma once

#include <string>

#include "look/blame.h"
#include "report/look_head.h"

namespace ocilint {

std::string write_blame_text(const Blame& blame, const LookStyle& style);
std::string write_blame_json(const Blame& blame);

}  // namespace ocilint
