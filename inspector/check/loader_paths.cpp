// The parts of a walk that are about texts: RPATH, RUNPATH, LD_LIBRARY_PATH, $ORIGIN and its like; and versions.
#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "check/loader_walk.h"

namespace ocilint {
namespace {

bool is_identifier(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// Length of the token `name` at the start of `text` (what follows the `$`), braces included; 0 when it is another.
std::size_t token_length(std::string_view text, std::string_view name) {
  if (text.starts_with('{')) {
    const bool is = text.substr(1).starts_with(name) && text.substr(1 + name.size()).starts_with('}');
    return is ? name.size() + 2 : 0;
  }
  if (!text.starts_with(name)) return 0;
  return text.size() > name.size() && is_identifier(text[name.size()]) ? 0 : name.size();
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string LoaderWalk::absolute(std::string_view path) const {
  return path.starts_with('/') ? std::string(path) : join(system_.working_directory(), path);
}

std::string LoaderWalk::origin_of(std::size_t object) const {
  return directory_of(absolute(closure_.objects[object].path));
}

std::string LoaderWalk::expand(std::size_t object, std::string_view text) const {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t dollar = std::min(text.find('$', at), text.size());
    out += text.substr(at, dollar - at);
    if (dollar == text.size()) break;
    const std::string_view rest = text.substr(dollar + 1);
    at = dollar + 1;
    if (const std::size_t origin = token_length(rest, "ORIGIN"); origin != 0) {
      out += origin_of(object);
      at += origin;
    } else if (const std::size_t platform = token_length(rest, "PLATFORM"); platform != 0) {
      if (loader_->platform.empty()) return {};  // a path with a token that has no value is no path
      out += loader_->platform;
      at += platform;
    } else if (const std::size_t lib = token_length(rest, "LIB"); lib != 0) {
      out += loader_->lib;
      at += lib;
    } else {
      out += '$';
    }
  }
  return out;
}

std::vector<std::string> LoaderWalk::expand_list(std::size_t object, std::string_view list,
                                                 std::string_view separators) const {
  std::vector<std::string> out;
  if (list.empty()) return out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, at), list.size());
    const std::string_view element = list.substr(at, end - at);
    at = end + 1;
    if (element.empty()) {
      out.emplace_back();  // the working directory
      continue;
    }
    std::string directory = expand(object, element);
    if (directory.empty()) continue;
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    out.push_back(std::move(directory));
  }
  return out;
}

/// musl: empty elements do not count, and one token other than $ORIGIN voids the whole list.
std::vector<std::string> LoaderWalk::expand_musl(std::size_t object, std::string_view list) const {
  std::string text;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t dollar = std::min(list.find('$', at), list.size());
    text += list.substr(at, dollar - at);
    if (dollar == list.size()) break;
    const std::string_view rest = list.substr(dollar);
    const std::size_t length = rest.starts_with("$ORIGIN") ? 7 : rest.starts_with("${ORIGIN}") ? 9 : 0;
    if (length == 0 || closure_.secure) return {};
    text += origin_of(object);
    at = dollar + length;
  }
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(":\n", at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

const std::vector<std::string>& LoaderWalk::rpath_of(std::size_t object) {
  const auto [place, fresh] = rpaths_.try_emplace(object);
  const ElfFacts* const facts = closure_.objects[object].facts;
  if (!fresh || facts == nullptr) return place->second;
  if (musl()) {
    const auto& list = facts->runpath ? facts->runpath : facts->rpath;
    if (list) place->second = expand_musl(object, *list);
  } else if (facts->rpath && !facts->runpath) {
    place->second = expand_list(object, *facts->rpath, ":");
  }
  return place->second;
}

const std::vector<std::string>& LoaderWalk::runpath_of(std::size_t object) {
  const auto [place, fresh] = runpaths_.try_emplace(object);
  const ElfFacts* const facts = closure_.objects[object].facts;
  if (fresh && facts != nullptr && facts->runpath) place->second = expand_list(object, *facts->runpath, ":");
  return place->second;
}

const std::vector<std::string>& LoaderWalk::library_path() {
  if (!library_path_) {
    library_path_.emplace();
    const auto& text = system_.library_path();
    if (text && !closure_.secure) library_path_ = musl() ? expand_musl(0, *text) : expand_list(0, *text, ":;");
  }
  return *library_path_;
}

std::vector<LoaderWalk::Search> LoaderWalk::lists_for(std::optional<std::size_t> requester) {
  std::vector<Search> lists;
  const auto add_chain = [&] {
    for (std::optional<std::size_t> object = requester; object; object = closure_.objects[*object].loader)
      if (const auto& list = rpath_of(*object); !list.empty()) lists.push_back({LoadPlace::rpath, &list});
  };
  const auto add_environment = [&] {
    if (const auto& list = library_path(); !list.empty()) lists.push_back({LoadPlace::library_path, &list});
  };
  if (musl()) {
    add_environment();
    add_chain();
    return lists;
  }
  // An object with RUNPATH uses nobody's RPATH, not even the program's.
  if (requester && !closure_.objects[*requester].facts->runpath) add_chain();
  add_environment();
  if (requester)
    if (const auto& list = runpath_of(*requester); !list.empty()) lists.push_back({LoadPlace::runpath, &list});
  return lists;
}

void LoaderWalk::check_versions() {
  for (std::size_t object = 0; object < closure_.objects.size(); ++object)
    if (closure_.objects[object].facts != nullptr) check_versions_of(object);
}

void LoaderWalk::check_versions_of(std::size_t object) {
  const ElfFacts& facts = *closure_.objects[object].facts;
  const auto fault = [&](const std::string& file, const std::string& version, std::optional<std::size_t> provider,
                         bool known, std::string reason) {
    closure_.version_faults.push_back({object, file, version, provider, known, std::move(reason)});
  };
  if (!facts.was_read(ElfPart::versions)) {
    fault("", "", std::nullopt, false, "the versions that it needs could not be read");
    return;
  }
  for (const auto& [file, versions] : facts.verneed) {
    const auto provider = loaded_as(file);
    if (!provider) {
      // A library that is missing is told once. One that nobody asked for stops the loader.
      const bool asked = std::ranges::any_of(closure_.edges, [&name = file](const LoadEdge& edge) {
        return edge.name == name && edge.state != EdgeState::resolved;
      });
      if (!asked && !versions.empty())
        fault(file, versions.front(), std::nullopt, true, "no library of that name is loaded");
      continue;
    }
    const ElfFacts* const other = closure_.objects[*provider].facts;
    const auto weak = facts.verneed_weak.find(file);
    for (const std::string& version : versions) {
      ++closure_.versions_checked;
      if (other == nullptr || !other->was_read(ElfPart::versions)) {
        fault(file, version, provider, false, "the versions that it defines could not be read");
        break;
      }
      // A provider without any version is accepted (glibc: "no version information available").
      if (other->verdef.empty() || std::ranges::find(other->verdef, version) != other->verdef.end()) continue;
      if (weak != facts.verneed_weak.end() && std::ranges::find(weak->second, version) != weak->second.end()) continue;
      fault(file, version, provider, true, "not defined there");
    }
  }
}

}  // namespace ocilint
