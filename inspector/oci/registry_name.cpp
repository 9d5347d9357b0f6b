#include "oci/registry_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace ocilint {
namespace {

constexpr std::size_t longest_name = 255;  // host and repository together, as engines have it
constexpr std::size_t longest_tag = 128;
constexpr std::string_view hub = "docker.io";

bool digit(char c) { return c >= '0' && c <= '9'; }
bool lower(char c) { return (c >= 'a' && c <= 'z') || digit(c); }
bool letter(char c) { return lower(c) || (c >= 'A' && c <= 'Z'); }

bool all(std::string_view text, bool (*fits)(char)) { return !text.empty() && std::ranges::all_of(text, fits); }

bool is_port(std::string_view text) { return all(text, digit) && text.size() <= 5; }

/// A DNS name, an IPv4 address, or an IPv6 address in brackets; then a port.
bool is_host(std::string_view text) {
  std::string_view name = text;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    const auto address = [](char c) {
      return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':';
    };
    if (!all(text.substr(1, end - 1), address)) return false;
    const std::string_view rest = text.substr(end + 1);
    return rest.empty() || (rest[0] == ':' && is_port(rest.substr(1)));
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    if (!is_port(text.substr(colon + 1))) return false;
    name = text.substr(0, colon);
  }
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    const auto fits = [](char c) { return letter(c) || c == '-'; };
    if (!all(label, fits) || label.front() == '-' || label.back() == '-') return false;
    if (label.size() == name.size()) return true;
    name.remove_prefix(label.size() + 1);
  }
  return false;
}

/// Words of lower letters and digits, joined by '.', '_', '__' or any number of '-'.
bool is_component(std::string_view text) {
  std::size_t at = 0;
  for (;;) {
    const std::size_t word = at;
    while (at < text.size() && lower(text[at])) ++at;
    if (at == word) return false;
    if (at == text.size()) return true;
    const std::size_t joint = at;
    while (at < text.size() && !lower(text[at])) ++at;
    const std::string_view between = text.substr(joint, at - joint);
    const bool dashes = between.find_first_not_of('-') == std::string_view::npos;
    if (between != "." && between != "_" && between != "__" && !dashes) return false;
  }
}

bool is_repository(std::string_view text) {
  for (;;) {
    const std::size_t slash = text.find('/');
    if (!is_component(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

}  // namespace

bool RegistryName::is_tag(std::string_view text) {
  const auto fits = [](char c) { return letter(c) || c == '_' || c == '.' || c == '-'; };
  return all(text, fits) && text.size() <= longest_tag && text[0] != '.' && text[0] != '-';
}

bool RegistryName::has_host(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view first = text.substr(0, slash);
  return is_host(first) && (first == "localhost" || first.find_first_of(".:") != std::string_view::npos);
}

RegistryName RegistryName::parse(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::usage,
                fmt::format("'docker://{}': {}; an image of a registry is docker://HOST[:PORT]/NAME[:TAG][@DIGEST]",
                            text, why));
  };
  RegistryName out;
  std::string_view rest = text;
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    try {
      out.digest = Digest::parse(rest.substr(at + 1));
    } catch (const Error&) {
      refuse("what follows the @ is no digest");
    }
    rest = rest.substr(0, at);
  }
  if (has_host(rest)) {
    const std::size_t slash = rest.find('/');
    out.host = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
  } else {
    // Meant as a host, it must not become a name at another one.
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos && rest.substr(0, slash).find('.') != std::string_view::npos)
      refuse("what stands before the first '/' is no host");
    out.host = hub;
  }
  if (out.host == "index.docker.io" || out.host == "registry-1.docker.io") out.host = hub;
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    out.tag = rest.substr(colon + 1);
    if (!is_tag(out.tag)) refuse("the tag has other characters than letters, digits, '_', '.' and '-', or is too long");
    rest = rest.substr(0, colon);
  }
  if (!is_repository(rest)) refuse("a name is of lower letters and digits, joined by '.', '_', '-' and '/'");
  out.repository = rest;
  if (out.host == hub && rest.find('/') == std::string_view::npos) out.repository = "library/" + out.repository;
  if (out.host.size() + out.repository.size() >= longest_name) refuse("the name is too long");
  if (out.tag.empty() && !out.digest) out.tag = "latest";
  return out;
}

std::string RegistryName::text() const {
  return image() + (tag.empty() ? "" : ":" + tag) + (digest ? "@" + digest->text() : "");
}

std::string RegistryName::address() const { return host == hub ? "registry-1.docker.io" : host; }

}  // namespace ocilint
