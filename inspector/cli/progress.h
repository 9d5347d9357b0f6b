// Progress on standard error: one line redrawn on a terminal, removed at the end; with "plain" a line a layer;
// nothing in logs unless asked for. show() is called by several threads, one at a time.
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

  std::string reference_;
  Mode mode_ = Mode::none;
  std::map<std::pair<std::string, std::size_t>, LayerProgress> layers_;  // by image and number
  std::chrono::steady_clock::time_point begun_, shown_;
};

}  // namespace ocilint::cli
