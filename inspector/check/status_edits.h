// Changes of dpkg's status file that dpkg did not make, layer by layer.
//
// A package whose relations differ between two layers although its version is the same; and a package that came,
// went or changed its version in a layer in which its own list was not written. dpkg always writes the list then,
// while apt-mark, dpkg --set-selections and dpkg --configure change other words of the file. Reads the versions of
// status that later layers hide; a version that cannot be parsed is passed over. Pure. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/image_view.h"
#include "check/package_db.h"
#include "check/package_history.h"

namespace ocilint {

struct StatusEdit {
  std::uint32_t layer;
  std::string package;  // "libx", "libx:i386" of an architecture that is not the native one
  std::string what;     // "Depends without a new version"
  std::string before, after;
};

struct StatusEdits {
  std::vector<StatusEdit> edits;
  std::size_t compared = 0;           // pairs of versions of the file
  std::vector<std::string> problems;  // versions that cannot be read: what they changed is not known
};

StatusEdits find_status_edits(const ImageView& image, PackageHistory& history);

}  // namespace ocilint
