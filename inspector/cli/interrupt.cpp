#include "cli/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <iostream>

namespace ocilint::cli {
namespace {

constexpr std::string_view up = "\x1b[A", erase = "\r\x1b[J";

std::array<char, PATH_MAX> doomed;  // written while `armed` is false
std::atomic<bool> armed = false;
std::atomic<std::size_t> drawn = 0;  // lines
std::atomic<bool> drawing = false, ending = false;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::size_t>::is_always_lock_free);

extern "C" void tidy(int number) {
  end_progress();
  if (armed) ::unlink(doomed.data());
  // The handler is gone already (SA_RESETHAND); the first process of a container survives its own signal.
  ::raise(number);
  sigset_t now;
  ::sigemptyset(&now);
  ::sigaddset(&now, number);
  ::pthread_sigmask(SIG_UNBLOCK, &now, nullptr);
  ::_exit(128 + number);
}

}  // namespace

void tidy_on_signals() {
  struct sigaction action {};
  action.sa_handler = tidy;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigfillset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
}

void remove_on_signal(const std::string& file) {
  armed = false;
  if (file.empty() || file.size() >= doomed.size()) return;
  std::memcpy(doomed.data(), file.c_str(), file.size() + 1);
  armed = true;
}

void draw_progress(std::string_view text, std::size_t lines) {
  // A signal that came between the drawing and the count would leave the lines: it waits, in this thread and in others.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  drawing = true;
  if (!ending) {
    // None while they are drawn over: erase_progress() of another thread would take too many.
    const std::size_t standing = drawn.exchange(0);
    for (std::size_t i = 1; i < standing; ++i) std::cerr << up;
    std::cerr << text << std::flush;
    drawn = lines;
  }
  drawing = false;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void end_progress() {
  ending = true;
  // Who draws is another thread, and done at once; a terminal that takes nothing must not keep the program.
  constexpr timespec a_moment{0, 1'000'000};
  for (int i = 0; drawing && i < 200; ++i) ::nanosleep(&a_moment, nullptr);
  erase_progress();
}

void erase_progress() {
  const std::size_t lines = drawn.exchange(0);
  if (lines == 0) return;
  // A terminal that is gone is no reason to stay.
  [[maybe_unused]] ssize_t put = 0;
  for (std::size_t i = 1; i < lines; ++i) put = ::write(STDERR_FILENO, up.data(), up.size());
  put = ::write(STDERR_FILENO, erase.data(), erase.size());
}

}  // namespace ocilint::cli
