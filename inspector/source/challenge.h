// WWW-Authenticate as registries send it (RFC 9110, 11.6.1): schemes with parameters, several in one header.
//
// Hostile text: what is no challenge is left out, nothing is guessed. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ocilint {

struct Challenge {
  std::string scheme;                             // lower case
  std::map<std::string, std::string> parameters;  // names in lower case
};

std::vector<Challenge> parse_challenges(std::string_view header);

}  // namespace ocilint
