// What the user says about registries and engines: how they are reached, and who the user is. Collected by the
// command line, since the library reads no environment. A value.
#pragma once

#include <string>
#include <vector>

#include "source/credentials.h"
#include "source/http.h"

namespace ocilint {

struct RegistryOptions {
  HttpSettings http;
  CredentialSettings credentials;
  std::vector<std::string> token_hosts;  // further hosts that may be told the credentials, when a registry names them
  std::string engine = "/var/run/docker.sock";  // socket of docker-daemon:
};

}  // namespace ocilint
