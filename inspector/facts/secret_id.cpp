#include "facts/secret_id.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/digest.h"
#include "base/error.h"

namespace ocilint {
namespace {

constexpr std::size_t salt_digits = 16, id_digits = 32;
constexpr std::uint64_t scrypt_cost = 1 << 13, scrypt_block = 8;  // 8 MiB: a guess costs memory too
constexpr std::uint64_t scrypt_memory = 16 << 20;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string normalised(std::string_view value) {
  const auto is_quote = [](char c) { return c == '"' || c == '\''; };
  if (value.size() > 2 && is_quote(value.front()) && value.front() == value.back())
    value = value.substr(1, value.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c == '\\' && i + 1 < value.size() && (value[i + 1] == 'n' || value[i + 1] == 'r')) {
      ++i;
      continue;
    }
    const int high = c == '%' && i + 2 < value.size() ? hex_value(value[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(value[i + 2]) : -1;
    if (low >= 0) i += 2;
    out += low >= 0 ? static_cast<char>(high * 16 + low) : c;
  }
  return out;
}

}  // namespace

std::string secret_salt(std::string_view text) {
  return Digest::sha256_of("secret ids of " + std::string(text)).hex().substr(0, salt_digits);
}

std::string secret_id(std::string_view salt, std::string_view value) {
  const std::string text = normalised(value);
  std::array<std::uint8_t, id_digits / 2> key{};
  if (EVP_PBE_scrypt(text.data(), text.size(), reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                     scrypt_cost, scrypt_block, 1, scrypt_memory, key.data(), key.size()) != 1)
    throw Error(ErrorKind::internal, "scrypt is not to be had");
  std::string out = std::string(salt) + "-";
  for (const std::uint8_t byte : key) out += fmt::format("{:02x}", byte);
  return out;
}

bool is_secret_id(std::string_view text) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == salt_digits + 1 + id_digits && text[salt_digits] == '-' &&
         std::ranges::all_of(text.substr(0, salt_digits), hex) &&
         std::ranges::all_of(text.substr(salt_digits + 1), hex);
}

std::string_view salt_of(std::string_view id) { return id.substr(0, id.find('-')); }

}  // namespace ocilint
