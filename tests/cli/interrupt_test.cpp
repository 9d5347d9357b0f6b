// What a signal leaves behind: nothing, and the shell is told. (tests/packaging has Ctrl-C at a terminal.)
#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "cli/interrupt.h"
#include "support/oci_writer.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

struct Ended {
  int signal = 0, status = 0;
  std::string err;
};

Ended child(const std::function<void()>& work) {
  int err[2];
  REQUIRE(::pipe(err) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(err[1], STDERR_FILENO);
    // Catch2 has handlers of its own.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    work();
    ::_exit(7);
  }
  ::close(err[1]);
  Ended out;
  char buffer[256];
  for (ssize_t got; (got = ::read(err[0], buffer, sizeof buffer)) > 0;)
    out.err.append(buffer, static_cast<std::size_t>(got));
  ::close(err[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return out;
}

}  // namespace

TEST_CASE("a signal removes the report that is not whole, erases progress and ends the program as the signal") {
  const TempDir folder;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    write_file(folder / "half", "half a report");
    write_file(folder / "whole", "a report");
    const Ended got = child([&] {
      cli::tidy_on_signals();
      cli::remove_on_signal(folder / "whole");
      cli::remove_on_signal(folder / "half");
      cli::draw_progress("", 3);
      std::raise(number);
    });
    CHECK(got.signal == number);
    CHECK(got.err == "\x1b[A\x1b[A\r\x1b[J");
    CHECK_FALSE(std::filesystem::exists(folder / "half"));
    CHECK(std::filesystem::exists(folder / "whole"));
  }
}

TEST_CASE("a signal after the report is whole leaves it, and says nothing where nothing stands") {
  const TempDir folder;
  write_file(folder / "whole", "a report");
  const Ended got = child([&] {
    cli::tidy_on_signals();
    cli::remove_on_signal(folder / "whole");
    cli::remove_on_signal("");
    std::raise(SIGINT);
  });
  CHECK(got.signal == SIGINT);
  CHECK(got.err.empty());
  CHECK(std::filesystem::exists(folder / "whole"));
}

TEST_CASE("a signal that the caller ignores stays ignored") {
  const Ended got = child([&] {
    std::signal(SIGHUP, SIG_IGN);
    cli::tidy_on_signals();
    std::raise(SIGHUP);
  });
  CHECK(got.signal == 0);
  CHECK(got.status == 7);
}
