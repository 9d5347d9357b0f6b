#include "cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace ocilint::cli {
namespace {

bool set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace

bool use_color(When when) {
  if (when != When::automatic) return when == When::always;
  if (set("FORCE_COLOR")) return true;
  if (std::getenv("NO_COLOR") != nullptr && *std::getenv("NO_COLOR") != '\0') return false;
  if (set("CLICOLOR_FORCE")) return true;
  return ::isatty(STDOUT_FILENO) == 1;
}

std::size_t terminal_width() {
  constexpr std::size_t usual = 100, least = 40;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= least) return size.ws_col;
  return usual;
}

TerminalSize error_size() {
  TerminalSize out;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return out;
  if (size.ws_col > 0) out.columns = size.ws_col;
  if (size.ws_row > 0) out.rows = size.ws_row;
  return out;
}

bool output_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

bool error_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int held = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (held >= 0 && held != descriptor) ::close(held);
  }
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool write_output(std::string_view text) { return write_all(STDOUT_FILENO, text); }

bool flush_output() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

}  // namespace ocilint::cli
