#include "source/registry_auth.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/json.h"
#include "base/percent.h"
#include "source/challenge.h"

namespace ocilint {
namespace {

constexpr std::uint64_t max_token_answer = 64U << 10;
constexpr const char* hub_realm = "auth.docker.io";

/// What goes into a header; anything else would be a header of its own.
bool is_token_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

/// registry.example.org is a part of example.org; nothing is a part of a name without a dot, or of an address.
bool is_part_of(const std::string& host, const std::string& whole) {
  return whole.find('.') != std::string::npos && host.size() > whole.size() && host.ends_with(whole) &&
         host[host.size() - whole.size() - 1] == '.' && whole.find_first_not_of("0123456789.") != std::string::npos;
}

}  // namespace

RegistryAuth::RegistryAuth(const HttpClient& client, const RegistryOptions& options, Url registry, std::string host,
                           std::string repository)
    : client_(client),
      options_(options),
      registry_(std::move(registry)),
      host_(std::move(host)),
      repository_(std::move(repository)) {}

std::string RegistryAuth::header() const {
  const std::lock_guard lock(mutex_);
  return header_;
}

void RegistryAuth::refuse(const std::string& why) const {
  throw Error(ErrorKind::auth, fmt::format("{}/{}: {}", host_, repository_, why));
}

void RegistryAuth::renew(const HttpReply& refused, const std::string& used) {
  const std::lock_guard lock(mutex_);
  if (header_ != used) return;  // another layer has signed in meanwhile
  const auto who = find_credentials(options_.credentials, host_, repository_);
  std::vector<Challenge> challenges;
  for (const std::string& text : refused.all("www-authenticate"))
    for (Challenge& challenge : parse_challenges(text)) challenges.push_back(std::move(challenge));
  const auto find = [&](std::string_view scheme) { return std::ranges::find(challenges, scheme, &Challenge::scheme); };
  if (const auto bearer = find("bearer"); bearer != challenges.end()) {
    header_ = "Bearer " + token_from(bearer->parameters["realm"], bearer->parameters["service"], who);
    if (header_ == used) refuse("the registry refuses the token that it gave out");
    return;
  }
  if (find("basic") == challenges.end()) refuse("the registry asks for a sign-in of a kind that is not known here");
  const std::string header = basic(who);
  if (header.empty()) refuse("the registry asks for a sign-in, and there are no credentials for it");
  if (header == used) refuse("the registry refuses the credentials");
  header_ = header;
}

std::string RegistryAuth::basic(const std::optional<Credentials>& who) const {
  if (!who || who->user.empty()) return {};
  return "Basic " + encode_base64(who->user + ":" + who->password);
}

bool RegistryAuth::trusts_realm(const Url& realm) const {
  return realm.host == registry_.host || is_part_of(registry_.host, realm.host) ||
         (host_ == "docker.io" && realm.host == hub_realm) ||
         std::ranges::find(options_.token_hosts, realm.host) != options_.token_hosts.end();
}

std::string RegistryAuth::token_from(const std::string& where, const std::string& service,
                                     const std::optional<Credentials>& who) {
  Url realm;
  try {
    realm = Url::parse(where);
  } catch (const Error&) {
    refuse("the registry names no usable address to sign in at");
  }
  // In plain text only where the registry itself is, and only what this machine says to itself.
  const bool plain = !registry_.encrypted() && client_.may_be_plain(realm.host);
  if (!realm.encrypted() && !plain)
    refuse(fmt::format("the registry wants a sign-in at {}, which is not encrypted", realm.origin()));
  if (reach_of(realm.host) < reach_of(registry_.host))
    refuse(
        fmt::format("the registry wants a sign-in at {}, inside of the network or machine that asks", realm.origin()));
  if (who && !trusts_realm(realm))
    refuse(
        fmt::format("the registry wants the credentials told to {}, another host; if that is right, allow it with "
                    "--token-host {}",
                    realm.origin(), realm.host));
  const std::string scope = percent_encoded("repository:" + repository_ + ":pull");
  HttpRequest request;
  if (who && !who->identity_token.empty()) {
    request.url = realm.text();
    request.form = "grant_type=refresh_token&client_id=ocilint&service=" + percent_encoded(service) +
                   "&scope=" + scope + "&refresh_token=" + percent_encoded(who->identity_token);
  } else {
    realm.query += (realm.query.empty() ? "" : "&") + ("scope=" + scope);
    if (!service.empty()) realm.query += "&service=" + percent_encoded(service);
    request.url = realm.text();
    request.authorization = basic(who);
  }
  Backoff backoff(client_.settings());
  const auto answer = client_.open(request, backoff);
  const long status = answer->reply().status;
  if (status == 400 || status == 401 || status == 403)
    refuse(who ? fmt::format("{} refuses the credentials ({})", realm.origin(), status)
               : fmt::format("{} gives no token without credentials ({})", realm.origin(), status));
  if (status != 200)
    throw Error(ErrorKind::network, fmt::format("{}: a token was asked for, the answer is {}", realm.shown(), status));
  std::string token;
  try {
    const Json json = parse_json(answer->text(max_token_answer));
    token = json_string(json, "token");
    if (token.empty()) token = json_string(json, "access_token");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::network || error.kind() == ErrorKind::limit) throw;
    token.clear();
  }
  if (!is_token_text(token)) refuse(fmt::format("{} answers with no usable token", realm.origin()));
  return token;
}

}  // namespace ocilint
