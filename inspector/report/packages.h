// `ocilint packages` as text and JSON. Pure.
#pragma once

#include <string>

#include "look/packages.h"
#include "report/look_head.h"

namespace ocilint {

std::string write_packages_text(const PackagesLook& look, const LookStyle& style);
std::string write_packages_json(const PackagesLook& look);

}  // namespace ocilint
