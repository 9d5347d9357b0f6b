// What ELF files that no package owns need of packages: dpkg knows nothing of these needs, so nothing keeps the
// packages for their sake.
//
// Of a closure only the edges count that begin at a file without owner: what packages need of each other, their own
// dependencies say. The loader decides which file answers (check/loader.h); owners are found by canonical path.
// Facts that are still to come make the view pending. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/loader.h"
#include "check/package_db.h"
#include "check/selection.h"

namespace ocilint {

struct UnownedNeed {
  std::string file;                   // canonical, without owner
  std::string needed;                 // "libdw.so.1"
  std::string provider;               // canonical; empty: nothing in the image answers
  std::vector<std::uint32_t> owners;  // packages of the provider; empty: it has none either
  std::string chain;                  // from the root, when that is another file
  std::vector<std::string> search;    // where it was looked for, when nothing answers
};

struct UnownedNeeds {
  std::vector<UnownedNeed> needs;     // each file and name once
  std::vector<std::string> problems;  // what could not be told
  std::size_t roots = 0, owned = 0, not_elf = 0;
};

UnownedNeeds find_unowned_needs(const ImageView& image, const std::vector<Selected>& roots);

}  // namespace ocilint
