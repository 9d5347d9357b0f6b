// The images that people describe in YAML (cases/image_description.h) as tests have theirs: to be changed, spoilt and
// written as layouts.
#pragma once

#include <string>

#include "cases/image_description.h"
#include "support/oci_writer.h"

namespace ocilint::testing {

inline TestImage test_image(const DescribedImage& described) {
  TestImage out;
  for (const DescribedLayer& layer : described.layers) {
    out.layer_tars.push_back(layer.archive);
    out.created_by.push_back(layer.created_by);
  }
  out.config = Json::parse(described.config);
  for (const auto& [key, value] : described.annotations) out.manifest_extra["annotations"][key] = value;
  for (const auto& [name, other] : described.others) out.others.emplace_back(name, test_image(other));
  return out;
}

inline TestImage describe_image(std::string_view yaml, const std::string& file = "image") {
  return test_image(read_description(YamlNode::parse(yaml, file)));
}

}  // namespace ocilint::testing
