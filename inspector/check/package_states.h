// What dpkg's database itself says of its packages that makes a comparison of files weak: findings of package-files.
//
// A package without usable digests, one that dpkg did not finish with, a journal that was never merged; and for a
// package whose lists cannot be read an error of the check. Pure; throws nothing of its own.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "check/finding.h"
#include "check/image_view.h"
#include "check/package_db.h"

namespace ocilint {

/// `unverifiable`: files without a digest, by package; `unusable`: packages with a selected file.
void report_package_states(const ImageView& image, const PackageDb& db,
                           const std::map<std::uint32_t, std::size_t>& unverifiable,
                           const std::set<std::uint32_t>& unusable, Answer& answer);

}  // namespace ocilint
