// The image configuration (OCI config.md; Docker's fields kept): what runs, and how the layers came about.
//
// parse() keeps the raw bytes and the whole document, since rules look at keys that no type names. Absent
// fields are empty: real images lack os, architecture, rootfs or history. Throws Error{corrupt} for malformed
// values of known fields (a diff ID that is no digest, an Env that is no list of strings).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "oci/descriptor.h"
#include "oci/platform.h"

namespace ocilint {

struct History {
  std::string created, created_by, comment, author;
  bool empty_layer = false;
};

struct Config {
  Platform platform;
  std::string created, author;
  std::string user, working_dir, stop_signal;
  std::vector<std::string> env;  // NAME=value, order kept
  std::vector<std::string> entrypoint, cmd, shell, on_build, exposed_ports, volumes, healthcheck;
  std::map<std::string, std::string> labels;
  std::vector<Digest> diff_ids;
  std::vector<History> history;
  std::string raw;
  std::shared_ptr<const Json> document;  // the same, parsed; null in a Config that was not parsed

  static Config parse(std::string raw);
  std::optional<std::string> env_value(std::string_view name) const;  // the last of that name
};

/// History entries paired with layers, in order. Where the counts differ the pairing is not certain.
struct HistoryPairing {
  std::vector<std::optional<std::size_t>> entry_of_layer;  // index into history
  bool certain = true;
};
HistoryPairing pair_history(const std::vector<History>& history, std::size_t layers);

}  // namespace ocilint
