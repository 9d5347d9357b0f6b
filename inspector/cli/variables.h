// OCILINT_FAIL_ON stands for --fail-on: every option of `check`, and those that the other verbs share with it, may be
// set once for all jobs. The command line wins. An option that already has a variable keeps it.
#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace ocilint::cli {

/// For each option that `app` has so far, but help and `without`.
void name_variables(CLI::App& app, std::string_view without = "");

}  // namespace ocilint::cli
