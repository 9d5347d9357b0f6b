// The registry of Debian's package docker-registry on a free port of loopback, with its data in a temporary folder.
//
//   if (!RealRegistry::is_there()) { WARN("skipped: …"); return; }
//   RealRegistry registry;                       // or {.users = true}, {.tls = true}
//   registry.push("oci:DIR", "demo:1");          // by skopeo
//
// Users: somebody, with a password made at run time. TLS: a certificate of its own, in certificates().
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>

#include "support/http_server.h"
#include "support/oci_writer.h"

extern char** environ;

namespace ocilint::testing {

inline bool on_path(const std::string& program) { return ::access(("/usr/bin/" + program).c_str(), X_OK) == 0; }

/// Runs a program to its end; standard output is thrown away or goes to a file. The exit status.
inline int run_program(const std::vector<std::string>& words, const std::string& out = "/dev/null") {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int problem = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return -1;
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Letters that no file of the tests holds.
inline std::string made_secret() {
  std::random_device random;
  std::string out = "pw";
  for (int i = 0; i < 24; ++i) out += static_cast<char>('a' + random() % 26);
  return out;
}

struct RegistrySetup {
  bool users = false, tls = false;
};

class RealRegistry {
 public:
  static bool is_there() {
    return on_path("docker-registry") && on_path("skopeo") && on_path("htpasswd") && on_path("openssl");
  }

  explicit RealRegistry(RegistrySetup setup = {}) : setup_(setup), port_(HttpServer::free_port()) {
    std::string config =
        "version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage:\n  filesystem: {rootdirectory: " +
        (folder_ / "data") + "}\n  delete: {enabled: true}\nhttp:\n  addr: " + address() + "\n";
    if (setup.tls) {
      make_certificate();
      config += "  tls: {certificate: " + (folder_ / "certs/server.crt") + ", key: " + (folder_ / "server.key") + "}\n";
    }
    if (setup.users) {
      password_ = made_secret();
      if (run_program({"htpasswd", "-Bbn", "-C", "4", "somebody", password_}, folder_ / "users") != 0)
        throw std::runtime_error("htpasswd");
      config += "auth:\n  htpasswd: {realm: tests, path: " + (folder_ / "users") + "}\n";
    }
    write_file(folder_ / "config.yml", config);
    start();
  }
  ~RealRegistry() {
    ::kill(child_, SIGTERM);
    ::waitpid(child_, nullptr, 0);
  }
  RealRegistry(const RealRegistry&) = delete;
  RealRegistry& operator=(const RealRegistry&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  const std::string& password() const { return password_; }
  std::string certificates() const { return folder_ / "certs"; }
  /// The file in which the registry keeps a blob or manifest: "sha256:…".
  std::string stored(const std::string& digest) const {
    const std::string hex = digest.substr(digest.find(':') + 1);
    return folder_ / ("data/docker/registry/v2/blobs/sha256/" + hex.substr(0, 2) + "/" + hex + "/data");
  }

  void push(const std::string& from, const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"skopeo", "--insecure-policy", "copy", "--dest-tls-verify=false"};
    if (setup_.users) words.push_back("--dest-creds=somebody:" + password_);
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {from, "docker://" + address() + "/" + name});
    if (run_program(words) != 0) throw std::runtime_error("skopeo copy " + from);
  }

 private:
  void make_certificate() {
    std::filesystem::create_directories(folder_ / "certs");
    if (run_program({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                     "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                     folder_ / "server.key", "-out", folder_ / "certs/server.crt"}) != 0)
      throw std::runtime_error("openssl");
  }

  void start() {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (const int number : {1, 2}) ::posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0);
    const std::string config = folder_ / "config.yml";
    const char* const words[] = {"docker-registry", "serve", config.c_str(), nullptr};
    const int problem = ::posix_spawnp(&child_, words[0], &actions, nullptr, const_cast<char* const*>(words), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) throw std::runtime_error("docker-registry");
    for (int tries = 0; tries < 500; ++tries) {
      const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(static_cast<std::uint16_t>(port_));
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const bool up = ::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
      ::close(socket);
      if (up) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw std::runtime_error("docker-registry does not start");
  }

  RegistrySetup setup_;
  TempDir folder_;
  int port_ = 0;
  pid_t child_ = -1;
  std::string password_;
};

}  // namespace ocilint::testing
