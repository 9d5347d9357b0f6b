#include "base/digest.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstring>

#include "base/error.h"

namespace ocilint {
namespace {

const EVP_MD* evp(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::md5: return EVP_md5();
    case Algorithm::sha1: return EVP_sha1();
    case Algorithm::sha256: return EVP_sha256();
    case Algorithm::sha512: return EVP_sha512();
  }
  return nullptr;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void must(int result) {
  if (result != 1) throw Error(ErrorKind::internal, "OpenSSL cannot compute a digest");
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::md5: return "md5";
    case Algorithm::sha1: return "sha1";
    case Algorithm::sha256: return "sha256";
    case Algorithm::sha512: return "sha512";
  }
  return "";
}

std::size_t size_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::md5: return 16;
    case Algorithm::sha1: return 20;
    case Algorithm::sha256: return 32;
    case Algorithm::sha512: return 64;
  }
  return 0;
}

Digest::Digest(Algorithm algorithm, Bytes raw) : algorithm_(algorithm) {
  if (raw.size() != size_of(algorithm)) throw Error(ErrorKind::internal, "a digest of the wrong length");
  size_ = static_cast<std::uint8_t>(raw.size());
  std::memcpy(raw_.data(), raw.data(), raw.size());
}

Digest Digest::from_hex(Algorithm algorithm, std::string_view hex) {
  const std::size_t size = size_of(algorithm);
  if (hex.size() != 2 * size)
    corrupt(fmt::format("'{}' is not a {} digest: {} hex digits", hex, to_string(algorithm), 2 * size));
  std::array<std::uint8_t, 64> raw{};
  for (std::size_t i = 0; i < size; ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) corrupt(fmt::format("'{}' is not hexadecimal", hex));
    raw[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return Digest(algorithm, Bytes(raw.data(), size));
}

Digest Digest::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (colon == std::string_view::npos || (name != "sha256" && name != "sha512"))
    corrupt(fmt::format("'{}' is not a digest that can be verified (sha256 and sha512 are)", text));
  const std::string_view hex = text.substr(colon + 1);
  for (const char c : hex)
    if (c >= 'A' && c <= 'F') corrupt(fmt::format("'{}' is not a digest: capital letters", text));
  return from_hex(name == "sha256" ? Algorithm::sha256 : Algorithm::sha512, hex);
}

Digest Digest::sha256_of(Bytes bytes) {
  Hasher hasher(Algorithm::sha256);
  hasher.update(bytes);
  return hasher.finish();
}

std::string Digest::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * size_);
  for (const std::uint8_t byte : raw()) {
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
  }
  return out;
}

std::string Digest::text() const { return std::string(to_string(algorithm_)) + ":" + hex(); }

std::string Digest::short_text() const { return std::string(to_string(algorithm_)) + ":" + hex().substr(0, 12); }

Hasher::Hasher(Algorithm algorithm) : algorithm_(algorithm), state_(EVP_MD_CTX_new()) {
  // A digest needs no openssl.cnf, and reading one is a good part of a short run's start.
  static const int ready = OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  must(ready);
  if (state_ == nullptr) throw std::bad_alloc();
  must(EVP_DigestInit_ex(state_, evp(algorithm_), nullptr));
}

Hasher::~Hasher() { EVP_MD_CTX_free(state_); }

Hasher::Hasher(Hasher&& other) noexcept : algorithm_(other.algorithm_), state_(other.state_) { other.state_ = nullptr; }

Hasher& Hasher::operator=(Hasher&& other) noexcept {
  std::swap(algorithm_, other.algorithm_);
  std::swap(state_, other.state_);
  return *this;
}

void Hasher::update(Bytes bytes) { must(EVP_DigestUpdate(state_, bytes.data(), bytes.size())); }

Digest Hasher::peek_with(Bytes more) const {
  Hasher copy(algorithm_);
  must(EVP_MD_CTX_copy_ex(copy.state_, state_));
  copy.update(more);
  return copy.finish();
}

Digest Hasher::finish() {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> raw{};
  unsigned size = 0;
  must(EVP_DigestFinal_ex(state_, raw.data(), &size));
  must(EVP_DigestInit_ex(state_, evp(algorithm_), nullptr));
  return Digest(algorithm_, Bytes(raw.data(), size));
}

}  // namespace ocilint
