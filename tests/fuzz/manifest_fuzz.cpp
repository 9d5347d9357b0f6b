// Every document of an image: whatever the bytes, a value or an Error, and equal bytes give equal answers.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "oci/config.h"
#include "oci/legacy.h"
#include "oci/manifest.h"
#include "oci/reference.h"

namespace {

using namespace ocilint;

template <typename Parse>
void attempt(Parse parse) {
  try {
    parse();
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::internal) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  attempt([&] { (void)parse_json(text); });
  attempt([&] {
    const Manifest manifest = Manifest::parse(text);
    if (manifest.raw != text || manifest.layers.size() > max_layers) __builtin_trap();
    (void)manifest.is_image();
    // No document may be read as both (CVE-2021-41190).
    bool index = true;
    try {
      (void)Index::parse(text);
    } catch (const Error&) {
      index = false;
    }
    if (index) __builtin_trap();
  });
  attempt([&] { (void)Index::parse(text); });
  attempt([&] {
    const Config config = Config::parse(text);
    const HistoryPairing pairing = pair_history(config.history, config.diff_ids.size());
    if (pairing.entry_of_layer.size() != config.diff_ids.size()) __builtin_trap();
  });
  attempt([&] { (void)config_of_chain(Schema1::parse(text).chain); });
  attempt([&] {
    const Reference reference = Reference::parse(text);
    if (Reference::parse(reference.text()).text() != reference.text()) __builtin_trap();
  });
  return 0;
}
