// The images that a repository of a registry has under its tags, as references for a run.
//
// In the order of source/tags.h. The pattern (RE2) must match a tag from end to end; empty matches all. Throws what
// registries throw, and Error{usage} for a repository that has no such tag: nothing to check is no pass.
#pragma once

#include <string>
#include <vector>

#include "source/registry_options.h"

namespace ocilint {

std::vector<std::string> tagged_images(const std::string& repository, const std::string& pattern,
                                       const RegistryOptions& registry);

/// Error{usage} for a pattern that does not compile.
void verify_tag_pattern(const std::string& pattern);

}  // namespace ocilint
