#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "report/escape.h"
#include "report/report.h"

namespace ocilint::cli {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_layers = 16;  // more lines than that are no help

std::string rate(std::uint64_t bytes, std::chrono::duration<double> time) {
  const double seconds = std::max(time.count(), 0.001);
  return human_bytes(static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds)) + "/s";
}

std::string name_of(const LayerProgress& step) {
  return (step.image.empty() ? "" : step.image + ", ") + fmt::format("layer {}", step.layer);
}

}  // namespace

Progress::Progress(std::string reference, const std::string& mode)
    : reference_(std::move(reference)), begun_(Clock::now()), shown_(begun_) {
  if (mode == "plain") mode_ = Mode::plain;
  if (mode == "auto" && error_is_terminal()) mode_ = Mode::redrawn;
}

Progress::~Progress() { erase_progress(); }

void Progress::show(const LayerProgress& step) {
  const auto now = Clock::now();
  Layer& layer = layers_.try_emplace({step.image, step.layer}, Layer{step, now}).first->second;
  layer.step = step;
  if (mode_ == Mode::plain && step.done)
    std::cerr << for_terminal(name_of(step))
              << fmt::format(": {} read, {}\n", human_bytes(step.stored_bytes), rate(step.stored_bytes, now - layer.begun));
  // Nobody wants to see a line flash by.
  if (mode_ != Mode::redrawn || now - begun_ < 500ms || now - shown_ < 100ms) return;
  shown_ = now;
  draw(now);
}

std::string Progress::counts(Clock::time_point now) const {
  std::uint64_t bytes = 0;
  std::size_t done = 0;
  for (const auto& [key, layer] : layers_) {
    bytes += layer.step.stored_bytes;
    done += layer.step.done;
  }
  return fmt::format("{}: {} read, {}, {} layer{} done", reference_, human_bytes(bytes), rate(bytes, now - begun_), done,
                     done == 1 ? "" : "s");
}

void Progress::draw(Clock::time_point now) {
  const TerminalSize size = error_size();
  std::vector<std::string> lines = {counts(now)};
  const std::size_t most = std::clamp<std::size_t>(size.rows, 3, most_layers + 2) - 1;
  std::size_t more = 0;
  for (const auto& [key, layer] : layers_) {
    if (layer.step.done) continue;
    if (lines.size() + 1 >= most && ++more > 0) continue;
    std::string text = fmt::format("  {}: {}", name_of(layer.step), human_bytes(layer.step.stored_bytes));
    if (layer.step.size) text += " of " + human_bytes(*layer.step.size);
    lines.push_back(text + ", " + rate(layer.step.stored_bytes, now - layer.begun));
  }
  if (more > 0) lines.push_back(fmt::format("  and {} more", more));
  std::string out = "\r\x1b[J";  // what stands there goes
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += (i == 0 ? "" : "\n") + for_terminal(lines[i], std::max<std::size_t>(size.columns, 2) - 1);
  draw_progress(out, lines.size());
}

}  // namespace ocilint::cli
