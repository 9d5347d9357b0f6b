#include "facts/secret_guards.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/base64.h"
#include "base/digest.h"
#include "facts/secret_names.h"

namespace ocilint {
namespace {

// The first eight bytes of the SHA-256 of keys and tokens that vendors print in their documentation and samples:
// not a value of them stands here.
constexpr std::uint64_t published_samples[] = {
    0x0011cc25eb432071ULL, 0x1a5d44a2dca19669ULL, 0x2037abcaffb2b777ULL, 0x27a9a42931dff7ebULL, 0x2cafc0970149a84fULL,
    0x37f8f09bdf12c2f2ULL, 0x3a8b61d0f636b007ULL, 0x3f370c9dd8225c63ULL, 0x49f777db995e8260ULL, 0x4c98242dcadc8b29ULL,
    0x78314b11be2e5815ULL, 0x7f75367e78812551ULL, 0x8731261cb72d8626ULL, 0xa6c814bc555ae62cULL, 0xda816f9f2c16e6c5ULL,
    0xdc0fcf046c61640cULL, 0xe4a5542bb7fd7b67ULL, 0xe8883fee629474c3ULL, 0xea9bb1082cf95663ULL, 0xeb540d2b6ee2a0a4ULL,
    0xf2d6ca16515033e5ULL,
};
static_assert(std::ranges::is_sorted(published_samples));

constexpr std::size_t userinfo_bytes = 400;      // user and password before an '@', as the patterns allow
constexpr std::size_t generated_password = 12;   // people make up shorter ones for documents
constexpr std::size_t data_around = 100;         // digits in a row without an end: no name and no path of an address
constexpr std::size_t shortest_key = 48;         // bytes: an Ed25519 key in PKCS #8
constexpr std::size_t decoded_of_key = 8 << 10;  // bytes of base64 that are enough to know one

bool is_published(std::string_view value) {
  const Digest digest = Digest::sha256_of(value);
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < sizeof start; ++i) start = start << 8 | digest.raw()[i];
  return std::ranges::binary_search(published_samples, start);
}

/// The domains that RFC 2606 keeps for documents. Other names with "example" in them are somebody's.
bool documentation_host(std::string_view host) {
  host = host.substr(0, host.find_first_of(":/"));
  for (const std::string_view domain : {"example.com", "example.org", "example.net"})
    if (host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.')) return true;
  return false;
}

// Of addresses in comments and in help texts of programs.
constexpr std::string_view words_for_passwords[] = {"password", "p@ssword", "passwd", "pass", "pwd", "secret", "xyzzy"};

// A password that holds one of these and no digit is named, not given: my_password, SECRETKEY, {db_password}.
constexpr std::string_view names_of_passwords[] = {"pass", "secret", "token"};

// What documents write for the parts of an address: dialect://user:xyz@hostname.
constexpr std::string_view words_for_schemes[] = {"scheme", "proto", "protocol", "driver", "dialect", "transport"};
constexpr std::string_view words_for_hosts[] = {"host",   "hostname", "server", "servername",
                                                "domain", "address",  "ip",     "remote"};
constexpr std::size_t digits_of_port = 5;

bool names_password(std::string_view password) {
  std::string small;
  for (const char c : password) {
    if (c >= '0' && c <= '9') return false;
    small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return std::ranges::any_of(names_of_passwords,
                             [&](std::string_view name) { return small.find(name) != std::string::npos; });
}

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// `localhost:8545@…`, `10.0.0.1:80@…`: what stands before the '@' is where, and not who.
bool is_host_and_port(std::string_view user, std::string_view password) {
  if (password.size() > digits_of_port || !is_digits(password)) return false;
  const std::size_t dot = user.rfind('.');
  return user == "localhost" || (dot != std::string_view::npos && is_digits(user.substr(dot + 1)));
}

/// The scheme, or the host beside a password that somebody made up, is a word for one.
bool is_template_of_address(std::string_view scheme, std::string_view host, std::string_view password) {
  const auto same = [](std::string_view text) {
    return [text](std::string_view word) { return same_name(text, word); };
  };
  host = host.substr(0, host.find_first_of(":/,"));
  while (!host.empty() && host.back() >= '0' && host.back() <= '9') host.remove_suffix(1);
  if (std::ranges::any_of(words_for_schemes, same(scheme))) return true;
  return password.size() < generated_password && std::ranges::any_of(words_for_hosts, same(host));
}

/// `scheme://user:password@host`, where the words say that they stand for others.
bool masked_userinfo(std::string_view url, SecretScope scope) {
  const std::size_t begin = url.find("://") + 3;
  const std::size_t at = url.rfind('@');
  const std::string_view host = url.substr(at + 1);
  const std::string_view info = url.substr(begin, at - begin);
  const std::size_t colon = info.find(':');
  const std::string_view user = info.substr(0, colon), password = info.substr(colon + 1);
  if (password.size() < generated_password && documentation_host(host)) return true;
  if (password == "x-oauth-basic" || password == "x-access-token" || password == "%s") return true;
  if (is_placeholder(password)) return true;
  if (user.ends_with('[') && password.ends_with(']')) return true;  // the syntax of addresses: user[:password]@host
  if (password.starts_with('{') && password.ends_with('}')) return true;  // filled in by a program
  const auto is_word = [&](std::string_view word) { return same_name(password, word); };
  // In any file, not in one of credentials: words of documents, what everybody is given at first, guest:guest, what
  // stands behind an address in a table, https://a.org,name:value@b, and addresses that look like another's.
  if (scope == SecretScope::file &&
      (std::ranges::any_of(words_for_passwords, is_word) || names_password(password) || same_name(user, password) ||
       is_host_and_port(user, password) || user.starts_with("www.") || user.find(',') != std::string_view::npos ||
       is_template_of_address(url.substr(0, begin - 3), host, password)))
    return true;
  if (same_name(password, "anonymous") || password.ends_with("anoncvs")) return true;  // open to all
  if (same_name(user, "user") && (same_name(password, "pass") || same_name(password, "password"))) return true;
  return same_name(user, "username") && same_name(password, "password");
}

/// Error collectors have a public key there.
bool public_user(std::string_view url) {
  const std::string_view host = url.substr(url.rfind('@') + 1);
  return host.find("sentry") != std::string_view::npos || documentation_host(host);
}

bool is_base64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

/// Whole groups of the text, as far as they go.
std::string decoded_start(std::string_view digits) {
  digits = digits.substr(0, std::min(decoded_of_key, digits.find('=')));
  if (digits.size() % 4 == 1) digits.remove_suffix(1);
  return decode_base64(digits).value_or("");
}

/// What a DER value of 128 bytes or more says of its size; 0: it is shorter. Of a key in a document stands the start.
std::size_t der_size(std::string_view der) {
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<std::uint8_t>(der[at])); };
  if (byte(1) == 0x81) return byte(2);
  if (byte(1) == 0x82) return byte(2) << 8 | byte(3);
  return 0;
}

/// The body of a PEM block, its lines ended by line ends or by the two characters `\n`.
bool is_private_key(std::string_view body) {
  std::string digits;
  bool encrypted = false;
  for (std::size_t at = 0; at < body.size();) {
    std::size_t end = std::min(body.find_first_of("\n\r\\", at), body.size());
    const std::string_view line = body.substr(at, end - at);
    if (line.find(':') != std::string_view::npos) {
      encrypted = encrypted || line.find("ENCRYPTED") != std::string_view::npos;
    } else if (!line.starts_with('=')) {  // the checksum of an OpenPGP block
      std::ranges::copy_if(line, std::back_inserter(digits), is_base64);
    }
    if (end + 1 < body.size() && body[end] == '\\') ++end;
    at = end + 1;
  }
  const std::string key = decoded_start(digits);
  if (key.size() < shortest_key) return false;
  if (encrypted || key.starts_with("openssh-key-v1")) return true;
  const auto first = static_cast<std::uint8_t>(key[0]);
  const bool der_sequence = first == 0x30 && key.size() >= der_size(key) / 2;
  const bool pgp_secret_key = (first & 0xfc) == 0x94 || first == 0xc5;  // RFC 9580, packet type 5
  return der_sequence || pgp_secret_key;
}

bool is_login(std::string_view value) {
  const auto decoded = decode_base64(value);
  if (!decoded) return false;
  const std::size_t colon = decoded->find(':');
  return colon != std::string::npos && colon + 1 < decoded->size() && !is_mask(decoded->substr(colon + 1));
}

/// `$NAME`, `${NAME}`, `${NAME:-}`, `$(command)`: of a variable that is given on. `${NAME:-value}` has a value.
bool stands_elsewhere(std::string_view value) {
  return is_reference(value) || value.starts_with("$(") || value.starts_with('`') ||
         (value.starts_with("${") && (value.ends_with(":-}") || value.ends_with("-}")));
}

}  // namespace

bool stands_in_data(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t before = 0, behind = 0;
  while (before < data_around && before < begin && is_base64(text[begin - before - 1])) ++before;
  while (behind < data_around && end + behind < text.size() && is_base64(text[end + behind])) ++behind;
  return before == data_around || behind == data_around;
}

bool userinfo_follows(std::string_view text, std::size_t at) {
  const std::size_t begin = at + 3, end = std::min(text.size(), begin + userinfo_bytes);
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (c == '@') return i > begin;
    if (static_cast<std::uint8_t>(c) <= ' ' || std::string_view("\"'<>/?#\\").find(c) != std::string_view::npos)
      return false;
  }
  return false;
}

bool is_no_secret(const Detector& detector, SecretScope scope, std::string_view match, std::string_view name,
                  std::string_view value) {
  using enum Guard::Bit;
  const auto guarded = [&](unsigned guard) { return (detector.guards & guard) != 0; };
  const bool credential_file = scope == SecretScope::credential_file;
  // Where credentials are kept, the name of a value says enough.
  const bool kept_by_name = credential_file && guarded(named);
  if (!kept_by_name && entropy_of(value) < detector.entropy) return true;
  if (guarded(named) && !names_secret(name)) return true;
  if (guarded(reference) && holds_reference(value)) return true;
  if (guarded(whole_reference) && stands_elsewhere(value)) return true;
  if (guarded(placeholder) && (credential_file ? is_mask(value) : is_placeholder(value))) return true;
  if (guarded(words) && (credential_file ? is_mask(value) : is_harmless(value))) return true;
  if (guarded(userinfo) && masked_userinfo(match, scope)) return true;
  if (guarded(token_user) && public_user(match)) return true;
  if (guarded(private_key) && !is_private_key(value)) return true;
  if (guarded(base64_key) && decoded_start(value).find("PRIVATE KEY") == std::string::npos) return true;
  if (guarded(base64_pair) && !is_login(value)) return true;
  return guarded(placeholder) && is_published(value);
}

}  // namespace ocilint
