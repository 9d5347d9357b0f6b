#include "cli/references.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "run/tagged_images.h"

namespace ocilint::cli {
namespace {

constexpr std::size_t most_references = 10'000;
constexpr std::size_t longest_list = 4u << 20;  // bytes: references of 400 letters

bool is_standard_input(const std::string& reference) { return reference == "-" || reference.ends_with(":-"); }

/// It can be read once; a second time it is empty, and that would be said of an image that is whole.
void refuse_input_twice(const std::vector<std::string>& references, const std::vector<std::string>& others, bool list) {
  std::size_t count = static_cast<std::size_t>(std::ranges::count_if(references, is_standard_input)) + list;
  for (const std::string& other : others)
    if (is_standard_input(other)) count += std::max<std::size_t>(references.size(), 1);
  if (count > 1) throw Error(ErrorKind::usage, "standard input is named more than once; it is read once");
}

std::string read_list(const std::string& file) {
  std::ifstream opened;
  if (file != "-") opened.open(file, std::ios::binary);
  std::istream& in = file == "-" ? std::cin : opened;
  std::string text(longest_list + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad() || !in.eof()) {
    if (text.size() > longest_list)
      throw Error(ErrorKind::usage, fmt::format("--images-from {}: a list has at most {} bytes", file, longest_list));
    throw Error(ErrorKind::usage, fmt::format("--images-from {}: the list cannot be read", file));
  }
  return text;
}

std::vector<std::string> references_of(const std::string& file) {
  std::vector<std::string> out;
  std::istringstream lines(read_list(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos || last == std::string::npos || line[first] == '#') continue;
    out.push_back(line.substr(first, last - first + 1));
  }
  // A list that a script made empty must not look like a run without findings.
  if (out.empty()) throw Error(ErrorKind::usage, fmt::format("--images-from {}: the list names no image", file));
  return out;
}

}  // namespace

void add_reference_options(CLI::App& app, ReferenceArguments& arguments) {
  app.add_option("REF", arguments.named,
                 "oci:DIR, oci-archive:FILE or docker-archive:FILE, each with :NAME or :@N where it holds several "
                 "images; dir:DIR; docker://HOST/NAME:TAG of a registry; docker-daemon:NAME of an engine; - for an "
                 "archive on standard input; or a path");
  const char* const group = "Many images";
  app.add_option("--images-from", arguments.images_from,
                 "a list of further images, a REF a line, # for comments; - for standard input")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--tags", arguments.repositories,
                 "the tags of a repository, docker://HOST/NAME, each an image; repeatable")
      ->type_name("REPOSITORY")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--match", arguments.match, "those tags only that this regular expression matches from end to end")
      ->type_name("REGEX")
      ->group(group);
}

void verify(const ReferenceArguments& arguments, const std::vector<std::string>& others) {
  if (arguments.named.empty() && arguments.images_from.empty() && arguments.repositories.empty())
    throw Error(ErrorKind::usage, "REF is required, or --images-from FILE, or --tags docker://HOST/NAME");
  if (!arguments.match.empty() && arguments.repositories.empty())
    throw Error(ErrorKind::usage, "--match chooses among the tags of a repository: --tags docker://HOST/NAME");
  if (!arguments.match.empty()) verify_tag_pattern(arguments.match);
  refuse_input_twice(arguments.named, others, arguments.images_from == "-");
}

std::vector<std::string> unread_names(const ReferenceArguments& arguments) {
  std::vector<std::string> out = arguments.named;
  if (!arguments.images_from.empty()) out.push_back("--images-from " + arguments.images_from);
  out.insert(out.end(), arguments.repositories.begin(), arguments.repositories.end());
  return out;
}

References gather(const ReferenceArguments& arguments, const std::vector<std::string>& others,
                  const RegistryOptions& registry) {
  References out;
  out.images = arguments.named;
  if (!arguments.images_from.empty()) {
    const std::vector<std::string> listed = references_of(arguments.images_from);
    out.images.insert(out.images.end(), listed.begin(), listed.end());
  }
  refuse_input_twice(out.images, others, arguments.images_from == "-");
  for (const std::string& repository : arguments.repositories) {
    try {
      const std::vector<std::string> tagged = tagged_images(repository, arguments.match, registry);
      out.images.insert(out.images.end(), tagged.begin(), tagged.end());
    } catch (Error& error) {
      error.within("--tags");
      out.unlisted.emplace_back(repository, error);
    }
  }
  if (out.images.size() > most_references)
    throw Error(ErrorKind::usage,
                fmt::format("{} images are named, a run takes at most {}", out.images.size(), most_references));
  return out;
}

}  // namespace ocilint::cli
