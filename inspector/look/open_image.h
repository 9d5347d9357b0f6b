// The way of every verb that looks at an image: opened, resolved, and whatever leaves it without secrets.
//
// with_image() hands the image to `body`, which reads layers only when it needs them. What is thrown on the
// way (of the source, of a layer, of `body`) is thrown on with the values of secrets replaced. Of the options
// reference, platform, view, jobs, limits, registry and progress count. One thread, but for the reading of
// layers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "run/read_image.h"
#include "run/redact.h"

namespace ocilint {

/// Which image a verb looked at.
struct LookedAt {
  std::string reference;       // as asked for
  std::string full_reference;  // with transport and what was chosen
  std::string manifest_digest;
  std::string platform;
  std::size_t layers = 0;
  std::uint64_t stored_bytes = 0;  // of layers whose size is stated
};

using LookBody = std::function<void(ReadImage& image, const RedactText& redact)>;

void with_image(const RunOptions& options, const LookBody& body);

LookedAt describe_image(const RunOptions& options, const Image& image, const RedactText& redact);

/// Every header of every layer, merged, and the facts that `demand` asks for.
void read_all(ReadImage& image, const RunOptions& options, Demand& demand);

}  // namespace ocilint
