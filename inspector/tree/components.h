// The components of a path that is still to be walked, with link targets put in front of what is left.
//
// next() skips empty components and `.`; `..` is handed out, since only the walker knows where it stands.
// follow() counts: a walk of more than link_hops links, or through a target that
// Linux could not hold, is a loop. Holds views; allocates only when links are followed. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocilint {

inline constexpr int link_hops = 40;  // Linux's own bound (MAXSYMLINKS)

/// What a build may spend on following links: hostile layers can send every entry through forty long ones.
/// Real images follow some ten thousand links of some ten bytes.
struct LinkBudget {
  std::uint64_t bytes = 1ull << 30;

  void spend(std::size_t count) {
    if (count > bytes) throw Error(ErrorKind::limit, "more than 1 GiB of symbolic links to follow in the layers");
    bytes -= count;
  }
};

class Components {
 public:
  /// Linux's PATH_MAX: no longer path or link target can exist. It bounds what one hostile link costs.
  static constexpr std::size_t longest = 4096;

  explicit Components(std::string_view path, LinkBudget* budget = nullptr) : now_(path), budget_(budget) {}

  std::optional<std::string_view> next() {
    for (;;) {
      while (!now_.empty() && now_.front() == '/') now_.remove_prefix(1);
      if (now_.empty()) {
        if (later_.empty()) return std::nullopt;
        now_ = later_.back();
        later_.pop_back();
        continue;
      }
      const std::size_t end = now_.find('/');
      const std::string_view component = now_.substr(0, end);
      now_.remove_prefix(component.size());
      if (component != ".") return component;
    }
  }

  /// Is anything left but slashes and dots?
  bool more() const {
    if (something(now_)) return true;
    for (const std::string_view part : later_)
      if (something(part)) return true;
    return false;
  }

  /// The rest comes after `target`. False: that was one link too many.
  bool follow(std::string_view target) {
    if (++hops_ > link_hops || target.size() > longest) return false;
    if (budget_ != nullptr) budget_->spend(target.size());
    if (!now_.empty()) later_.push_back(now_);
    now_ = target;
    return true;
  }

 private:
  static bool something(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '/') continue;
      const bool dot = text[at] == '.' && (at + 1 == text.size() || text[at + 1] == '/');
      if (!dot) return true;
    }
    return false;
  }

  std::string_view now_;
  LinkBudget* budget_;
  std::vector<std::string_view> later_;
  int hops_ = 0;
};

}  // namespace ocilint
