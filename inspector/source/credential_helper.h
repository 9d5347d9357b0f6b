// Runs `docker-credential-NAME get`: the host on its standard input, JSON on its standard output.
//
// No shell; what it writes to standard error is dropped, since it may hold what it should not. Throws Error{auth}
// when it is not found, fails, takes too long, or answers for another host. nullopt: it knows nobody.
#pragma once

#include "source/credentials.h"

namespace ocilint {

std::optional<Credentials> ask_helper(const CredentialSettings& settings, const std::string& name,
                                      const std::string& host);

/// How hosts of auth files are compared: without scheme and path, one name for Docker Hub.
std::string auth_host(std::string text);

}  // namespace ocilint
