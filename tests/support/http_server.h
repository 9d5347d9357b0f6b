// A server on loopback that answers as a test says, and breaks what the test wants broken.
//
//   HttpServer server([](const HttpServer::Request& request) { return HttpServer::Reply{200, {}, "text"}; });
//   … "http://" + server.address() …
//
// One thread a connection, one request a connection (Connection: close), so that every request is seen. forward()
// asks another server, for a proxy in front of a real registry. Stops and joins when it goes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ocilint::testing {

class HttpServer {
 public:
  struct Request {
    std::string method, target;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
    std::string header(const std::string& name) const {
      const auto at = headers.find(name);
      return at == headers.end() ? std::string() : at->second;
    }
  };
  struct Reply {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::optional<std::size_t> declared = {};   // Content-Length, where it is a lie
    std::optional<std::size_t> cut_after = {};  // bytes of the body, then the connection is reset
    std::chrono::milliseconds stall{0};         // in front of the body
    bool endless = false;                       // the body again and again
    bool no_length = false;                     // ended by closing
  };
  using Handler = std::function<Reply(const Request&)>;

  explicit HttpServer(Handler handler, const std::string& socket_path = {}) : handler_(std::move(handler)) {
    ::signal(SIGPIPE, SIG_IGN);
    listener_ = socket_path.empty() ? listen_on_loopback() : listen_on(socket_path);
    accepter_ = std::thread([this] { accept_all(); });
  }
  ~HttpServer() {
    stop_ = true;
    accepter_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::size_t count(const std::string& part) const {
    std::size_t out = 0;
    for (const Request& request : requests()) out += request.target.find(part) != std::string::npos;
    return out;
  }

  /// The reply of another server to the same request.
  static Reply forward(const Request& request, int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to = loopback(port);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      ::close(socket);
      return {502, {}, "no upstream"};
    }
    std::string head = request.method + " " + request.target + " HTTP/1.1\r\nConnection: close\r\n";
    for (const auto& [name, value] : request.headers)
      if (name != "connection") head += name + ": " + value + "\r\n";
    send_all(socket, head + "\r\n" + request.body);
    std::string all;
    char step[65536];
    for (ssize_t got; (got = ::read(socket, step, sizeof step)) > 0;) all.append(step, static_cast<std::size_t>(got));
    ::close(socket);
    Reply out;
    const std::size_t end = all.find("\r\n\r\n");
    if (end == std::string::npos) return {502, {}, "no reply"};
    out.status = std::stoi(all.substr(9, 3));
    for (auto& [name, value] : parse_headers(all.substr(0, end)))
      if (name != "content-length" && name != "connection" && name != "transfer-encoding")
        out.headers.push_back({name, value});
    out.body = all.substr(end + 4);
    return out;
  }

  static std::map<std::string, std::string> parse_headers(const std::string& head) {
    std::map<std::string, std::string> out;
    for (std::size_t at = head.find("\r\n"); at != std::string::npos;) {
      const std::size_t next = head.find("\r\n", at + 2);
      const std::string line = head.substr(at + 2, next == std::string::npos ? next : next - at - 2);
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos) {
        std::string name = line.substr(0, colon);
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
        out[name] = line.substr(std::min(line.size(), line.find_first_not_of(' ', colon + 1)));
      }
      at = next;
    }
    return out;
  }

  static int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int port = bind_to(socket, 0);
    ::close(socket);
    return port;
  }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(static_cast<std::uint16_t>(port));
    out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return out;
  }

  static int bind_to(int socket, int port) {
    sockaddr_in at = loopback(port);
    socklen_t size = sizeof at;
    if (::bind(socket, reinterpret_cast<sockaddr*>(&at), size) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0)
      throw std::runtime_error("bind");
    return ntohs(at.sin_port);
  }

  int listen_on_loopback() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    port_ = bind_to(socket, 0);
    if (::listen(socket, 64) != 0) throw std::runtime_error("listen");
    return socket;
  }

  static int listen_on(const std::string& path) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    if (::bind(socket, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || ::listen(socket, 64) != 0)
      throw std::runtime_error("listen");
    return socket;
  }

  void accept_all() {
    while (!stop_) {
      pollfd waits{listener_, POLLIN, 0};
      if (::poll(&waits, 1, 20) <= 0) continue;
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client >= 0) threads_.emplace_back([this, client] { serve(client); });
    }
  }

  void serve(int client) {
    if (const auto request = read_request(client)) {
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(*request);
      }
      answer(client, handler_(*request));
    }
    ::close(client);
  }

  std::optional<Request> read_request(int client) {
    std::string all;
    char step[16384];
    const auto more = [&] {
      while (!stop_) {
        pollfd waits{client, POLLIN, 0};
        if (::poll(&waits, 1, 20) <= 0) continue;
        const ssize_t got = ::read(client, step, sizeof step);
        if (got <= 0) return false;
        all.append(step, static_cast<std::size_t>(got));
        return true;
      }
      return false;
    };
    while (all.find("\r\n\r\n") == std::string::npos)
      if (!more() || all[0] == '\x16') return std::nullopt;  // 0x16: somebody speaks TLS
    const std::size_t end = all.find("\r\n\r\n");
    Request out;
    const std::size_t first = all.find(' '), second = all.find(' ', first + 1);
    if (second == std::string::npos) return std::nullopt;
    out.method = all.substr(0, first);
    out.target = all.substr(first + 1, second - first - 1);
    out.headers = parse_headers(all.substr(0, end));
    const std::string length = out.header("content-length");
    const std::size_t wanted = length.empty() ? 0 : std::stoul(length);
    while (all.size() < end + 4 + wanted)
      if (!more()) return std::nullopt;
    out.body = all.substr(end + 4, wanted);
    return out;
  }

  static bool send_all(int to, std::string_view text) {
    while (!text.empty()) {
      const ssize_t put = ::send(to, text.data(), text.size(), MSG_NOSIGNAL);
      if (put <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }

  void answer(int client, const Reply& reply) {
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Status\r\nConnection: close\r\n";
    for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
    if (!reply.no_length && !reply.endless)
      head += "Content-Length: " + std::to_string(reply.declared.value_or(reply.body.size())) + "\r\n";
    if (!send_all(client, head + "\r\n")) return;
    for (auto left = reply.stall; left.count() > 0 && !stop_; left -= std::chrono::milliseconds(20))
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    while (reply.endless && !stop_)
      if (!send_all(client, reply.body)) return;
    send_all(client, std::string_view(reply.body).substr(0, reply.cut_after.value_or(reply.body.size())));
    if (!reply.cut_after) return;
    // What was sent must arrive before the reset does.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const linger hard{1, 0};
    ::setsockopt(client, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }

  Handler handler_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread accepter_;
  std::vector<std::thread> threads_;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
};

}  // namespace ocilint::testing
