// Docker images from before 2016: a chain of "v1" JSON documents, one a layer, instead of a config; and the
// schema 1 manifest that lists them, newest first (distribution-spec history; read only).
//
// No such document states a diff ID. Throws Error{corrupt, limit}. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "oci/config.h"

namespace ocilint {

/// The config that a chain of v1 documents amounts to. `chain` is base first; the last one gives the config,
/// and is `raw`; the history is made of all.
Config config_of_chain(const std::vector<std::string>& chain);

struct Schema1 {
  struct Layer {
    Digest digest;
    bool throwaway = false;  // no content: metadata steps
  };
  std::vector<Layer> layers;       // base first, throwaway ones included
  std::vector<std::string> chain;  // v1 documents, base first, as many
  std::string raw;

  static bool is(const Json& document);
  static Schema1 parse(std::string raw);
};

}  // namespace ocilint
