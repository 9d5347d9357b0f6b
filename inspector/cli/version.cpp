#include "cli/version.h"

namespace ocilint::cli {

std::string_view version() { return OCILINT_VERSION; }

}  // namespace ocilint::cli
