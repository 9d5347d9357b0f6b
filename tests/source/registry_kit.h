// Shared by the tests of registries: short limits, an image in a real registry, reading through a proxy.
#pragma once

#include <catch2/catch.hpp>

#include "blob/verified_reader.h"
#include "source/open.h"
#include "support.h"
#include "support/real_registry.h"

namespace ocilint::testing {

/// Nothing waits for long, and nothing is looked for outside of the test.
inline RegistryOptions quick() {
  RegistryOptions out;
  out.http.first_wait = std::chrono::milliseconds(10);
  out.http.all_waits = std::chrono::milliseconds(1500);
  out.http.longest_wait = std::chrono::milliseconds(1000);
  out.http.stall = std::chrono::milliseconds(400);
  out.http.connect = std::chrono::milliseconds(3000);
  return out;
}

struct ReadBack {
  Image image;
  std::vector<std::string> layers;
  std::optional<Refusal> refused;
};

/// Resolves and reads every layer as the run does, verified; or says why not.
inline ReadBack read_back(const std::string& reference, const RegistryOptions& options = quick(),
                          const std::optional<std::string>& platform = {}) {
  ReadBack out;
  try {
    Selection selection;
    if (platform) selection.platform = Platform::parse(*platform);
    const auto source = open_source(Reference::parse(reference), options);
    out.image = source->resolve(selection);
    for (const LayerSource& layer : out.image.layers) {
      VerifiedReader reader(source->open(layer), layer.digest, layer.size);
      std::string& text = out.layers.emplace_back();
      std::vector<std::uint8_t> step(50'000);
      while (const std::size_t got = reader.read(step)) text += as_text(Bytes(step).first(got));
    }
  } catch (const Error& e) {
    out.refused = Refusal{e.kind(), e.what()};
  }
  return out;
}

/// Bytes that no compression makes small, the same in every run.
inline std::string noise(std::size_t size, std::uint32_t seed = 1) {
  std::string out(size, '\0');
  for (char& c : out) {
    seed = seed * 1664525U + 1013904223U;
    c = static_cast<char>(seed >> 24);
  }
  return out;
}

inline TestImage large_image() {
  TestImage image;
  image.layer_tars = {tar_entry("big", noise(600'000)) + tar_end(), tar_entry("small", "content") + tar_end()};
  image.created_by = {"COPY big", "COPY small"};
  return image;
}

#define OCILINT_NEEDS_REGISTRY()                                                                    \
  if (!RealRegistry::is_there()) {                                                                  \
    WARN("skipped: docker-registry, skopeo, htpasswd and openssl are needed (scripts/setup test)"); \
    return;                                                                                         \
  }

}  // namespace ocilint::testing
