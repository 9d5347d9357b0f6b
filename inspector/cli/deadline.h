// --timeout: ends the program when a run takes too long, whatever it waits for (a stalled pipe, a hung disk).
//
// A thread of its own waits. When the time is over it calls `over` and ends the program with the status that
// this returns: nothing is unwound, since what hangs cannot be. `over` runs while the other threads go on;
// what both touch is changed under guard() only, and once `over` has begun guard() never comes back. Reports are
// written after disarm(), so none is cut short. Zero seconds: no deadline, no thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ocilint::cli {

class Deadline {
 public:
  Deadline(std::chrono::seconds after, std::function<int()> over);
  ~Deadline() { disarm(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  template <typename Change>
  void guard(Change&& change) {
    const std::lock_guard lock(mutex_);
    change();
  }
  void disarm();

 private:
  void wait(std::chrono::seconds after);

  std::function<int()> over_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool armed_ = false;
  std::thread thread_;
};

}  // namespace ocilint::cli
