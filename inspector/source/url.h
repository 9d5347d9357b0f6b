// Addresses on the network, as libcurl reads them: what is compared and what is asked for are the same thing.
//
// http and https only; no user in it. Throws Error{network}; its text has no query, which may be a secret.
// Values; thread safe.
#pragma once

#include <string>

namespace ocilint {

struct Url {
  std::string scheme, host;  // lower case; an IPv6 address without brackets
  std::string port;          // always there
  std::string path, query;   // as written

  static Url parse(const std::string& text);
  /// Where a Location of a reply from here leads; it may be relative.
  Url at(const std::string& location) const;

  std::string text() const;
  std::string origin() const;  // scheme://host:port
  std::string shown() const;   // for messages: without the query
  bool encrypted() const { return scheme == "https"; }
};

/// How far an address reaches by its name alone. A registry of the world may not point into a network of ours, nor
/// one of the network at this machine.
enum class Reach { machine, network, world };

Reach reach_of(const std::string& host);

}  // namespace ocilint
