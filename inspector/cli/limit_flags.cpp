#include "cli/limit_flags.h"

#include <CLI/CLI.hpp>

namespace ocilint::cli {

void add_limits(CLI::App& app, ImageLimits& limits) {
  const std::string usual = app.option_defaults()->get_group();
  app.option_defaults()->group("Limits");
  app.add_option("--max-entries", limits.entries, "entries of all layers together, 4 million unless stated")
      ->type_name("N");
  const auto size = [&app](const char* name, std::uint64_t& into, const char* what) {
    app.add_option(name, into, what)->transform(CLI::AsSizeValue(false))->type_name("SIZE");
  };
  size("--max-layer", limits.layer_unpacked_bytes, "unpacked bytes of one layer, as in 100GiB; 64GiB unless stated");
  size("--max-unpacked", limits.unpacked_bytes, "unpacked bytes of all layers together; 256GiB unless stated");
  size("--max-kept", limits.kept_bytes, "bytes of file contents kept for checks; 1GiB unless stated");
  app.option_defaults()->group(usual);
}

void add_timeout(CLI::App& app, unsigned& seconds) {
  constexpr unsigned longest = 7 * 24 * 3600;
  app.add_option("--timeout", seconds, "end the run after so many seconds, with exit status 3")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, longest))
      ->group("Other");
}

}  // namespace ocilint::cli
