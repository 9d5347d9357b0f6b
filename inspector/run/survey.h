// What a picture of an image is drawn from: what its layers do to each other, the merged tree by size, and the
// stories of the files that findings are about. Made only when a report that draws is asked for.
//
// Values without pointers into other stages; strings are raw bytes of the image, redact() has to see them before
// they leave the run. An inode counts once, at the first of its names. The tree is cut down to what can be seen:
// most_surveyed_tiles, each at least a ten-thousandth of the whole; what is smaller stands in one rest a folder.
// survey() reads nothing but what was read already; throws nothing but bad_alloc. Cost: O(names · depth).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/layer_use.h"

namespace ocilint {

struct Scanned;
struct CheckResult;

inline constexpr std::size_t most_surveyed_tiles = 2'500;  // more cannot be told apart on a screen
inline constexpr std::size_t most_surveyed_stories = 100;  // of findings, in the order of the checks
inline constexpr std::size_t most_surveyed_names = 12;     // of one story
inline constexpr std::size_t most_surveyed_hidden = 20;

struct SizeNode {
  static constexpr std::uint32_t none = ~0u;

  std::string path;
  bool folder = false;
  bool rest = false;        // several names of the folder `path`, together
  std::uint64_t bytes = 0;  // of contents, here and below
  std::size_t files = 0;    // names of files, here and below
  std::uint32_t parent = none;
  std::uint32_t layer = 0;               // that most of the bytes come from
  std::uint32_t package = none;          // that owns most of the bytes, of ImageSurvey::packages
  std::optional<std::uint8_t> severity;  // the worst of the findings here and below
};

enum class StoryDeed : std::uint8_t { wrote, linked, removed, hidden };  // Deed of tree/merged_tree.h

struct StoryEvent {
  std::uint32_t layer = 0;
  StoryDeed deed = StoryDeed::wrote;
  std::uint32_t inode = SizeNode::none;  // 0, 1, … within the story; none after removed and hidden
};

struct StoryName {
  std::string path;
  std::string link;                // target, when it is a symbolic link in the end
  std::vector<StoryEvent> events;  // base first
};

/// The subject of a finding first, then the names that ever were one file with it.
struct NameStory {
  std::vector<StoryName> names;
  std::size_t more_names = 0;
};

struct ImageSurvey {
  std::vector<LayerUse> layers;
  std::uint64_t content_bytes = 0, hidden_bytes = 0;
  double score = 1;                   // of efficiency
  std::vector<HiddenPath> hidden;     // the biggest
  std::vector<SizeNode> sizes;        // parents before children, the root first
  bool packages_known = false;        // some check read a package database
  std::vector<std::string> packages;  // the biggest first
  std::vector<NameStory> stories;     // ReportedFinding::story
  std::size_t stories_left_out = 0;
};

/// Enters into the findings of `checks` which story is theirs.
ImageSurvey survey(const Scanned& scanned, std::vector<CheckResult>& checks);

/// Without findings.
ImageSurvey survey(const Scanned& scanned);

}  // namespace ocilint
