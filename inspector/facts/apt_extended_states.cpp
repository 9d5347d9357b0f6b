#include "facts/apt_extended_states.h"

#include <algorithm>
#include <tuple>

#include "facts/deb822.h"
#include "facts/limits.h"
#include "facts/lines.h"

namespace ocilint {

AptExtendedStates AptExtendedStates::parse(std::string_view text) {
  require_text(text, status_bytes);
  AptExtendedStates states;
  Deb822Reader reader(text);
  for (Deb822Stanza stanza; reader.next(stanza);) {
    if (states.entries.size() == packages_most) limit_line(stanza.line(), "too many packages");
    Entry entry{std::string(stanza.value("Package")), std::string(stanza.value("Architecture"))};
    if (entry.name.empty()) corrupt_line(stanza.line(), "a stanza without Package");
    const auto value = stanza.value("Auto-Installed");
    // apt reads a number and asks whether it is positive.
    if (value.find_first_not_of("0123456789") == value.npos)
      entry.automatic = value.find_first_not_of('0') != value.npos;
    else
      add_note(states.notes, stanza.line(), "Auto-Installed of " + entry.name + " is no number");
    states.entries.push_back(std::move(entry));
  }
  auto& entries = states.entries;
  const auto key = [](const Entry& entry) { return std::tie(entry.name, entry.architecture); };
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kept != 0 && key(entries[kept - 1]) == key(entries[i])) {
      entries[kept - 1].automatic |= entries[i].automatic;
      continue;
    }
    if (kept != i) entries[kept] = std::move(entries[i]);
    ++kept;
  }
  entries.resize(kept);
  return states;
}

bool AptExtendedStates::automatic(std::string_view name, std::string_view architecture) const {
  auto at = std::lower_bound(entries.begin(), entries.end(), name,
                             [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
  for (; at != entries.end() && at->name == name; ++at)
    if (at->automatic && (at->architecture.empty() || at->architecture == architecture)) return true;
  return false;
}

}  // namespace ocilint
