// --baseline and --write-baseline: the file of a Baseline (run/baseline.h).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "run/baseline.h"

namespace ocilint::cli {

/// Throws Error{usage, policy}: it is part of the call.
Baseline read_baseline(const std::string& file);

/// Together with an old one it only ever gets shorter. Where not every image could be evaluated the file stays as it
/// is, which is said on standard error. False when it could not be written.
bool write_baseline(const std::string& file, const std::optional<Baseline>& old, std::span<const ImageResult> results);

}  // namespace ocilint::cli
