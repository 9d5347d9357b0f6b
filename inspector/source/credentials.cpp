#include "source/credentials.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "source/credential_helper.h"

namespace ocilint {
namespace {

constexpr std::uint64_t max_auth_file = 1U << 20;

[[noreturn]] void unreadable(const std::string& file, std::string_view why) {
  throw Error(ErrorKind::auth, fmt::format("{}: {}", file, why));
}

/// One entry of `auths`. An empty one is what an engine leaves that keeps the secret in a store.
std::optional<Credentials> read_entry(const Json& entry, const std::string& file) {
  Credentials out;
  out.identity_token = json_string(entry, "identitytoken");
  out.user = json_string(entry, "username");
  out.password = json_string(entry, "password");
  if (const std::string packed = json_string(entry, "auth"); !packed.empty()) {
    const auto plain = decode_base64(packed);
    const std::size_t colon = plain ? plain->find(':') : std::string::npos;
    if (colon == std::string::npos) unreadable(file, "an entry of auths is not the Base64 of USER:PASSWORD");
    out.user = plain->substr(0, colon);
    out.password = plain->substr(colon + 1);
    while (out.password.ends_with('\0')) out.password.pop_back();
  }
  if (!out.identity_token.empty()) {
    out.password.clear();
    return out;
  }
  if (out.user.empty() && out.password.empty()) return std::nullopt;
  return out;
}

/// Keys of `auths`: the most specific prefix of host/repository.
std::optional<Credentials> find_entry(const Json& auths, const std::string& whole, const std::string& file) {
  for (std::string wanted = whole;; wanted.erase(wanted.rfind('/'))) {
    for (const auto& [key, entry] : auths.items())
      if (auth_host(key) == wanted)
        if (auto found = read_entry(entry, file)) return found;
    if (wanted.find('/') == std::string::npos) return std::nullopt;
  }
}

std::optional<Credentials> find_in(const CredentialSettings& settings, const std::string& file, bool named,
                                   const std::string& host, const std::string& repository) {
  std::string text;
  try {
    text = read_file(file, max_auth_file);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) unreadable(file, "cannot be read");
    if (named) throw Error(ErrorKind::usage, file + ": no such auth file");
    return std::nullopt;
  }
  const std::string key = auth_host(host);
  std::string helper;
  Json auths;
  try {
    const Json json = parse_json(text);
    if (!json.is_object()) unreadable(file, "is no auth file: no JSON object");
    if (const Json* const helpers = member(json, "credHelpers"); helpers != nullptr && helpers->is_object())
      for (const auto& [of, name] : helpers->items())
        if (auth_host(of) == key && name.is_string()) helper = name.get<std::string>();
    if (helper.empty()) helper = json_string(json, "credsStore");
    // Before 2014 the file was what is below "auths" now.
    const bool old = file.ends_with(".dockercfg");
    const Json* const found = old ? &json : member(json, "auths");
    if (found != nullptr && found->is_object()) auths = *found;
  } catch (const Error& error) {
    // What could not be parsed may be the secret.
    if (error.kind() == ErrorKind::auth) throw;
    unreadable(file, "is no auth file: malformed JSON");
  }
  if (!helper.empty())
    if (auto found = ask_helper(settings, helper, host)) return found;
  if (!auths.is_object()) return std::nullopt;
  try {
    return find_entry(auths, key + "/" + repository, file);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::auth) throw;
    unreadable(file, "an entry of auths is malformed");
  }
}

}  // namespace

std::optional<Credentials> find_credentials(const CredentialSettings& settings, const std::string& host,
                                            const std::string& repository) {
  if (settings.nobody) return std::nullopt;
  if (settings.given) return settings.given;
  if (!settings.named_file.empty()) return find_in(settings, settings.named_file, true, host, repository);
  for (const std::string& file : settings.files)
    if (auto found = find_in(settings, file, false, host, repository)) return found;
  return std::nullopt;
}

}  // namespace ocilint
