// The images that checks compare with (--with NAME=REF): resolved and read once in a run, for each platform that
// images of the run have, and then shown to every one of them.
//
// Whatever fails of one is an error of each image that is compared with it; nothing is tried twice. Owns the images;
// they stay where they are. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/evaluate.h"
#include "run/read_image.h"

namespace ocilint {

class OtherImages {
 public:
  OtherImages(const RunOptions& options, const RunPlan& plan) : options_(options), plan_(plan) {}

  struct Other {
    std::string name, reference;
    ReadImage* image = nullptr;
    bool earlier = false;  // an earlier image of the run was compared with it
  };

  /// Those that checks compare with and the command line names, resolved for the platform of `main`. Called for each
  /// image of the run before its layers are read.
  std::vector<Other> resolve(const Image& main);
  /// Reads and merges one; layers that `main` has are taken over from it.
  void read(const Other& other, const ReadImage& main);
  void read_again(const Other& other, const Refill& missing);

 private:
  struct Held {
    std::optional<ReadImage> image;
    std::optional<Error> failed;
    bool merged = false;
  };

  Held& held(const Other& other);
  template <typename Step>
  void attempt(const std::string& name, Held& held, Step&& step);

  const RunOptions& options_;
  const RunPlan& plan_;
  std::map<std::pair<std::string, std::string>, Held> held_;  // by name and platform
};

}  // namespace ocilint
