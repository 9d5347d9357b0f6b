#include "source/credential_helper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/json.h"

namespace ocilint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = 64U << 10;
/// What docker's helpers print when there is nothing; the protocol has no other way to say it.
constexpr std::string_view knows_nobody = "credentials not found in native keychain";
constexpr std::string_view hub_key = "https://index.docker.io/v1/";

[[noreturn]] void fail(const std::string& name, std::string_view why) {
  throw Error(ErrorKind::auth, fmt::format("the credential helper docker-credential-{} {}", name, why));
}

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void reset(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor in, out;  // to read from, to write to
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::internal, "no pipe is to be had");
    in.reset(ends[0]);
    out.reset(ends[1]);
  }
};

/// Ends and reaps the child, whatever happens.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The wait status, when it has ended by then.
  std::optional<int> wait_until(Clock::time_point end) {
    for (;;) {
      int status = 0;
      const pid_t got = ::waitpid(id_, &status, WNOHANG);
      if (got == id_) {
        id_ = -1;
        return status;
      }
      if (Clock::now() >= end) return std::nullopt;
      ::poll(nullptr, 0, 10);
    }
  }

 private:
  pid_t id_;
};

std::string find_program(const CredentialSettings& settings, const std::string& name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '-';
  });
  // The name comes from a file; it must not lead to another folder.
  if (!plain) throw Error(ErrorKind::auth, "an auth file names a credential helper that is no plain name");
  for (const std::string& folder : settings.helper_folders) {
    if (!folder.starts_with('/')) continue;
    std::string path = folder + "/docker-credential-" + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  fail(name, "is named by an auth file, but it is not there");
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

pid_t start(const CredentialSettings& settings, const std::string& path, const Pipe& to, const Pipe& from) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (::posix_spawn_file_actions_init(&actions) != 0) throw std::bad_alloc();
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  sigset_t pipe_only = none;
  ::sigaddset(&pipe_only, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &pipe_only);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  ::posix_spawn_file_actions_adddup2(&actions, to.in.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, from.out.number(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = {path, "get"};
  std::vector<std::string> environment = settings.helper_environment;
  pid_t child = -1;
  const int problem =
      ::posix_spawn(&child, path.c_str(), &actions, &attributes, pointers(words).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return problem == 0 ? child : -1;
}

std::string read_until(int from, Clock::time_point end, const std::string& name) {
  std::string out;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) fail(name, "takes too long");
    pollfd waits{from, POLLIN, 0};
    if (::poll(&waits, 1, static_cast<int>(left)) <= 0) continue;
    char step[4096];
    const ssize_t got = ::read(from, step, sizeof step);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return out;
    out.append(step, static_cast<std::size_t>(got));
    if (out.size() > most_output) fail(name, "answers with too much");
  }
}

}  // namespace

std::string auth_host(std::string text) {
  for (const std::string_view scheme : {"https://", "http://"})
    if (text.starts_with(scheme)) {
      text.erase(0, scheme.size());
      text.erase(std::min(text.find('/'), text.size()));
    }
  const std::size_t slash = text.find('/');
  const std::string host = text.substr(0, slash);
  if (host == "index.docker.io" || host == "registry-1.docker.io") text.replace(0, host.size(), "docker.io");
  return text;
}

std::optional<Credentials> ask_helper(const CredentialSettings& settings, const std::string& name,
                                      const std::string& host) {
  const std::string path = find_program(settings, name);
  Pipe to, from;
  const auto end = Clock::now() + settings.helper_time;
  const pid_t id = start(settings, path, to, from);
  if (id < 0) fail(name, "cannot be started");
  Child child(id);
  to.in.close();
  from.out.close();
  // Less than a pipe holds, so this never waits; a helper that reads nothing is none of our business.
  const std::string asked = host == "docker.io" ? std::string(hub_key) : host;
  if (::write(to.out.number(), asked.data(), asked.size()) < 0 && errno != EPIPE) fail(name, "cannot be written to");
  to.out.close();
  const std::string answer = read_until(from.in.number(), end, name);
  const auto status = child.wait_until(end);
  if (!status) fail(name, "takes too long");
  if (!WIFEXITED(*status)) fail(name, "was ended by a signal");
  if (WEXITSTATUS(*status) != 0) {
    if (answer.starts_with(knows_nobody)) return std::nullopt;
    fail(name, fmt::format("failed with status {}", WEXITSTATUS(*status)));
  }
  Credentials out;
  std::string server;
  try {
    const Json json = parse_json(answer);
    out.user = json_string(json, "Username");
    out.password = json_string(json, "Secret");
    server = json_string(json, "ServerURL");
  } catch (const Error&) {
    fail(name, "answers with something else than the JSON of its protocol");
  }
  if (!server.empty() && auth_host(server) != auth_host(host)) fail(name, "answers for another host");
  if (out.user.empty() && out.password.empty()) return std::nullopt;
  if (out.user == "<token>") {
    out.identity_token = std::move(out.password);
    out.user.clear();
    out.password.clear();
  }
  return out;
}

}  // namespace ocilint
