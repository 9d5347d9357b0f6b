// The policy that somebody begins with: comments, the checks that nearly every image can be held to, and with an image
// those that fit what it carries. Pure.
#pragma once

#include <string>
#include <string_view>

#include "look/starter.h"
#include "run/result.h"

namespace ocilint {

/// What of an image stands in its starter.
struct StarterImage {
  const ImageTraits* traits = nullptr;
  const ImageResult* result = nullptr;  // of the same starter: what its checks say today
};

/// `name` becomes the policy's, whatever it is made of. First without a result; with one, each check says what it
/// comes to, and programs that run with other rights are listed as known.
std::string write_starter(std::string_view name, const StarterImage& image);

}  // namespace ocilint
