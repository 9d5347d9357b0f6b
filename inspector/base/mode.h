// Permission bits as policies write them: octal in quotes ('0644') or symbolic ('o+w', 'ug+s,o+rwx').
//
// Only `+` has a meaning here: which bits are spoken of. Throws Error{policy}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ocilint {

struct ModeSpec {
  bool octal = false;      // an exact mode, not a set of bits
  std::uint32_t bits = 0;  // of 07777

  static ModeSpec parse(std::string_view text);
};

std::string mode_text(std::uint32_t mode);  // "0644"

}  // namespace ocilint
