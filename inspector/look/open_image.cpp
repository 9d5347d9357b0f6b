#include "look/open_image.h"

#include <optional>

namespace ocilint {

void with_image(const RunOptions& options, const LookBody& body) {
  std::optional<ReadImage> read;
  try {
    read.emplace(open_source(options, options.reference), Selection{options.platform});
    const Image* const images[] = {&read->image()};
    body(*read, redactor(images));
  } catch (const Error& error) {
    // What ended the look may quote the image.
    std::string why = error.what();
    if (read) {
      const Image* const images[] = {&read->image()};
      redactor(images)(why);
    } else {
      redactor({})(why);
    }
    throw Error(error.kind(), std::move(why));
  }
}

LookedAt describe_image(const RunOptions& options, const Image& image, const RedactText& redact) {
  LookedAt out{options.reference,     image.reference,     image.manifest_digest,
               image.platform.text(), image.layers.size(), 0};
  for (const LayerSource& layer : image.layers) out.stored_bytes += layer.size.value_or(0);
  for (std::string* const text : {&out.reference, &out.full_reference, &out.platform}) redact(*text);
  return out;
}

void read_all(ReadImage& image, const RunOptions& options, Demand& demand) {
  demand.freeze();
  image.read(demand, options);
  image.merge(options);
}

}  // namespace ocilint
