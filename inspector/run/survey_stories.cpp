#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "run/survey_parts.h"

namespace ocilint {
namespace {

StoryDeed deed_of(Deed deed) {
  switch (deed) {
    case Deed::wrote: return StoryDeed::wrote;
    case Deed::linked: return StoryDeed::linked;
    case Deed::removed: return StoryDeed::removed;
    case Deed::hidden: return StoryDeed::hidden;
  }
  return StoryDeed::hidden;
}

class Stories {
 public:
  Stories(const Scanned& scanned, ImageSurvey& out) : tree_(*scanned.tree), out_(out) {}

  void collect(std::vector<CheckResult>& checks) {
    for (CheckResult& check : checks)
      for (ReportedFinding& found : check.findings) {
        const auto place = place_of(tree_, found.finding.subject);
        if (!place) continue;
        const auto known = by_path_.find(*place);
        if (known != by_path_.end()) {
          found.story = known->second;
        } else if (out_.stories.size() < most_surveyed_stories) {
          found.story = static_cast<std::uint32_t>(out_.stories.size());
          by_path_.emplace(*place, *found.story);
          begin(*place);
        } else {
          ++out_.stories_left_out;
        }
      }
  }

  /// Every name that ever was bound to an inode of a story belongs to it.
  void find_names() {
    if (by_inode_.empty()) return;
    std::vector<NodeId> left = {MergedTree::root};
    while (!left.empty()) {
      const NodeId node = left.back();
      left.pop_back();
      if (tree_[node].type != EntryType::directory) {
        look_at(tree_.path(node));
        continue;
      }
      const std::vector<NodeId> children = tree_.children(node);
      left.insert(left.end(), children.rbegin(), children.rend());
    }
    for (const std::string& gone : tree_.removed_below("/")) look_at(gone);
    for (std::size_t i = 0; i < out_.stories.size(); ++i) number_by_age(out_.stories[i], numbers_[i]);
  }

 private:
  void begin(const std::string& path) {
    const auto story = static_cast<std::uint32_t>(out_.stories.size());
    out_.stories.emplace_back();
    numbers_.emplace_back();
    add_name(story, path, tree_.story(path));
    for (const auto& [inode, number] : numbers_[story]) by_inode_[inode].push_back(story);
  }

  void look_at(const std::string& path) {
    const std::vector<Event> events = tree_.story(path);
    std::set<std::uint32_t> stories;
    for (const Event& event : events)
      if (bound(event))
        if (const auto found = by_inode_.find(event.inode); found != by_inode_.end())
          stories.insert(found->second.begin(), found->second.end());
    for (const std::uint32_t story : stories) {
      NameStory& told = out_.stories[story];
      if (told.names.front().path == path) continue;
      if (told.names.size() == most_surveyed_names)
        ++told.more_names;
      else
        add_name(story, path, events);
    }
  }

  /// The oldest file is the first, whichever name was looked at first.
  static void number_by_age(NameStory& story, const std::map<InodeId, std::uint32_t>& numbers) {
    std::vector<std::uint32_t> by_age(numbers.size());
    std::uint32_t next = 0;
    for (const auto& [inode, number] : numbers) by_age[number] = next++;
    for (StoryName& name : story.names)
      for (StoryEvent& event : name.events)
        if (event.inode != SizeNode::none) event.inode = by_age[event.inode];
  }

  static bool bound(const Event& event) { return event.shows() && event.inode.created(); }

  void add_name(std::uint32_t story, const std::string& path, const std::vector<Event>& events) {
    StoryName& name = out_.stories[story].names.emplace_back();
    name.path = path;
    if (const auto node = tree_.find(path)) name.link = tree_[*node].link;
    auto& numbers = numbers_[story];
    for (const Event& event : events) {
      StoryEvent& told = name.events.emplace_back();
      told.layer = event.layer;
      told.deed = deed_of(event.deed);
      if (bound(event))
        told.inode = numbers.emplace(event.inode, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
  }

  const MergedTree& tree_;
  ImageSurvey& out_;
  std::unordered_map<std::string, std::uint32_t> by_path_;
  std::map<InodeId, std::vector<std::uint32_t>> by_inode_;
  std::vector<std::map<InodeId, std::uint32_t>> numbers_;  // by story
};

}  // namespace

void survey_stories(const Scanned& scanned, std::vector<CheckResult>& checks, ImageSurvey& out) {
  Stories stories(scanned, out);
  stories.collect(checks);
  stories.find_names();
}

}  // namespace ocilint
