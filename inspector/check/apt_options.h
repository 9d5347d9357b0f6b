// What the image's apt.conf says about autoremove, and the architectures that apt and dpkg know of.
//
// Files as apt reads them: $APT_CONFIG of the image's environment, etc/apt/apt.conf.d by its naming rules and in the
// order of the names, then etc/apt/apt.conf. What cannot be read, and an #include, are problems: the answer may be
// another then. Options of a command line are in no file. Read-only values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"

namespace ocilint {

class AptConf;
class ImageView;

struct AptOptions {
  bool recommends = true;                  // APT::AutoRemove::RecommendsImportant
  bool suggests = true;                    // APT::AutoRemove::SuggestsImportant
  bool honour_hold = true;                 // not APT::Ignore-Hold
  std::vector<Pattern> never;              // APT::NeverAutoRemove
  std::vector<std::string> architectures;  // the native one first
  std::vector<std::string> files;          // that were read
  std::vector<std::string> problems;

  /// Files of an image; declared by Plan::packages().
  static AptOptions read(const ImageView& image);
  void take(const AptConf& conf);
  bool never_removed(std::string_view name) const;
};

}  // namespace ocilint
