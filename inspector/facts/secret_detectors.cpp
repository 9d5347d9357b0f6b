#include "facts/secret_detectors.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.h"
#include "facts/secret_names.h"

namespace ocilint {
namespace {

enum Guard : unsigned {
  placeholder = 1,  // values made to be none
  reference = 2,    // the value stands elsewhere
  userinfo = 4,     // masks and documentation of user:password@host
  token_user = 8,   // user names that are public: keys of error collectors
};

struct Detector {
  std::string_view id;
  std::string_view keyword;  // lower case, found in any case
  const char* pattern;
  double entropy;  // bits a byte, at least
  unsigned guards;
};

// clang-format off: a pattern is one literal, so that it can be searched for
constexpr Detector detectors[] = {
    {"url-userinfo", "://",
     R"re([A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@"'<>?#\\]{0,64}:([^\s"'<>/?#\\]{3,256})@[A-Za-z0-9\[][A-Za-z0-9.:\]-]{1,253})re",
     0, reference | userinfo},
    {"url-userinfo", "://",
     R"re(https?://([A-Za-z0-9_%-]{20,255})(?::(?:x-oauth-basic|x-access-token)?)?@[A-Za-z0-9.-]{3,253})re", 3.2,
     placeholder | reference | token_user},
    {"signed-url", "x-amz-signature", R"re((?i)X-Amz-Signature=([0-9a-f]{64}))re", 3.0, placeholder},
    {"signed-url", "x-amz-security-token", R"re((?i)X-Amz-Security-Token=([A-Za-z0-9%+/=_-]{40,1000}))re", 3.0,
     placeholder},
    {"signed-url", "x-goog-signature", R"re((?i)X-Goog-Signature=([0-9a-f]{64,1000}))re", 3.0, 0},
    {"signed-url", "signature=",
     R"re((?i)(?:AWSAccessKeyId|Key-Pair-Id)=[^\s"']{5,400}?Signature=([A-Za-z0-9%+/=~_-]{20,512}))re", 3.0, placeholder},
    {"signed-url", "signature=",
     R"re((?i)[?&;]Signature=([A-Za-z0-9%+/=~_-]{20,512})[^\s"']{1,200}?(?:Key-Pair-Id|AWSAccessKeyId)=)re", 3.0,
     placeholder},
    {"signed-url", "sig=", R"re((?i)[?&;](?:amp;)?sig=([A-Za-z0-9%+/_-]{40,80}(?:%3D|=){0,2}))re", 3.8, placeholder},
    {"signed-url", "token=",
     R"re((?i)[?&;](?:amp;)?(?:[a-z]{2,12}[_-])?token=([A-Za-z0-9%+/=~._-]{12,1000}))re", 2.8, placeholder | reference},
    {"auth-header", "authorization",
     R"re((?i)authorization["'\\]{0,3}\s{0,3}:\s{0,3}["'\\]{0,3}(?:(?:bearer|basic|token|apikey)\s{1,3})?([A-Za-z0-9+/=_.~-]{12,}))re",
     3.0, placeholder},
};
// clang-format on

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

const RE2& compiled(std::size_t index) {
  static std::array<std::once_flag, std::size(detectors)> once;
  static std::array<std::unique_ptr<const RE2>, std::size(detectors)> patterns;
  std::call_once(once[index], [&] {
    RE2::Options options;
    options.set_encoding(RE2::Options::EncodingLatin1);
    options.set_log_errors(false);
    auto pattern = std::make_unique<const RE2>(detectors[index].pattern, options);
    if (!pattern->ok())
      throw Error(ErrorKind::internal,
                  "detector " + std::string(detectors[index].id) + ": " + pattern->error());
    patterns[index] = std::move(pattern);
  });
  return *patterns[index];
}

/// The domains that RFC 2606 keeps for documents. Other names with "example" in them are somebody's.
bool documentation_host(std::string_view host) {
  host = host.substr(0, host.find_first_of(":/"));
  for (const std::string_view domain : {"example.com", "example.org", "example.net"})
    if (host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.')) return true;
  return false;
}

// People make up shorter passwords for documents; a longer one was generated, wherever it stands.
constexpr std::size_t generated_password = 12;

/// `scheme://user:password@host`, where the words say that they stand for others.
bool masked_userinfo(std::string_view url) {
  const std::size_t begin = url.find("://") + 3;
  const std::size_t at = url.rfind('@');
  const std::string_view host = url.substr(at + 1);
  const std::string_view info = url.substr(begin, at - begin);
  const std::size_t colon = info.find(':');
  const std::string_view user = info.substr(0, colon), password = info.substr(colon + 1);
  if (password.size() < generated_password && documentation_host(host)) return true;
  if (password == "x-oauth-basic" || password == "x-access-token" || password == "%s") return true;
  if (is_placeholder(password)) return true;
  if (same_name(user, "user") && (same_name(password, "pass") || same_name(password, "password"))) return true;
  return same_name(user, "username") && same_name(password, "password");
}

bool public_user(std::string_view url) {
  const std::string_view host = url.substr(url.rfind('@') + 1);
  return host.find("sentry") != std::string_view::npos || documentation_host(host);
}

bool is_none(const Detector& detector, std::string_view match, std::string_view value) {
  if ((detector.guards & placeholder) != 0 && is_placeholder(value)) return true;
  if ((detector.guards & reference) != 0 && holds_reference(value)) return true;
  if ((detector.guards & userinfo) != 0 && masked_userinfo(match)) return true;
  if ((detector.guards & token_user) != 0 && public_user(match)) return true;
  return entropy_of(value) < detector.entropy;
}

}  // namespace

std::vector<ShapeHit> find_shapes(std::string_view text) {
  std::vector<ShapeHit> hits;
  std::string small(text);
  std::ranges::transform(small, small.begin(), lower);
  for (std::size_t i = 0; i < std::size(detectors); ++i) {
    const Detector& detector = detectors[i];
    if (small.find(detector.keyword) == std::string::npos) continue;
    const RE2& pattern = compiled(i);
    const re2::StringPiece input(text.data(), text.size());
    re2::StringPiece groups[2];
    for (std::size_t at = 0; pattern.Match(input, at, input.size(), RE2::UNANCHORED, groups, 2);) {
      const std::string_view match(groups[0].data(), groups[0].size());
      const std::string_view value(groups[1].data(), groups[1].size());
      const auto begin = static_cast<std::size_t>(value.data() - text.data());
      if (!is_none(detector, match, value)) hits.push_back({begin, begin + value.size(), detector.id});
      at = begin + value.size();
    }
  }
  return hits;
}

}  // namespace ocilint
