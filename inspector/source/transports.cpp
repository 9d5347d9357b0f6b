#include "source/transports.h"

#include <filesystem>

namespace ocilint {

std::vector<ListedImage> StoredSource::every() const {
  std::vector<ListedImage> out;
  for (const Choice* const choice : every_choice(choices(), reference()))
    out.push_back({choice->platform, choice->digest});
  return out;
}

StoredAt stored_below(const std::string& path) {
  if (path == "-") return {};
  std::error_code problem;
  const std::filesystem::path whole = std::filesystem::canonical(path, problem);
  return {problem ? std::string() : whole.string(), {}};
}

}  // namespace ocilint
