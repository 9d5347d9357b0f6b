// The flags that bound what a run may take: --max-… of an image that is only large, and --timeout.
#pragma once

#include "run/run.h"

namespace CLI {
class App;
}

namespace ocilint::cli {

/// Limits that an image which is only large may meet. The others are beyond what a runtime takes.
void add_limits(CLI::App& app, ImageLimits& limits);
void add_timeout(CLI::App& app, unsigned& seconds);

}  // namespace ocilint::cli
