// HTTP for registries and engines: GET (and the POST of a token exchange), redirects, retries, limits.
//
// A reply is pulled: HttpExchange::read() lets bytes come as they are asked for, with one bounded buffer. Redirects
// are followed by hand: credentials stay with the origin that they were given for, never https -> http, never
// from the world into a network of ours. What is not answered, or answered with 429 or 5xx, is tried again after
// a wait. TLS is verified; plain HTTP is for this machine only, unless the user said otherwise. Throws
// Error{network}, Error{limit}, Error{unsupported}; no text of it has a query, a header or a body in it. Thread
// safe; an exchange belongs to one thread. Connections are reused.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.h"
#include "base/error.h"

namespace ocilint {

struct HttpSettings {
  bool verify_tls = true;    // false also allows plain HTTP to hosts that are not this machine
  std::string certificates;  // folder of *.crt (to trust), *.cert and *.key (to show); empty: the system's
  std::string proxy, no_proxy;
  std::string socket;  // a Unix socket instead of the network
  unsigned tries = 4;
  // A Retry-After of a year hung other clients.
  std::chrono::milliseconds first_wait{500}, longest_wait{30'000}, all_waits{60'000};
  std::chrono::milliseconds connect{10'000}, stall{30'000};
  std::uint64_t slowest = 1024;  // bytes a second over the time of `stall`
};

struct HttpRequest {
  std::string url;
  std::string accept = {};
  std::string authorization = {};        // whole value; for the origin of `url` only
  std::uint64_t from = 0;                // Range: bytes=from-
  std::optional<std::string> form = {};  // POST application/x-www-form-urlencoded
};

struct HttpReply {
  long status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string place;                                         // of the final address, for messages
  bool elsewhere = false;                                    // it came from another origin than was asked

  std::string header(std::string_view name) const;  // the first; "" when absent
  std::vector<std::string> all(std::string_view name) const;
};

/// How often and how long one thing is tried. Not for several threads.
class Backoff {
 public:
  explicit Backoff(const HttpSettings& settings) : settings_(settings) {}
  /// Waits; throws `why` when that was the last try. `asked`: the server's Retry-After.
  void wait(const Error& why, std::optional<std::chrono::seconds> asked = {});
  /// Bytes came: the next failure is the first again. All waits together stay bounded.
  void progress() { failures_ = 0; }

 private:
  const HttpSettings& settings_;
  unsigned failures_ = 0;
  std::chrono::milliseconds waited_{0};
};

class HttpTransfer;
struct HttpSessions;

class HttpExchange final : public ByteStream {
 public:
  HttpExchange(std::unique_ptr<HttpTransfer> transfer, HttpReply reply);
  ~HttpExchange() override;
  const HttpReply& reply() const { return reply_; }
  /// The body as it was sent. A broken connection, a short or a stalled body: Error{network}.
  std::size_t read(std::span<std::uint8_t> into) override;
  /// All of it; Error{limit} above `most`.
  std::string text(std::uint64_t most);
  /// Reads a short rest, so that the connection can be used again. Throws nothing.
  void drain();

 private:
  std::unique_ptr<HttpTransfer> transfer_;
  HttpReply reply_;
};

class HttpClient {
 public:
  explicit HttpClient(HttpSettings settings);
  ~HttpClient();
  const HttpSettings& settings() const { return settings_; }

  /// The reply to a request, after redirects and retries. Other statuses than 429 and 5xx are the caller's.
  std::unique_ptr<HttpExchange> open(const HttpRequest& request, Backoff& backoff) const;
  /// Whether TLS is spoken at an address that may do without. Error when nobody answers at all.
  bool speaks_tls(const std::string& url, Backoff& backoff) const;
  /// Whether plain HTTP to that host is allowed.
  bool may_be_plain(const std::string& host) const;

 private:
  HttpSettings settings_;
  std::shared_ptr<HttpSessions> sessions_;
};

}  // namespace ocilint
