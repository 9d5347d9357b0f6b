#include "cli/discover.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/file.h"

namespace ocilint::cli {
namespace {

namespace fs = std::filesystem;

std::string read_policy(const std::string& path) {
  try {
    return read_file(path, yaml_bytes);
  } catch (const Error& error) {
    // A policy that is not there is a mistake in the call, not an image that cannot be read.
    throw Error(ErrorKind::policy, error.what());
  }
}

std::vector<std::string> discovered() {
  std::error_code failed;
  for (fs::path at = fs::current_path(failed); !failed; at = at.parent_path()) {
    const fs::path file = at / ".ocilint.yaml";
    if (fs::exists(file, failed)) return {fs::relative(file, failed).string()};
    if (fs::exists(at / ".git", failed) || at == at.parent_path()) break;
  }
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  const fs::path folder = config != nullptr && *config != '\0' ? fs::path(config)
                          : home != nullptr                    ? fs::path(home) / ".config"
                                                               : fs::path();
  if (!folder.empty() && fs::exists(folder / "ocilint" / "policy.yaml", failed))
    return {(folder / "ocilint" / "policy.yaml").string()};
  return {"debian-baseline", "image-secrets"};
}

}  // namespace

LoadContext load_context() {
  const auto now = std::chrono::system_clock::now();
  return {all_rules(), shipped_policies(), read_policy, std::chrono::floor<std::chrono::days>(now)};
}

std::vector<Policy> find_policies(const std::vector<std::string>& named) {
  const LoadContext context = load_context();
  std::vector<Policy> policies;
  std::set<std::string> names;
  for (const std::string& one : named.empty() ? discovered() : named) {
    policies.push_back(load_named(one, context));
    if (!names.insert(policies.back().name).second)
      throw Error(ErrorKind::policy, "two policies are named " + policies.back().name);
  }
  return policies;
}

}  // namespace ocilint::cli
