// An image described in YAML: testdata/cases, the examples of rules, the cases of a policy (docs/policy.md):
//
//   config: {user: app, env: [A=b], labels: {k: v}, cmd: [], entrypoint: [], working_dir: /w, stop_signal: S,
//            ports: [80/tcp], volumes: [/v], healthcheck: [CMD, x], annotations: {k: v}}        # all optional
//   others: {base: {layers: …}}    # images to compare with, by their names; optional
//   layers:
//     - run: RUN make install                              # the history line; optional
//       files: {/etc/a: text, /usr/bin/b: {content: x, mode: '4755', owner: '0:0', xattr: {name: value}}}
//       links: {/l: target}   hardlinks: {/m: /etc/a}   directories: [/d]   remove: [/etc/c]   opaque: [/d]
//
// `base64:` in place of `content:` holds any bytes. Entries go into the layer's archive in this order: directories,
// files, links, hardlinks, remove, opaque. Whatever does not fit is Error{policy} with its place. Values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "policy/yaml.h"

namespace ocilint {

struct DescribedLayer {
  std::string archive;     // tar
  std::string created_by;  // its history line, "" for none
};

struct DescribedImage {
  std::vector<DescribedLayer> layers;                            // base first
  std::string config;                                            // the member "config" of its configuration, as JSON
  std::vector<std::pair<std::string, std::string>> annotations;  // of its manifest
  std::vector<std::pair<std::string, DescribedImage>> others;

  /// The documents that are made of it.
  Json configuration() const;
};

DescribedImage read_description(const YamlNode& node);

}  // namespace ocilint
