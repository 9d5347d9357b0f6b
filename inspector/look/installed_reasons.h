// Why apk, rpm, pip or npm has a package: who asks for it, the chain that leads to it, and what its manager makes of
// that. Part of `ocilint packages`, beside package_reasons.h for dpkg.
//
// Pure functions of the view; throw what it throws and Error{limit} of package_graph.h. What could not be read, so that
// somebody who asks may be missing, goes into `unread`. Cost: a walk over all relations for each link of a chain.
#pragma once

#include <string>
#include <vector>

#include "check/image_view.h"
#include "look/packages.h"

namespace ocilint {

/// `name` or `name:arch`; of every manager and place that has it. Empty: none has.
std::vector<PackageReason> installed_reasons(const ImageView& view, const std::string& name,
                                             std::vector<std::string>& unread);

}  // namespace ocilint
