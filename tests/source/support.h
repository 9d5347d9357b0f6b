// Shared by the tests of this stage.
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "source/open.h"
#include "support/oci_writer.h"

namespace ocilint::testing {

inline Image resolve(const std::string& reference, const std::optional<std::string>& platform = {}) {
  Selection selection;
  if (platform) selection.platform = Platform::parse(*platform);
  return open_source(Reference::parse(reference))->resolve(selection);
}

struct Refusal {
  ErrorKind kind = ErrorKind::internal;
  std::string text;
};

/// The error that resolving gives, or else opening a layer; fails the test when there is none.
inline Refusal refusal(const std::string& reference, const std::optional<std::string>& platform = {}) {
  try {
    Selection selection;
    if (platform) selection.platform = Platform::parse(*platform);
    const auto source = open_source(Reference::parse(reference));
    for (const LayerSource& layer : source->resolve(selection).layers) (void)source->open(layer);
  } catch (const Error& e) {
    return {e.kind(), e.what()};
  }
  FAIL_CHECK(reference << " was accepted");
  return {};
}

inline std::string bytes_of(const Source& source, const LayerSource& layer) {
  std::string out;
  std::vector<std::uint8_t> buffer(10'000);
  const auto stream = source.open(layer);
  while (const std::size_t got = stream->read(buffer)) out += as_text(Bytes(buffer).first(got));
  return out;
}

inline bool has_oddity(const Image& image, std::string_view id) {
  for (const Oddity& oddity : image.oddities)
    if (oddity.id == id) return true;
  return false;
}

inline std::size_t count(const Image& image, Document::Kind kind) {
  std::size_t found = 0;
  for (const Document& document : image.documents) found += document.kind == kind ? 1 : 0;
  return found;
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

inline TestImage image_of(std::vector<std::string> names) {
  TestImage image;
  for (const std::string& name : names) {
    image.layer_tars.push_back(tar_entry(name, "content of " + name) + tar_end());
    image.created_by.push_back("COPY " + name);
  }
  return image;
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Packs files of a folder (relative names) into a tar.
inline std::string tar_of_folder(const std::string& dir) {
  std::string out;
  for (const auto& item : std::filesystem::recursive_directory_iterator(dir))
    if (item.is_regular_file())
      out += tar_entry(std::filesystem::relative(item.path(), dir).string(), slurp(item.path().string()));
  return out + tar_end();
}

}  // namespace ocilint::testing
