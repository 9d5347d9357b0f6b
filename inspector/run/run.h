// One image against policies: the whole pipeline (docs/architecture.md has the picture).
//
// check_image() throws nothing but bad_alloc: an image that cannot be read is a result that says so, and so is
// a policy that does not fit it. Deterministic: the same image, policies and date give the same result. Reads
// layers with `jobs` threads; writes nothing (a stream or a compressed archive is spooled by its Source).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/expand.h"
#include "policy/policy.h"
#include "run/read_layers.h"
#include "run/result.h"
#include "source/registry_options.h"

namespace ocilint {

struct RunOptions {
  std::string reference;
  std::optional<Platform> platform;
  std::vector<Policy> policies;  // none: only the built-in checks
  Overrides overrides;
  View view = View::overlay;
  unsigned jobs = 1;
  std::chrono::sys_days today{};
  std::vector<std::string> only, skip;  // check ids
  std::map<std::string, std::string, std::less<>> others;  // images to compare with: name, reference
  ImageLimits limits;
  RegistryOptions registry;
  OnProgress progress;
  bool survey = false;  // what a report that draws needs beside the answers
};

ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules);

/// The same over a source that is open already (tests; several references into one archive).
ImageResult check_image(const RunOptions& options, std::span<const Rule* const> rules, Source& source);

/// What is said of an image that was not checked to the end, for a reason outside of it (the time is over).
ImageResult unread(const RunOptions& options, Error why);

}  // namespace ocilint
