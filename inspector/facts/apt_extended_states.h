// var/lib/apt/extended_states: which packages apt installed only because others needed them.
//
// No stanza, and `Auto-Installed: 0`, mean manual; of several stanzas for one package any positive one wins. A
// stanza without Architecture is for any. Error{corrupt}: what deb822.h refuses, a stanza without Package.
// Error{limit}: limits.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts/notes.h"

namespace ocilint {

struct AptExtendedStates {
  struct Entry {
    std::string name;
    std::string architecture;  // empty: any
    bool automatic = false;
  };
  std::vector<Entry> entries;  // sorted by name and architecture, each pair once
  Notes notes;

  static AptExtendedStates parse(std::string_view text);

  /// `architecture` of a package that is "all" is the native one here: apt writes it so.
  bool automatic(std::string_view name, std::string_view architecture) const;
};

}  // namespace ocilint
