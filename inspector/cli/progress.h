// Progress on standard error. On a terminal a line for each layer that is being read, with its bytes and rate, under
// one that counts; redrawn in place, removed at the end. With "plain" a line a layer when it is done. Nothing in
// logs unless asked for. show() is called by several threads, one at a time.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "run/read_layers.h"

namespace ocilint::cli {

class Progress {
 public:
  Progress(std::string reference, const std::string& mode);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const LayerProgress& step);

 private:
  enum class Mode { none, plain, redrawn };
  using Clock = std::chrono::steady_clock;
  struct Layer {
    LayerProgress step;
    Clock::time_point begun;
  };

  std::string counts(Clock::time_point now) const;
  void draw(Clock::time_point now);

  std::string reference_;
  Mode mode_ = Mode::none;
  std::map<std::pair<std::string, std::size_t>, Layer> layers_;  // by image and number
  Clock::time_point begun_, shown_;
};

}  // namespace ocilint::cli
