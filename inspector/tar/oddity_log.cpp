#include "tar/oddity_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocilint::tar {

void OddityLog::add(std::string_view id, std::string_view subject, std::string text) {
  auto found = std::ranges::find(counts_, id, &Count::id);
  if (found == counts_.end()) found = counts_.insert(found, {id, 0});
  if (++found->count > listed) return;
  oddities_.push_back({.id = id, .subject = std::string(subject), .text = std::move(text)});
}

void OddityLog::finish() {
  for (const Count& count : counts_)
    if (count.count > listed)
      oddities_.push_back(
          {.id = count.id, .subject = {}, .text = fmt::format("{} more like these", count.count - listed)});
  counts_.clear();
}

}  // namespace ocilint::tar
