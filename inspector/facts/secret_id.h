// Names of values that must not be shown: equal for equal values, and of no use to who has a table of guesses.
//
// "SALT-ID": 16 and 32 hex digits, the second scrypt of the value with the first. An id carries its salt, so that a
// list of ids made with other salts can be compared. What is only another way to write a value (quotes, line
// ends, percent-encoding) has the same id. Cost: scrypt with 8 MiB, about 25 ms an id. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ocilint {

/// A salt from any text: 16 hex digits.
std::string secret_salt(std::string_view text);
std::string secret_id(std::string_view salt, std::string_view value);

/// Is it written as an id?
bool is_secret_id(std::string_view text);
/// The salt of an id.
std::string_view salt_of(std::string_view id);

/// A value that can be compared with ids and cannot be read.
class SecretContent {
 public:
  explicit SecretContent(std::string value) : value_(std::move(value)) {}
  bool has_id(std::string_view id) const { return is_secret_id(id) && secret_id(salt_of(id), value_) == id; }

 private:
  std::string value_;
};

}  // namespace ocilint
