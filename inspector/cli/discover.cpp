#include "cli/discover.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "report/escape.h"

namespace ocilint::cli {

std::vector<std::string> default_policies() { return {"debian-baseline", "image-secrets"}; }

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

constexpr const char* own_name = ".ocilint.yaml";

/// Is something of that name there? A link that leads nowhere is: who wrote it did not mean the default policy.
bool is_there(const fs::path& path) {
  std::error_code failed;
  const fs::file_type type = fs::symlink_status(path, failed).type();
  if (type == fs::file_type::none) throw Error(ErrorKind::policy, path.string() + ": " + failed.message());
  return type != fs::file_type::not_found;
}

/// Here, or in a parent folder up to the root of the repository. Outside of one only here: /tmp is anybody's.
std::string of_repository() {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed) throw Error(ErrorKind::policy, "the current folder: " + failed.message());
  fs::path root = here;
  while (!is_there(root / ".git") && root != root.parent_path()) root = root.parent_path();
  if (!is_there(root / ".git")) root = here;
  for (fs::path at = here;; at = at.parent_path()) {
    if (is_there(at / own_name)) return (at / own_name).lexically_relative(here).string();
    if (at == root) return "";
  }
}

std::string of_user() {
  const auto folder = [](const char* variable) {
    const char* const value = std::getenv(variable);
    // What is not absolute is ignored (XDG base directory specification).
    return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
  };
  fs::path config = folder("XDG_CONFIG_HOME");
  if (config.empty()) config = folder("HOME").empty() ? fs::path() : folder("HOME") / ".config";
  if (config.empty()) return "";
  const fs::path file = config / "ocilint" / "policy.yaml";
  // In containers HOME is often somebody else's, where nothing can be looked for.
  std::error_code failed;
  if (fs::symlink_status(file, failed).type() == fs::file_type::none && failed == std::errc::permission_denied)
    return "";
  return is_there(file) ? file.string() : "";
}

std::vector<std::string> discovered() {
  std::string file = of_repository();
  if (file.empty()) file = of_user();
  if (file.empty()) return default_policies();
  // Nobody named it, so it is said which it is.
  std::cerr << "ocilint: policy " << for_terminal(file) << "\n";
  return {file};
}

}  // namespace

LoadContext load_context() {
  const auto now = std::chrono::system_clock::now();
  return {all_rules(), shipped_policies(), read_policy, std::chrono::floor<std::chrono::days>(now)};
}

std::vector<Policy> load_shipped() {
  const LoadContext context = load_context();
  std::vector<Policy> out;
  for (const ShippedPolicy& shipped : shipped_policies()) out.push_back(load_named(std::string(shipped.name), context));
  return out;
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
