// What the command line and the environment say about registries and engines, for every verb that takes a REF.
//
// The names are skopeo's. Credentials are looked for where engines keep them (containers-auth.json(5)): --authfile or
// REGISTRY_AUTH_FILE alone, else the files of the user in the usual order. Throws Error{usage} without the value of
// --creds in its text.
#pragma once

#include <string>
#include <vector>

#include "run/run.h"

namespace CLI {
class App;
}

namespace ocilint::cli {

struct RegistryArguments {
  std::string authfile, creds, cert_dir;
  std::vector<std::string> token_hosts;
  bool tls_verify = true, no_creds = false;
  unsigned retry_times = 3;
};

void add_registry_options(CLI::App& app, RegistryArguments& arguments);
RegistryOptions registry_options(const RegistryArguments& arguments);

}  // namespace ocilint::cli
