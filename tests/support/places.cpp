#include "places.h"

namespace ocilint::test {

const char* const source_dir = OCILINT_SOURCE_DIR;
const char* const binary = OCILINT_BINARY;
const char* const apt_garbage = OCILINT_APT_GARBAGE;

}  // namespace ocilint::test
