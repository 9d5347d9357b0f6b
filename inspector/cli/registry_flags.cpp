#include "cli/registry_flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/error.h"

namespace ocilint::cli {
namespace {

constexpr unsigned most_retries = 20;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string either(const char* name, const char* other) {
  const std::string value = variable(name);
  return value.empty() ? variable(other) : value;
}

std::vector<std::string> auth_files() {
  std::vector<std::string> out;
  const std::string home = variable("HOME");
  const auto add = [&](const std::string& folder, const char* name) {
    if (!folder.empty()) out.push_back(folder + "/" + name);
  };
  const auto below_home = [&](const char* name) { return home.empty() ? "" : home + "/" + name; };
  const std::string config = variable("XDG_CONFIG_HOME"), docker = variable("DOCKER_CONFIG");
  add(variable("XDG_RUNTIME_DIR"), "containers/auth.json");
  add(config.empty() ? below_home(".config") : config, "containers/auth.json");
  add(docker.empty() ? below_home(".docker") : docker, "config.json");
  add(home, ".dockercfg");
  return out;
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Credentials credentials_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) throw Error(ErrorKind::usage, "--creds: USER:PASSWORD is wanted");
  return {text.substr(0, colon), text.substr(colon + 1), {}};
}

/// A Unix socket; what else the variable may name is refused when an engine is asked for.
std::string engine_socket() {
  const std::string host = variable("DOCKER_HOST");
  if (host.empty()) return "/var/run/docker.sock";
  return host.starts_with("unix://") ? host.substr(7) : host;
}

}  // namespace

void add_registry_options(CLI::App& app, RegistryArguments& arguments) {
  const std::string usual = app.option_defaults()->get_group();
  app.option_defaults()->group("Registries");
  app.add_option("--authfile", arguments.authfile,
                 "credentials for registries, as docker login and podman login write them")
      ->type_name("FILE")
      ->envname("REGISTRY_AUTH_FILE");
  app.add_option("--creds", arguments.creds,
                 "credentials for the registry; the variable keeps them off the command line")
      ->type_name("USER:PASSWORD")
      ->envname("OCILINT_CREDS");
  app.add_flag("--no-creds", arguments.no_creds, "ask the registry as nobody");
  app.add_flag("--tls-verify", arguments.tls_verify,
               "verify certificates of registries; --tls-verify=false does not, and allows plain HTTP");
  app.add_option("--cert-dir", arguments.cert_dir, "folder with *.crt to trust, *.cert and *.key to show to a registry")
      ->type_name("DIR");
  app.add_option("--token-host", arguments.token_hosts,
                 "another host at which the registry may have the credentials exchanged for a token; repeatable")
      ->type_name("HOST")
      ->allow_extra_args(false);
  app.add_option("--retry-times", arguments.retry_times, "how often a registry is asked again, 3 unless stated")
      ->type_name("N")
      ->check(CLI::Range(0u, most_retries));
  app.option_defaults()->group(usual);
}

RegistryOptions registry_options(const RegistryArguments& arguments) {
  RegistryOptions out;
  out.http.verify_tls = arguments.tls_verify;
  out.http.certificates = arguments.cert_dir;
  out.http.tries = arguments.retry_times + 1;
  // HTTP_PROXY is not asked: what is not encrypted never leaves this machine unless the user says so.
  out.http.proxy = either("HTTPS_PROXY", "https_proxy");
  out.http.no_proxy = either("NO_PROXY", "no_proxy");
  out.credentials.named_file = arguments.authfile;
  out.credentials.files = auth_files();
  out.credentials.nobody = arguments.no_creds;
  if (!arguments.creds.empty()) {
    if (arguments.no_creds) throw Error(ErrorKind::usage, "--creds and --no-creds exclude each other");
    out.credentials.given = credentials_of(arguments.creds);
  }
  out.credentials.helper_folders = split(variable("PATH"), ':');
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    out.credentials.helper_environment.emplace_back(*entry);
  out.token_hosts = arguments.token_hosts;
  out.engine = engine_socket();
  return out;
}

}  // namespace ocilint::cli
