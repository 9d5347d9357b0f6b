// Rows of `ocilint packages` for managers other than dpkg, and the words for states of files that all rows share.
//
// Pure functions of the view; throw what the view throws. What cannot be read goes into `unread`.
#pragma once

#include <string>
#include <vector>

#include "check/installed_packages.h"
#include "check/package_comparison.h"
#include "look/packages.h"

namespace ocilint {

inline constexpr Manager listed_managers[] = {Manager::apk, Manager::rpm, Manager::pacman, Manager::python,
                                              Manager::node};

/// Those beside dpkg whose packages name their files.
inline constexpr Manager owning_managers[] = {Manager::apk, Manager::rpm, Manager::python};

std::vector<ManagerLook> installed_rows(const ImageView& view, const PackagesQuestion& question,
                                        std::vector<std::string>& unread);

std::string state_text(FileState state);
bool is_different(FileState state);
bool is_missing(FileState state);

}  // namespace ocilint
