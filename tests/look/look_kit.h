// For tests of the verbs that look at an image: described images on disk, approved texts, the fixtures.
#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "support/places.h"
#include "report/look_head.h"
#include "report/report_kit.h"
#include "support/check_kit.h"
#include "support/tar_writer.h"

namespace ocilint::testing {

/// Late enough that everything is older.
inline LookStyle looked_at(std::size_t width = 100) {
  using namespace std::chrono;
  return {.color = false, .width = width, .now = sys_days(year(2026) / 6 / 15)};
}

inline RunOptions look_options(std::string reference) {
  RunOptions options;
  options.reference = std::move(reference);
  options.jobs = 2;
  return options;
}

/// Writes the image, looks at it, and names it as if it stood in the working directory.
template <typename Look>
auto look_at(const TestImage& image, Look&& look) {
  const TempDir dir;
  auto value = look(look_options(write_oci_layout(image, dir / "image")));
  value.image.reference = value.image.full_reference = "oci:image";
  return value;
}

/// The texts of an image by hand hold what a terminal, a log or a parser would act on.
inline std::string hostile_text() {
  std::string all = "/";
  for (const std::string& part : hostile_parts())
    if (part.find('\0') == std::string::npos) all += part;
  return all;
}

inline const std::string fixtures = std::string(test::source_dir) + "/../shared/fixtures";

/// Every image of the fixtures that can be resolved without a choice.
inline std::vector<std::string> fixture_references() {
  std::vector<std::string> out;
  if (!std::filesystem::is_directory(fixtures)) {
    WARN("skipped: no fixtures beside the repository");
    return out;
  }
  for (const auto& entry : std::filesystem::directory_iterator(fixtures)) {
    const std::string name = entry.path().filename().string();
    if (name.find("__") != std::string::npos) out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace ocilint::testing
