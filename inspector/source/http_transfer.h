// One request and its reply over libcurl, pulled. Internal to source/http.cpp, which adds redirects and retries.
//
// begin() runs until the headers are there; read() until bytes are. What goes wrong is kept in problem(): whether it
// is worth another try is known here only. One thread; the buffer is bounded, a reader that is slow pauses the sender.
#pragma once

#include <mutex>
#include <vector>

#include "source/curl_library.h"
#include "source/http.h"
#include "source/url.h"

namespace ocilint {

inline constexpr std::size_t max_header_bytes = 256U << 10;  // libcurl has a limit of its own from 8.3 on

struct HttpSession {
  CURLM* multi = nullptr;  // holds the connections
  CURL* easy = nullptr;
  HttpSession();
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
};

/// Sessions that nobody uses now: each has connections that are still open.
struct HttpSessions {
  std::mutex mutex;
  std::vector<std::unique_ptr<HttpSession>> idle;
  std::string trusted;  // certificates of the user's folder, PEM
  std::string certificate, key;

  std::unique_ptr<HttpSession> take();
  void give(std::unique_ptr<HttpSession> session);
};

struct TransferProblem {
  ErrorKind kind = ErrorKind::network;
  std::string text;
  bool again = true;    // another try may end better
  bool no_tls = false;  // what answers does not speak TLS, or nobody is there
};

class HttpTransfer {
 public:
  HttpTransfer(const HttpSettings& settings, std::shared_ptr<HttpSessions> sessions, const HttpRequest& request,
               const Url& url, bool with_credentials);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  void begin();
  const std::optional<TransferProblem>& problem() const { return problem_; }
  std::optional<std::chrono::seconds> retry_after() const;
  HttpReply reply() const { return reply_; }
  std::size_t read(std::span<std::uint8_t> into);
  [[noreturn]] void fail() const;

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  void set_up(const HttpRequest& request, const Url& url, bool with_credentials);
  void set_up_tls();
  void add_header(const std::string& line);
  void take_header(std::string_view line);
  void step();
  void wait();
  void finished(CURLcode code);
  template <typename Value>
  void set(CURLoption option, Value value);

  const CurlLibrary& curl_;
  const HttpSettings& settings_;
  std::shared_ptr<HttpSessions> sessions_;
  std::unique_ptr<HttpSession> session_;
  curl_slist* lines_ = nullptr;
  std::string place_;
  HttpReply reply_;
  char detail_[CURL_ERROR_SIZE] = {};
  bool in_body_ = false, done_ = false, paused_ = false;
  std::size_t header_bytes_ = 0;
  std::vector<std::uint8_t> buffer_;
  std::size_t from_ = 0, to_ = 0;
  std::chrono::steady_clock::duration waited_{0};
  std::uint64_t seen_ = 0;  // bytes since waited_ was zero
  std::optional<TransferProblem> problem_;
};

}  // namespace ocilint
