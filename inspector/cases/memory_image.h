// A described image as a source of images, of one: its documents and layers are in memory, and are read like those of
// any other image.
//
// `name` is what reports call it. Any thread may open(). Nothing is written anywhere.
#pragma once

#include <memory>
#include <string>

#include "cases/image_description.h"
#include "source/image_store.h"

namespace ocilint {

std::unique_ptr<ImageStore> make_memory_source(const DescribedImage& image, std::string name);

}  // namespace ocilint
