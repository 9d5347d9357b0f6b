#include "check/program_lookup.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/mode.h"
#include "check/selection.h"

namespace ocilint {
namespace {

constexpr std::uint32_t any_execute = 0111;

/// Why the file at a path is not what runs; "" when it is.
std::string refusal(const ImageView& image, const Resolution& at) {
  switch (at.status) {
    case Resolution::Status::found: break;
    case Resolution::Status::missing:
      return at.dangling() ? "a link that leads to " + at.path + ", which does not exist" : "not there";
    case Resolution::Status::loop: return "a loop of symbolic links";
    case Resolution::Status::not_a_directory: return at.path + " is no folder";
  }
  const Node& node = image.tree()[at.node];
  if (node.type != EntryType::file) return fmt::format("a {}, not a regular file", to_string(node.type));
  if ((node.mode & any_execute) == 0) return "mode " + mode_text(node.mode) + ", nobody may execute it";
  return {};
}

bool take(const ImageView& image, const std::string& path, ProgramLookup& lookup) {
  const Resolution at = image.resolve(path);
  const std::string why = refusal(image, at);
  if (!why.empty()) {
    lookup.tried.push_back(path + ": " + why);
    const auto touched = last_touched(image, at.path);
    if (touched > lookup.layer) lookup.layer = touched;
    return false;
  }
  lookup.path = at.path;
  const InodeId inode = image.tree()[at.node].inode;
  lookup.layer = inode.created() ? std::optional(inode.layer) : std::nullopt;
  return true;
}

}  // namespace

ProgramLookup find_program(const ImageView& image, std::string_view word, std::string_view path_list,
                           std::string_view working_dir) {
  ProgramLookup lookup;
  if (word.find('/') != std::string_view::npos) {
    std::string path(word);
    if (!path.starts_with('/')) path = fmt::format("{}/{}", working_dir.empty() ? "" : working_dir, word);
    (void)take(image, path, lookup);
    return lookup;
  }
  for (std::size_t begin = 0; begin <= path_list.size();) {
    const std::size_t end = std::min(path_list.find(':', begin), path_list.size());
    const std::string_view folder = path_list.substr(begin, end - begin);
    begin = end + 1;
    if (!folder.starts_with('/')) continue;
    if (take(image, fmt::format("{}/{}", folder, word), lookup)) return lookup;
  }
  return lookup;
}

}  // namespace ocilint
