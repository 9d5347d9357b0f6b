// Signs in to one repository of a registry, for reading only: Basic, or a bearer token from the realm that the
// registry names (distribution's token specification).
//
// The scope is always `repository:NAME:pull`, whatever is asked for. The user's credentials go to the registry, and
// to a realm that belongs to it: the same host, a host that the registry is a part of (registry.example.org signs in
// at example.org), Docker Hub's, or one that the user named; anybody else is asked without them. No secret is in an
// error's text. Throws Error{auth, network}. Thread safe: layers read beside each other share one sign-in.
#pragma once

#include <mutex>

#include "source/credentials.h"
#include "source/http.h"
#include "source/registry_options.h"
#include "source/url.h"

namespace ocilint {

class RegistryAuth {
 public:
  /// `registry`: where requests go to. Credentials are looked up with the first challenge.
  RegistryAuth(const HttpClient& client, const RegistryOptions& options, Url registry, std::string host,
               std::string repository);

  /// For the next request; "" when nobody has asked yet.
  std::string header() const;
  /// After a 401 to a request that carried `used`. Throws when signing in is not possible or was no use.
  void renew(const HttpReply& refused, const std::string& used);

 private:
  std::string basic(const std::optional<Credentials>& who) const;
  std::string token_from(const std::string& realm, const std::string& service, const std::optional<Credentials>& who);
  bool trusts_realm(const Url& realm) const;
  [[noreturn]] void refuse(const std::string& why) const;

  const HttpClient& client_;
  const RegistryOptions& options_;
  Url registry_;
  std::string host_, repository_;
  mutable std::mutex mutex_;
  std::string header_;
};

}  // namespace ocilint
