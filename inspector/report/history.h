// `ocilint history` as text and JSON. Pure.
#pragma once

#include <string>

#include "look/history.h"
#include "report/look_head.h"

namespace ocilint {

/// `raw`: history lines as builders wrote them (still without secrets and control characters), unbroken.
std::string write_history_text(const ImageHistory& history, const LookStyle& style, bool raw = false);
std::string write_history_json(const ImageHistory& history);

}  // namespace ocilint
