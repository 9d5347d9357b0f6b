// Progress on standard error. On a terminal a line for each layer that is being read, with its bytes and rate, under
// one that counts; redrawn in place, removed at the end. While nobody reports anything for a second, one line says what
// is done and for how long: the image is opened, or what was read is looked at. With "plain" a line a layer when it is
// done. Nothing in logs unless asked for. For any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
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

  std::string counts(Clock::time_point now, std::size_t most) const;
  std::string silence_line(Clock::time_point now, std::size_t most) const;
  void draw(Clock::time_point now);
  void draw_when_silent();

  std::string reference_;
  Mode mode_ = Mode::none;
  std::mutex mutex_;                                             // of what follows
  std::map<std::pair<std::string, std::size_t>, Layer> layers_;  // by image and number
  Clock::time_point begun_, told_, shown_;                       // told: show() was called
  bool ended_ = false;
  std::condition_variable end_;
  std::thread silence_;  // draws when nobody calls
};

}  // namespace ocilint::cli
