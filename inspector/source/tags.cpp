#include "source/tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "oci/reference.h"
#include "source/registry.h"

namespace ocilint {
namespace {

std::string_view digits_of(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  return text.substr(0, end);
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

bool tag_before(std::string_view left, std::string_view right) {
  std::string_view a = left, b = right;
  while (!a.empty() && !b.empty()) {
    const std::string_view a_digits = digits_of(a), b_digits = digits_of(b);
    if (a_digits.empty() || b_digits.empty()) {
      if (a[0] != b[0]) return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    const std::string_view a_number = without_zeros(a_digits), b_number = without_zeros(b_digits);
    if (a_number.size() != b_number.size()) return a_number.size() < b_number.size();
    if (a_number != b_number) return a_number < b_number;
    a.remove_prefix(a_digits.size());
    b.remove_prefix(b_digits.size());
  }
  if (a.empty() != b.empty()) return a.empty();
  return left < right;
}

std::vector<std::string> list_tags(std::string_view repository, const RegistryOptions& options) {
  const Reference reference = Reference::parse(repository);
  const std::string& path = reference.path;
  const bool bare = reference.transport == Transport::bare && RegistryName::has_host(path);
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash;
  if ((reference.transport != Transport::registry && !bare) || path.find_first_of(":@", name) != std::string::npos)
    throw Error(ErrorKind::usage,
                fmt::format("'{}': a repository of a registry has tags: docker://HOST[:PORT]/NAME", repository));
  std::vector<std::string> tags = Registry(RegistryName::parse(path), options).tags();
  std::ranges::sort(tags, tag_before);
  return tags;
}

}  // namespace ocilint
