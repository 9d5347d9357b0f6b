#include "run/tagged_images.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/pattern.h"
#include "source/tags.h"

namespace ocilint {
namespace {

Pattern whole_tag(const std::string& text) {
  try {
    (void)Pattern::compile(text);  // alone, so that no bracket of it closes ours
    return Pattern::compile("^(?:" + text + ")$");
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, fmt::format("--match {}: {}", text, error.what()));
  }
}

}  // namespace

void verify_tag_pattern(const std::string& pattern) { (void)whole_tag(pattern); }

std::vector<std::string> tagged_images(const std::string& repository, const std::string& pattern,
                                       const RegistryOptions& registry) {
  std::vector<std::string> out;
  const Pattern wanted = whole_tag(pattern.empty() ? ".*" : pattern);
  const std::vector<std::string> tags = list_tags(repository, registry);
  for (const std::string& tag : tags)
    if (wanted.found_in(tag)) out.push_back(repository + ":" + tag);
  if (tags.empty()) throw Error(ErrorKind::usage, "the repository has no tag");
  if (out.empty())
    throw Error(ErrorKind::usage, fmt::format("none of {} tags matches --match {}", tags.size(), pattern));
  return out;
}

}  // namespace ocilint
