// Files in which programs keep credentials, by their names.
//
// Two kinds: one that is nothing but credentials, so that its being in an image is the finding, and one that may
// hold some among other things (`.npmrc`, `pip.conf`, `.git/config`, `/etc/shadow`), so that its contents decide,
// with every detector (SecretScope::credential_file). The table is in the .cpp. Pure; thread safe; a look-up of the
// name, and of the folder for some.
#pragma once

#include <string_view>

namespace ocilint {

/// Do all detectors run on the contents of this file?
bool may_hold_credentials(std::string_view path);

/// What a file of this name is when it is not empty: "the passwords of the git command"; "" for others.
std::string_view kept_credentials(std::string_view path);

}  // namespace ocilint
