// Runs the real program as a child process, in a folder and an environment of its own.
//
//   Program run;
//   const Outcome got = run({"check", image, "-o", "json"});
//
// HOME, XDG_CONFIG_HOME and the working directory are empty temporary folders, and no variable that the program
// reads is set unless `environment` says so.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/places.h"
#include "support/image_description.h"
#include "support/oci_writer.h"

namespace ocilint::testing {

struct Finished {
  int status = -1;  // exit status; -1: ended by a signal
  std::string out, err;
};

class Program {
 public:
  enum class Output { captured, closed, nobody_reads, full };

  TempDir folder;
  std::map<std::string, std::string> environment;
  std::string input;     // for standard input
  bool stalled = false;  // standard input does not end after that
  std::string where;     // working directory; empty: folder/work
  Output output = Output::captured;

  Program() { std::filesystem::create_directories(folder / "work/.git"); }

  std::string path(const std::string& name) const { return folder / name; }

  /// A file below the working directory, or anywhere by its whole path.
  std::string file(const std::string& name, std::string_view text) const {
    const std::string whole = name.starts_with('/') ? name : folder / ("work/" + name);
    write_file(whole, text);
    return whole;
  }

  /// An OCI layout of a description; returns the reference.
  std::string image(const std::string& name, std::string_view yaml, std::string_view compression = "gzip") const {
    return write_oci_layout(describe_image(yaml), folder / name, compression);
  }

  Finished operator()(const std::vector<std::string>& arguments) const {
    int in[2], out[2], err[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
      throw std::runtime_error("pipe2");
    if (output == Output::nobody_reads) ::close(out[0]);
    const pid_t child = ::fork();
    if (child == 0) become(arguments, in[0], out[1], err[1]);
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    Finished result;
    exchange(in[1], output == Output::nobody_reads ? -1 : out[0], err[0], result);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    return result;
  }

 private:
  [[noreturn]] void become(const std::vector<std::string>& arguments, int in, int out, int err) const {
    std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "HOME=" + (folder / "home"), "LC_ALL=C.UTF-8"};
    for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
    std::vector<std::string> words = {test::binary};
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (::chdir((where.empty() ? folder / "work" : where).c_str()) != 0) ::_exit(120);
    ::dup2(in, STDIN_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (output == Output::closed) {
      ::close(STDOUT_FILENO);
    } else if (output == Output::full) {
      const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
      ::dup2(full, STDOUT_FILENO);
    } else {
      ::dup2(out, STDOUT_FILENO);
    }
    ::signal(SIGPIPE, SIG_DFL);
    ::execve(test::binary, pointers(words).data(), pointers(variables).data());
    ::_exit(121);
  }

  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  }

  /// Writes the input and reads both outputs, so that no pipe fills up.
  void exchange(int in, int out, int err, Finished& result) const {
    ::signal(SIGPIPE, SIG_IGN);
    std::size_t sent = 0;
    if (input.empty() && !stalled) ::close(std::exchange(in, -1));
    while (out >= 0 || err >= 0) {
      const bool all_sent = sent == input.size();
      pollfd waits[3] = {{all_sent ? -1 : in, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}};
      ::poll(waits, 3, -1);
      if (in >= 0 && waits[0].revents != 0) {
        const ssize_t put = ::write(in, input.data() + sent, std::min<std::size_t>(input.size() - sent, 4096));
        if (put > 0) sent += static_cast<std::size_t>(put);
        if (put < 0 || (sent == input.size() && !stalled)) ::close(std::exchange(in, -1));
      }
      take(out, waits[1].revents, result.out);
      take(err, waits[2].revents, result.err);
    }
    if (in >= 0) ::close(in);
  }

  static void take(int& from, short events, std::string& into) {
    if (from < 0 || events == 0) return;
    char step[65536];
    const ssize_t got = ::read(from, step, sizeof step);
    if (got > 0)
      into.append(step, static_cast<std::size_t>(got));
    else
      ::close(std::exchange(from, -1));
  }
};

// Images and policies that several tests use.

inline constexpr const char* good_image =
    "layers:\n- run: COPY app\n  files: {/app/run: x, /etc/os-release: 'ID=debian'}\n";
inline constexpr const char* bad_image = "layers:\n- run: COPY app\n  files: {/app/run: {content: x, mode: '0666'}}\n";
inline constexpr const char* mode_policy =
    "policy: modes\nlanguage: 1\nsummary: nothing is writable for others\n"
    "checks:\n- {id: modes, rule: file-mode, with: {files: [/app/**], deny: o+w}}\n";
inline constexpr const char* two_checks =
    "policy: two\nlanguage: 1\nsummary: two checks\n"
    "checks:\n- {id: modes, rule: file-mode, with: {files: [/app/**], deny: o+w}}\n"
    "- {id: there, rule: file, with: {file: /app/run}}\n";

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace ocilint::testing
