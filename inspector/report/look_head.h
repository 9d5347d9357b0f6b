// What the reports of every verb that looks at an image begin with.
//
// Texts are for a terminal or for JSON already; strings of a LookedAt are raw bytes without secrets. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "look/open_image.h"

namespace ocilint {

struct LookStyle {
  bool color = false;
  std::size_t width = 0;  // columns of a terminal; 0: a file or a pipe, nothing is broken
  std::chrono::sys_seconds now{};
};

/// "oci:image:tag@sha256:… · linux/amd64 · 3 layers, 1.2 GiB" as a bold line; where that is wider than the terminal,
/// what follows the digest is a line of its own. `before` begins it.
std::string heading(const LookedAt& image, const LookStyle& style, std::string_view before = "");

/// {"schema_version", "tool", "verb", "image": {…}}
nlohmann::ordered_json look_document(std::string_view verb, const LookedAt& image);

std::string count_of(std::size_t count, std::string_view what);  // "1 file", "2 files"

/// 12 digits of a digest, or the begin of what a layer is called instead.
std::string short_name(std::string_view layer_name);

}  // namespace ocilint
