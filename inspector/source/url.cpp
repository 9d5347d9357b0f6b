#include "source/url.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "source/curl_library.h"

namespace ocilint {
namespace {

constexpr std::size_t longest_shown = 200;
constexpr std::size_t longest_url = 16 << 10;  // signed addresses of object stores have some 2 KiB

struct Free {
  void operator()(CURLU* url) const { CurlLibrary::load().url_cleanup(url); }
};
using Handle = std::unique_ptr<CURLU, Free>;

[[noreturn]] void refuse(const std::string& text, const char* why) {
  // What stands before an @ may be a password, what follows a ? a signature.
  const bool with_user = text.find('@') != std::string::npos;
  const std::string shown = with_user ? "…" : text.substr(0, std::min(text.find('?'), longest_shown));
  throw Error(ErrorKind::network, fmt::format("'{}' is no address that is read: {}", shown, why));
}

void set(const Handle& handle, const std::string& text) {
  if (text.size() > longest_url) refuse(text, "it is too long");
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }))
    refuse(text, "it has a blank or a control character");
  const CURLUcode code = CurlLibrary::load().url_set(handle.get(), CURLUPART_URL, text.c_str(), CURLU_DISALLOW_USER);
  if (code != CURLUE_OK) refuse(text, "it is malformed, or has a user in it");
}

std::string part(const Handle& handle, CURLUPart which) {
  const CurlLibrary& curl = CurlLibrary::load();
  char* found = nullptr;
  if (curl.url_get(handle.get(), which, &found, CURLU_DEFAULT_PORT) != CURLUE_OK || found == nullptr) return {};
  std::string out = found;
  curl.free(found);
  return out;
}

Url read(const Handle& handle, const std::string& text) {
  Url out;
  out.scheme = part(handle, CURLUPART_SCHEME);
  if (out.scheme != "http" && out.scheme != "https") refuse(text, "only http and https are");
  out.host = part(handle, CURLUPART_HOST);
  std::ranges::transform(out.host, out.host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (out.host.size() > 2 && out.host.front() == '[') out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.empty()) refuse(text, "it names no host");
  out.port = part(handle, CURLUPART_PORT);
  out.path = part(handle, CURLUPART_PATH);
  out.query = part(handle, CURLUPART_QUERY);
  return out;
}

Handle make() {
  Handle out(CurlLibrary::load().url());
  if (!out) throw std::bad_alloc();
  return out;
}

bool ends_with_label(const std::string& host, std::string_view label) {
  return host == label ||
         (host.size() > label.size() && host.ends_with(label) && host[host.size() - label.size() - 1] == '.');
}

Reach reach_of_v4(std::uint32_t address) {
  const std::uint32_t first = address >> 24, second = address >> 16 & 0xff;
  if (first == 127 || first == 0) return Reach::machine;
  const bool own = first == 10 || (first == 172 && second >= 16 && second < 32) || (first == 192 && second == 168) ||
                   (first == 169 && second == 254) || (first == 100 && second >= 64 && second < 128);
  return own ? Reach::network : Reach::world;
}

}  // namespace

Url Url::parse(const std::string& text) {
  const Handle handle = make();
  set(handle, text);
  return read(handle, text);
}

Url Url::at(const std::string& location) const {
  const Handle handle = make();
  set(handle, text());
  set(handle, location);
  return read(handle, location);
}

std::string Url::origin() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return fmt::format("{}://{}:{}", scheme, name, port);
}

std::string Url::shown() const { return origin() + path; }

std::string Url::text() const { return shown() + (query.empty() ? "" : "?" + query); }

Reach reach_of(const std::string& host) {
  if (ends_with_label(host, "localhost")) return Reach::machine;
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return reach_of_v4(ntohl(v4.s_addr));
  in6_addr v6{};
  // A zone does not matter: only link-local addresses have one.
  if (::inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &v6) != 1) return Reach::world;
  if (IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_UNSPECIFIED(&v6)) return Reach::machine;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    const std::uint8_t* const b = v6.s6_addr + 12;
    return reach_of_v4(std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3]);
  }
  const bool own = IN6_IS_ADDR_LINKLOCAL(&v6) || (v6.s6_addr[0] & 0xfe) == 0xfc;
  return own ? Reach::network : Reach::world;
}

}  // namespace ocilint
