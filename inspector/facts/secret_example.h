// Examples of secrets, made from random values when a test or a bench asks for them, so that nothing in the
// sources looks like a credential.
//
// The template of a detector is literal text with `[A-Z0-9_]{20,40}` for random bytes of a class, `( )` around the
// value that is to be found, `< >` around what is written as base64, and `\` before a byte that stands for itself.
// Deterministic for a seed. Throws Error{internal} for a template that is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ocilint {

struct SecretExample {
  std::string text;
  std::size_t begin = 0, end = 0;  // of the value
};

/// splitmix64: the same numbers everywhere.
class ExampleRandom {
 public:
  explicit ExampleRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  std::string pick(std::string_view choices, std::size_t count);

 private:
  std::uint64_t state_;
};

SecretExample make_example(std::string_view example, ExampleRandom& random);
/// The same form without any randomness, as documentation has it: a mask, which is no secret.
SecretExample make_mask(std::string_view example);

}  // namespace ocilint
