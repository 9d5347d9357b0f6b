// Why apt keeps a package, who asks for it, and how one that is gone went. Part of `ocilint packages`.
//
// Throws what the view throws, Error{corrupt, limit} of AptUniverse, and Error{usage} for a package that no layer
// knows. Pure functions of the view. Cost: a mark and sweep for each link of the chain.
#pragma once

#include <string>
#include <vector>

#include "check/apt_autoremove.h"
#include "check/image_view.h"
#include "look/packages.h"

namespace ocilint {

std::string keeps_text(AptLevel level);

/// `name` or `name:arch`; of every architecture that has it.
std::vector<PackageReason> reasons_of(const ImageView& view, const AptOptions& options, const std::string& name);

}  // namespace ocilint
