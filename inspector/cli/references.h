// Which images a run of `check` is about: REF…, --images-from FILE|-, --tags docker://HOST/NAME with --match REGEX.
//
// A list names one reference a line; lines that begin with # are comments. A repository is listed once, in an order of
// our own; the pattern must match the whole tag. Throws Error{usage} for a wrong call. That a
// repository cannot be listed, or has no such tag, hides nothing: it is an error in the place of its images.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "run/run.h"

namespace CLI {
class App;
}

namespace ocilint::cli {

struct ReferenceArguments {
  std::vector<std::string> named, repositories;
  std::string images_from, match;
};

struct References {
  std::vector<std::string> images;
  std::vector<std::pair<std::string, Error>> unlisted;  // repositories, and why
};

void add_reference_options(CLI::App& app, ReferenceArguments& arguments);

/// Nothing is read; Error{usage} when no image is named at all, or standard input twice.
void verify(const ReferenceArguments& arguments, const std::vector<std::string>& others);
/// What the arguments name, before it is looked up.
std::vector<std::string> unread_names(const ReferenceArguments& arguments);
/// Reads the list and asks registries.
References gather(const ReferenceArguments& arguments, const std::vector<std::string>& others,
                  const RegistryOptions& registry);

}  // namespace ocilint::cli
