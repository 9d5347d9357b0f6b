// Images against policies: the whole pipeline (docs/architecture.md has the picture).
//
// Throws nothing but bad_alloc: an image that cannot be read is a result that says so and hides no other, and so is a
// policy that does not fit it. Deterministic: the same image, policies and date give the same result, alone or among
// others. Reads layers with `jobs` threads; writes nothing (a stream or a compressed archive is spooled by its Source).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "policy/expand.h"
#include "policy/policy.h"
#include "run/read_layers.h"
#include "run/redact.h"
#include "run/result.h"
#include "source/image_store.h"
#include "source/registry_options.h"

namespace ocilint {

struct RunOptions {
  std::string reference;
  std::optional<Platform> platform;
  bool every_platform = false;   // a result for each platform of a reference; `platform` is not looked at then
  std::vector<Policy> policies;  // none: only the built-in checks
  Overrides overrides;
  View view = View::overlay;
  unsigned jobs = 1;
  std::chrono::sys_days today{};
  std::vector<std::string> only, skip;                     // check ids
  std::map<std::string, std::string, std::less<>> others;  // images to compare with: name, reference
  bool strict_waivers = false;                             // an unused or expired waiver fails the image
  ImageLimits limits;
  RegistryOptions registry;
  OnProgress progress;
  std::function<void(const std::string& name)> begins = {};  // an image, before a layer of it is read
  /// Opens every image in place of source/open.h: images that are nowhere but in memory.
  std::function<std::unique_ptr<ImageStore>(const std::string& reference)> open = {};
  bool survey = false;  // what a report that draws needs beside the answers
};

/// Takes a result when it is there. `last` of its reference: with every_platform one reference has several.
using OnResult = std::function<void(ImageResult result, bool last)>;

/// One after the other, in order, each with its own verdict. Layers that several have are read once.
void check_images(const RunOptions& options, std::span<const std::string> references,
                  std::span<const Rule* const> rules, const OnResult& done);

/// options.reference alone.
ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules);

/// What somebody else asks of the image in the pass of a run. `look` is a pure function of the view, begun anew until
/// nothing is missing (settle()); what it throws makes the image unreadable. `done` gets the redaction of the run.
struct Beside {
  std::function<void(Plan& plan)> plan;
  std::function<void(const ImageView& view)> look;
  std::function<void(const RedactText& redact)> done;
};
ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules, const Beside& beside);

/// The same over a source that is open already (tests; several references into one archive).
ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules, Source& source);

/// As the options open images: by source/open.h unless they say otherwise. Throws what that throws.
std::unique_ptr<ImageStore> open_source(const RunOptions& options, const std::string& reference);

/// What is said of an image that was not checked to the end, for a reason outside of it (the time is over).
ImageResult unread(const RunOptions& options, const std::string& reference, Error why);

}  // namespace ocilint
