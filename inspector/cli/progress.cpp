#include "cli/progress.h"

#include <fmt/format.h>

#include <iostream>

#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "report/escape.h"
#include "report/report.h"

namespace ocilint::cli {

using namespace std::chrono_literals;

Progress::Progress(std::string reference, const std::string& mode)
    : reference_(std::move(reference)), begun_(std::chrono::steady_clock::now()), shown_(begun_) {
  if (mode == "plain") mode_ = Mode::plain;
  if (mode == "auto" && error_is_terminal()) mode_ = Mode::redrawn;
}

Progress::~Progress() {
  erase_progress();
}

void Progress::show(const LayerProgress& step) {
  layers_[{step.image, step.layer}] = step;
  const auto now = std::chrono::steady_clock::now();
  if (mode_ == Mode::plain && step.done)
    std::cerr << for_terminal(step.image.empty() ? "" : step.image + ", ")
              << fmt::format("layer {}: {} read\n", step.layer, human_bytes(step.stored_bytes));
  // Nobody wants to see a line flash by.
  if (mode_ != Mode::redrawn || now - begun_ < 500ms || now - shown_ < 100ms) return;
  shown_ = now;
  std::uint64_t bytes = 0;
  std::size_t done = 0;
  for (const auto& [layer, progress] : layers_) {
    bytes += progress.stored_bytes;
    done += progress.done;
  }
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const std::string text = fmt::format("{}: {} read, {}/s, {} layers done", reference_, human_bytes(bytes),
                                       human_bytes(static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds)), done);
  // Said before it is drawn: a line too many erased does no harm.
  progress_stands(true);
  std::cerr << "\r\x1b[K" << for_terminal(text, terminal_width() - 1) << std::flush;
}

}  // namespace ocilint::cli
