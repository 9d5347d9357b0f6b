// The tags of a repository of a registry, docker://HOST/NAME (OCI distribution-spec, "Listing tags").
//
// In an order of our own, whatever the registry's is: by bytes, but numbers by their value, so that 7.10 follows 7.9.
// Throws Error{usage} for what is no repository, and what registries throw: a list that is not whole is an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/registry_options.h"

namespace ocilint {

/// A total order: equal only for equal texts.
bool tag_before(std::string_view left, std::string_view right);

std::vector<std::string> list_tags(std::string_view repository, const RegistryOptions& options);

}  // namespace ocilint
