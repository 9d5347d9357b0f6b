// Digests as the OCI image specification writes them (descriptor.md, "Digests"), and hashing.
//
// A Digest is a value: algorithm and raw bytes. parse() takes the exact grammar only: `sha256:` and 64 lower
// hex digits, `sha512:` and 128; anything else throws Error{corrupt}, before a path or URL is made of it.
// Hasher is OpenSSL's EVP (SHA-NI by itself); md5 and sha1 are there for the lists of
// package managers, not for security.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

struct evp_md_ctx_st;

namespace ocilint {

enum class Algorithm : std::uint8_t { md5, sha1, sha256, sha512 };

std::string_view to_string(Algorithm);
std::size_t size_of(Algorithm);  // bytes of the raw digest

class Digest {
 public:
  Digest() = default;  // empty: equal to no digest that a Hasher makes
  Digest(Algorithm algorithm, Bytes raw);

  static Digest parse(std::string_view text);
  static Digest from_hex(Algorithm algorithm, std::string_view hex);  // either case
  static Digest sha256_of(Bytes bytes);
  static Digest sha256_of(std::string_view text) { return sha256_of(as_bytes(text)); }

  bool empty() const { return size_ == 0; }
  Algorithm algorithm() const { return algorithm_; }
  Bytes raw() const { return {raw_.data(), size_}; }
  std::string hex() const;
  std::string text() const;        // sha256:9c…
  std::string short_text() const;  // sha256:9c1e4726ab01
  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;

 private:
  Algorithm algorithm_ = Algorithm::sha256;
  std::uint8_t size_ = 0;
  std::array<std::uint8_t, 64> raw_{};
};

class Hasher {
 public:
  explicit Hasher(Algorithm algorithm);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void update(Bytes bytes);
  /// The digest so far, or of that and `more`; the hasher itself stays as it is.
  Digest peek() const { return peek_with({}); }
  Digest peek_with(Bytes more) const;
  /// The digest of everything since construction or the last finish(), and starts again.
  Digest finish();

 private:
  Algorithm algorithm_;
  evp_md_ctx_st* state_;
};

}  // namespace ocilint
