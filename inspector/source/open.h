// Reference -> Source. The only place that knows every transport.
//
// Bare paths: a directory with oci-layout or index.json is `oci:`, one with manifest.json and version is
// `dir:`; a file is looked into (its outer compression undone first). Throws Error{usage, not_found,
// corrupt} and what registries throw. A bare name is a registry's only when it begins with a host and no such file is
// there: nothing is asked of a network for a mistyped path.
#pragma once

#include <memory>

#include "oci/reference.h"
#include "source/registry_options.h"
#include "source/image_store.h"

namespace ocilint {

std::unique_ptr<ImageStore> open_source(const Reference& reference, const RegistryOptions& options = {});

}  // namespace ocilint
