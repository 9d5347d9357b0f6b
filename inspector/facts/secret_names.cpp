#include "facts/secret_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/base64.h"

namespace ocilint {
namespace {

constexpr std::string_view secret_words[] = {"password", "passwd", "passphrase", "pwd", "pass", "secret",     "secrets",
                                             "token",    "apikey", "credential", "pat", "auth", "credentials"};
// A key is a secret together with the word before it only: `PRIMARY_KEY` and `CACHE_KEY` are none.
constexpr std::string_view key_words[] = {"api",  "access", "private", "secret",  "encryption", "signing",
                                          "auth", "master", "account", "license", "deploy",     "ssh"};
// Written together, as in PGPASSWORD.
constexpr std::string_view secret_endings[] = {"password", "passwd", "passphrase", "secret", "token", "apikey"};
constexpr std::string_view harmless_words[] = {
    "public",    "file",   "path",   "dir",    "url",      "uri",         "endpoint", "version",
    "name",      "length", "ttl",    "expiry", "gpg",      "pgp",         "sha",      "sha1",
    "sha256",    "sha512", "prefix", "header", "checksum", "fingerprint", "keyring",  "keyserver",
    "type",      "size",   "count",  "policy", "store",    "enabled",     "provider", "method",
    "algorithm", "host",   "port",   "issuer", "user",     "plugin",      "username", "timeout"};

// Anywhere in a value, lower case.
constexpr std::string_view placeholder_parts[] = {"xxxxxx",   "0123456789",  "1234567890", "abcdefghij",
                                                  "redacted", "placeholder", "your_",      "****",
                                                  "[a-z",     "[0-9"};  // what a pattern matches
constexpr std::string_view documentation_parts[] = {"example",     "changeme", "change_me",   "insert", "dummy",
                                                    "fake",        "sample",   "todo",        "your-",  "getenv",
                                                    "process.env", "://",      "/run/secrets"};
constexpr std::string_view switches[] = {"null",     "none",     "true",    "false",     "enabled", "disabled",
                                         "required", "optional", "default", "undefined", "secret",  "password",
                                         "passwd",   "basic",    "bearer",  "oauth2",    "unset",   "prompt"};
constexpr std::string_view value_prefixes[] = {"./",
                                               "../",
                                               "~/",
                                               "file:",
                                               "sha1:",
                                               "sha256:",
                                               "sha384:",
                                               "sha512:",
                                               "sha256-",
                                               "sha384-",
                                               "sha512-",
                                               "id=",
                                               "ssh-rsa ",
                                               "ssh-ed25519",
                                               "-----begin certificate",
                                               "age1",
                                               "md5:",
                                               "env:",
                                               "type=secret",
                                               "ecdsa-sha2-",
                                               "sk-ssh-",
                                               "sk-ecdsa-",
                                               "-----begin public key"};

constexpr std::size_t equal_run = 8;       // of one byte in a row: a mask
constexpr std::size_t shortest_value = 6;  // shorter ones are switches and numbers far more often than secrets

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_name(char c) { return is_upper(c) || is_lower(c) || c == '_' || (c >= '0' && c <= '9'); }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

/// npmToken, NPM_TOKEN, npm-token, HTTPToken: the words, lower case.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c) && !(c >= '0' && c <= '9')) {
      end_word();
      continue;
    }
    const bool after_lower = i > 0 && !is_upper(name[i - 1]);
    const bool before_lower = i + 1 < name.size() && is_lower(name[i + 1]);
    if (is_upper(c) && (after_lower || before_lower)) end_word();
    word += lower(c);
  }
  end_word();
  return words;
}

template <typename Words>
bool is_one_of(std::string_view word, const Words& words) {
  return std::ranges::find(words, word) != std::end(words);
}

template <typename Parts>
bool holds_one_of(std::string_view text, const Parts& parts) {
  const auto inside = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return std::ranges::any_of(parts, inside);
}

constexpr std::size_t longest_login = 1024;  // bytes of base64
constexpr std::size_t random_path = 20;      // bytes: a shorter value that begins with a slash is a path
constexpr double random_path_entropy = 4.2;  // a path has words

/// Base64 of `user:****`, as in headers of documentation.
bool is_masked_login(std::string_view value) {
  if (value.size() < 8 || value.size() > longest_login) return false;
  const auto decoded = decode_base64(value);
  const auto is_text = [](char c) { return c >= ' ' && c <= '~'; };
  if (!decoded || !std::ranges::all_of(*decoded, is_text)) return false;
  const std::size_t colon = decoded->find(':');
  return colon != std::string::npos && is_mask(std::string_view(*decoded).substr(colon + 1));
}

/// `__AccessKeyId__`: a program puts the value there.
bool is_template_name(std::string_view value) {
  return value.size() > 4 && value.starts_with("__") && value.ends_with("__") && std::ranges::all_of(value, is_name);
}

/// Base64 may begin with a slash too.
bool is_path(std::string_view value) {
  return value.starts_with('/') && (value.size() < random_path || entropy_of(value) < random_path_entropy);
}

/// 1.2.3, 1:0.20.5-3+deb12u1: packages are called after what they do, libsecret=0.20.5-3.
bool is_version(std::string_view value) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t at = 0;
  const auto number = [&] {
    const std::size_t begin = at;
    while (at < value.size() && digit(value[at])) ++at;
    return at > begin;
  };
  if (!number()) return false;
  if (at < value.size() && value[at] == ':' && (++at, !number())) return false;
  std::size_t parts = 1;
  while (at + 1 < value.size() && value[at] == '.' && digit(value[at + 1])) {
    ++at;
    number();
    ++parts;
  }
  if (parts < 2) return false;
  if (at == value.size()) return true;
  return std::string_view("-+~.").find(value[at]) != std::string_view::npos &&
         std::ranges::all_of(value.substr(at), [&](char c) {
           return is_name(c) || std::string_view("-+~.:").find(c) != std::string_view::npos;
         });
}

}  // namespace

bool names_secret(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  if (words.empty() || words.back() == "id") return false;
  for (const std::string& word : words)
    if (is_one_of(word, harmless_words)) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_one_of(word, secret_words)) return true;
    if (word == "key" && i > 0 && is_one_of(words[i - 1], key_words)) return true;
    if (std::ranges::any_of(secret_endings, [&](std::string_view ending) { return word.ends_with(ending); }))
      return true;
  }
  return false;
}

bool same_name(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

bool is_expression(std::string_view value) {
  const std::size_t end = static_cast<std::size_t>(
      std::ranges::find_if_not(value, [](char c) { return is_name(c) || c == '.'; }) - value.begin());
  const std::string_view path = value.substr(0, end), rest = value.substr(end);
  if (path.empty() || (path[0] >= '0' && path[0] <= '9')) return false;
  const auto dot = path.rfind('.');
  if (rest.empty() && dot == std::string_view::npos)
    return path.find('_') != std::string_view::npos && std::ranges::none_of(path, is_lower) && names_secret(path);
  if (rest.empty()) return names_secret(path.substr(dot + 1));
  // A value among words ends before the quote or the bracket.
  return rest == "(" || rest == "[" || rest.starts_with("()") || rest.starts_with("(\"") || rest.starts_with("('") ||
         rest.starts_with("[\"") || rest.starts_with("['");
}

bool is_reference(std::string_view value) {
  if (value.size() < 2 || value[0] != '$') return false;
  value.remove_prefix(1);
  if (value.front() == '{') {
    if (value.size() < 3 || value.back() != '}') return false;
    value = value.substr(1, value.size() - 2);
  }
  return std::ranges::all_of(value, is_name);
}

bool holds_reference(std::string_view value) {
  if (value.empty()) return false;
  if (value[0] == '$' || value[0] == '<' || value[0] == '`') return true;
  for (const std::string_view opening : {"${", "$(", "{{"})
    if (value.find(opening) != std::string_view::npos) return true;
  return value.size() > 2 && value.front() == value.back() && (value.front() == '%' || value.front() == '@') &&
         std::ranges::all_of(value.substr(1, value.size() - 2), is_name);
}

bool is_mask(std::string_view value) {
  std::array<bool, 256> seen{};
  std::size_t distinct = 0, run = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    bool& known = seen[static_cast<std::uint8_t>(value[i])];
    distinct += !known;
    known = true;
    run = i > 0 && value[i] == value[i - 1] ? run + 1 : 1;
    if (run >= equal_run) return true;
  }
  return distinct <= 2;
}

bool is_placeholder(std::string_view value) {
  if (is_mask(value) || is_masked_login(value) || is_template_name(value)) return true;
  return value.find("EXAMPLE") != std::string_view::npos || holds_one_of(lowered(value), placeholder_parts);
}

bool is_harmless(std::string_view value) {
  if (value.size() < shortest_value || is_placeholder(value) || holds_reference(value) || is_expression(value))
    return true;
  const std::string small = lowered(value);
  const auto begins = [&](std::string_view prefix) { return small.starts_with(prefix); };
  if (is_path(value) || is_version(value)) return true;
  return is_one_of(small, switches) || holds_one_of(small, documentation_parts) ||
         std::ranges::any_of(value_prefixes, begins);
}

double entropy_of(std::string_view value) {
  if (value.empty()) return 0;
  std::array<std::size_t, 256> counts{};
  for (const char c : value) ++counts[static_cast<std::uint8_t>(c)];
  double bits = 0;
  const auto all = static_cast<double>(value.size());
  for (const std::size_t count : counts)
    if (count > 0) bits -= static_cast<double>(count) / all * std::log2(static_cast<double>(count) / all);
  return bits;
}

}  // namespace ocilint
