// Which of the images of a folder or archive is meant: by name, by @index, by digest, by platform.
//
// choose() returns the one, or throws Error{usage} with the list of choices (nothing is ever guessed),
// Error{not_found}, Error{unsupported} when there are only artifacts, or the error that reading the chosen
// one gave. Pure: all reading was done before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "oci/platform.h"
#include "oci/reference.h"

namespace ocilint {

struct Choice {
  enum class State { image, artifact, missing, broken };

  State state = State::image;
  std::size_t group = 0;                 // top-level entry that it belongs to
  std::size_t index = 0;                 // place of that in its own list: what @index means
  std::vector<std::string> names;        // ref.name, image name, RepoTags
  std::vector<std::string> digests;      // that it answers to: its own, those of the indexes above it
  std::string digest;                    // its identity: manifest digest, or config digest
  Platform platform;                     // empty: not stated anywhere
  std::optional<Error> problem;          // why it is missing or broken; what kind of artifact it is
  std::size_t item = 0;                  // for the owner
  Transport transport = Transport::oci;  // how it is spelt; for the owner too: a hybrid archive has two lists
};

const Choice& choose(const std::vector<Choice>& choices, const Reference& reference,
                     const std::optional<Platform>& platform);

/// The image of the reference for each of its platforms, in the order of the list, each digest once. What is listed
/// and absent or broken is one of them: who asks for all is not given fewer. Artifacts are none. Throws as choose().
std::vector<const Choice*> every_choice(const std::vector<Choice>& choices, const Reference& reference);
/// That one of them.
const Choice& choose_listed(const std::vector<Choice>& choices, const Reference& reference, const std::string& digest);

}  // namespace ocilint
