// Who the user is to a registry: the files of engines and their credential helpers (containers-auth.json(5)).
//
// Files in their order, the first that knows wins. In a file: credHelpers of the host, then credsStore, then auths by
// prefix, the most specific first (host/a/b, host/a, host). A file that is not there is passed over unless it was
// named; one that cannot be understood is an error, not "nobody". A helper is run by name from the given folders,
// without a shell, for a bounded time. Nothing here is ever put into an error's text. Throws Error{auth, usage}.
// Thread safe.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ocilint {

struct Credentials {
  std::string user, password;
  std::string identity_token;  // instead of a password: to be exchanged (OAuth2)
};

struct CredentialSettings {
  std::string named_file;                       // --authfile: must be there
  std::vector<std::string> files;               // in the order in which they are asked
  std::optional<Credentials> given;             // --creds
  bool nobody = false;                          // --no-creds
  std::vector<std::string> helper_folders;      // where docker-credential-NAME is looked for: absolute
  std::vector<std::string> helper_environment;  // NAME=value
  std::chrono::milliseconds helper_time{10'000};
};

/// For host[:port] and repository; nullopt: nobody.
std::optional<Credentials> find_credentials(const CredentialSettings& settings, const std::string& host,
                                            const std::string& repository);

}  // namespace ocilint
