#include "cli/deadline.h"

#include <cstdlib>

#include "run/verdict.h"

namespace ocilint::cli {

Deadline::Deadline(std::chrono::seconds after, std::function<int()> over) : over_(std::move(over)) {
  if (after.count() == 0) return;
  armed_ = true;
  thread_ = std::thread([this, after] { wait(after); });
}

void Deadline::disarm() {
  guard([&] { armed_ = false; });
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Deadline::wait(std::chrono::seconds after) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, after, [&] { return !armed_; })) return;
  // The lock is kept: nobody changes what is reported.
  int status = static_cast<int>(ExitStatus::unreadable);
  try {
    status = over_();
  } catch (...) {
    // Out of memory, say. That the time is over stays true.
  }
  std::_Exit(status);
}

}  // namespace ocilint::cli
