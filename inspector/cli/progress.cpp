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

/// ", 12.3 MiB/s"; of a moment there is none.
std::string rate_of(std::uint64_t bytes, std::chrono::duration<double> time) {
  return time < 300ms ? "" : ", " + rate(bytes, time);
}

/// What tells one image from another stands at the end of its name.
std::string short_name(const std::string& reference, std::size_t most) {
  const std::string safe = for_terminal(reference);
  if (columns(safe) <= most) return safe;
  const std::size_t slash = safe.find_last_of('/', safe.size() < 2 ? 0 : safe.size() - 2);
  return for_terminal(slash == std::string::npos ? safe : "…" + safe.substr(slash), most);
}

std::string name_of(const LayerProgress& step) {
  return (step.image.empty() ? "" : step.image + ", ") + fmt::format("layer {}", step.layer);
}

}  // namespace

Progress::Progress(std::string reference, const std::string& mode)
    : reference_(std::move(reference)), begun_(Clock::now()), told_(begun_), shown_(begun_) {
  if (mode == "plain") mode_ = Mode::plain;
  if (mode != "auto" || !error_is_terminal()) return;
  mode_ = Mode::redrawn;
  silence_ = std::thread([this] { draw_when_silent(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (silence_.joinable()) silence_.join();
  erase_progress();
}

void Progress::draw_when_silent() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, 200ms, [this] { return ended_; }))
    if (const auto now = Clock::now(); now - shown_ >= 1s) draw(now);
}

void Progress::show(const LayerProgress& step) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  told_ = now;
  Layer& layer = layers_.try_emplace({step.image, step.layer}, Layer{step, now}).first->second;
  layer.step = step;
  if (mode_ == Mode::plain && step.done)
    std::cerr << for_terminal(name_of(step))
              << fmt::format(": {} read, {}\n", human_bytes(step.stored_bytes),
                             rate(step.stored_bytes, now - layer.begun));
  // Nobody wants to see a line flash by.
  if (mode_ != Mode::redrawn || now - begun_ < 500ms || now - shown_ < 100ms) return;
  draw(now);
}

/// Nothing while a layer is being read: then that is what takes so long.
std::string Progress::silence_line(Clock::time_point now, std::size_t most) const {
  const bool reading = std::ranges::any_of(layers_, [](const auto& layer) { return !layer.second.step.done; });
  if (reading || now - told_ < 1s) return "";
  return fmt::format("{}: {}, {} s", short_name(reference_, most),
                     layers_.empty() ? "opening it" : "read; looking at what is in it",
                     std::chrono::floor<std::chrono::seconds>(now - told_).count());
}

std::string Progress::counts(Clock::time_point now, std::size_t most) const {
  std::uint64_t bytes = 0;
  std::size_t done = 0;
  for (const auto& [key, layer] : layers_) {
    bytes += layer.step.stored_bytes;
    done += layer.step.done;
  }
  return fmt::format("{}: {} read{}, {} layer{} done", short_name(reference_, most), human_bytes(bytes),
                     rate_of(bytes, now - begun_), done, done == 1 ? "" : "s");
}

void Progress::draw(Clock::time_point now) {
  shown_ = now;
  const TerminalSize size = error_size();
  const std::size_t room = size.columns / 2;
  const std::string silence = silence_line(now, room);
  std::vector<std::string> lines = {silence.empty() ? counts(now, room) : silence};
  const std::size_t most = std::clamp<std::size_t>(size.rows, 3, most_layers + 2) - 1;
  std::size_t more = 0;
  for (const auto& [key, layer] : layers_) {
    if (layer.step.done) continue;
    if (lines.size() + 1 >= most && ++more > 0) continue;
    std::string text = fmt::format("  {}: {}", name_of(layer.step), human_bytes(layer.step.stored_bytes));
    if (layer.step.size) text += " of " + human_bytes(*layer.step.size);
    lines.push_back(text + rate_of(layer.step.stored_bytes, now - layer.begun));
  }
  if (more > 0) lines.push_back(fmt::format("  and {} more", more));
  std::string out = "\r\x1b[J";  // what stands there goes
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += (i == 0 ? "" : "\n") + for_terminal(lines[i], std::max<std::size_t>(size.columns, 2) - 1);
  draw_progress(out, lines.size());
}

}  // namespace ocilint::cli
