// Platforms as the image index lists them (OCI image-index.md, `platform`) and how one is chosen.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ocilint {

struct Platform {
  std::string os, architecture, variant, os_version;

  /// "linux/arm64/v8"; throws Error{usage} when it is not os/arch[/variant].
  static Platform parse(std::string_view text);
  static Platform host();
  std::string text() const;
  bool empty() const { return os.empty() && architecture.empty(); }
  /// Aliases folded: x86_64 -> amd64, aarch64 -> arm64, arm64/v8 -> arm64, arm without variant -> v7.
  Platform normalised() const;
};

/// How well `offered` runs where `wanted` is asked for: nullopt not at all, 0 exactly, higher = older
/// variant.
std::optional<int> distance(const Platform& wanted, const Platform& offered);

}  // namespace ocilint
