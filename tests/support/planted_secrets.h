// Secrets for tests, made at run time, and where they stand in a text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "facts/secret_detectors.h"
#include "facts/secret_example.h"

namespace ocilint::test {

/// An example of a detector.
inline SecretExample planted(std::string_view detector, std::uint64_t seed) {
  ExampleRandom random(seed);
  return make_example(DetectorSet::standard().find(detector)->example, random);
}

inline std::string value_of(const SecretExample& example) {
  return example.text.substr(example.begin, example.end - example.begin);
}

struct Span {
  std::uint64_t begin, end;
  friend auto operator<=>(const Span&, const Span&) = default;
};

/// What a look at the whole text finds: overlapping hits made one.
inline std::vector<Span> spans_of(std::string_view text, SecretScope scope,
                                  const DetectorSet& set = DetectorSet::standard()) {
  auto hits = set.scan(text, scope);
  std::ranges::stable_sort(hits, {}, &ShapeHit::begin);
  std::vector<Span> out;
  for (const ShapeHit& hit : hits) {
    if (!out.empty() && hit.begin < out.back().end)
      out.back().end = std::max<std::uint64_t>(out.back().end, hit.end);
    else
      out.push_back({hit.begin, hit.end});
  }
  return out;
}

}  // namespace ocilint::test
