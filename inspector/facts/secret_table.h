// The rows of the table of detectors by family; secret_detectors() puts them together. A pattern's first words say
// where the kind of secret is described by its vendor; formats change, so lengths are open at the upper end.
#pragma once

#include <span>

#include "facts/secret_detectors.h"

namespace ocilint::secret_table {

std::span<const Detector> clouds();
std::span<const Detector> forges();    // forges, CI, package registries
std::span<const Detector> models();    // model hubs and language-model services
std::span<const Detector> services();  // chat, mail, payment, monitoring and other services
std::span<const Detector> keys();      // private keys, hashes and what is signed
std::span<const Detector> texts();     // addresses, headers, command lines, named values

}  // namespace ocilint::secret_table
