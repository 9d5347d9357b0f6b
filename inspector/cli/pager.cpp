#include "cli/pager.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "cli/terminal.h"

namespace ocilint::cli {
namespace {

constexpr int not_started = 127;  // of a shell, and of our child

[[noreturn]] void become_pager(int input, const char* command) {
  ::dup2(input, STDIN_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  // Colours as they are, nothing kept on the screen when it fits.
  ::setenv("LESS", "FRX", 0);
  ::execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  ::_exit(not_started);
}

}  // namespace

bool show_in_pager(std::string_view text) {
  const char* const stated = std::getenv("PAGER");
  const char* const command = stated != nullptr && *stated != '\0' ? stated : "less";
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) become_pager(ends[0], command);
  ::close(ends[0]);
  if (child < 0) {
    ::close(ends[1]);
    return false;
  }
  (void)write_all(ends[1], text);  // who quits early has seen enough
  ::close(ends[1]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return !(WIFEXITED(status) && (WEXITSTATUS(status) == not_started || WEXITSTATUS(status) == not_started - 1));
}

}  // namespace ocilint::cli
