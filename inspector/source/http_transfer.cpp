#include "source/http_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ocilint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t buffer_size = 256U << 10;
constexpr long receive_size = 128L << 10;
constexpr std::size_t max_idle_sessions = 16;
constexpr int longest_poll_ms = 1000;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Not what is wrong with the answer for good: a certificate stays what it is.
bool worth_another_try(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_WEIRD_SERVER_REPLY: return false;
    default: return true;
  }
}

}  // namespace

HttpSession::HttpSession() {
  const CurlLibrary& curl = CurlLibrary::load();
  multi = curl.multi_init();
  easy = curl.easy_init();
  if (multi == nullptr || easy == nullptr) throw std::bad_alloc();
}

HttpSession::~HttpSession() {
  const CurlLibrary& curl = CurlLibrary::load();
  curl.easy_cleanup(easy);
  curl.multi_cleanup(multi);
}

std::unique_ptr<HttpSession> HttpSessions::take() {
  const std::lock_guard lock(mutex);
  if (idle.empty()) return std::make_unique<HttpSession>();
  auto out = std::move(idle.back());
  idle.pop_back();
  return out;
}

void HttpSessions::give(std::unique_ptr<HttpSession> session) {
  const std::lock_guard lock(mutex);
  if (idle.size() < max_idle_sessions) idle.push_back(std::move(session));
}

HttpTransfer::HttpTransfer(const HttpSettings& settings, std::shared_ptr<HttpSessions> sessions,
                           const HttpRequest& request, const Url& url, bool with_credentials)
    : curl_(CurlLibrary::load()),
      settings_(settings),
      sessions_(std::move(sessions)),
      session_(sessions_->take()),
      place_(url.shown()),
      buffer_(buffer_size) {
  set_up(request, url, with_credentials);
  if (curl_.multi_add_handle(session_->multi, session_->easy) != CURLM_OK)
    throw Error(ErrorKind::internal, "libcurl takes no request");
}

HttpTransfer::~HttpTransfer() {
  curl_.multi_remove_handle(session_->multi, session_->easy);
  curl_.easy_reset(session_->easy);
  curl_.slist_free_all(lines_);
  sessions_->give(std::move(session_));
}

template <typename Value>
void HttpTransfer::set(CURLoption option, Value value) {
  // An option that is not taken would be a protection that is not there.
  if (const CURLcode code = curl_.easy_setopt(session_->easy, option, value); code != CURLE_OK)
    throw Error(ErrorKind::unsupported, fmt::format("libcurl does not take option {}: {}", static_cast<int>(option),
                                                    curl_.easy_strerror(code)));
}

void HttpTransfer::add_header(const std::string& line) {
  if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
    throw Error(ErrorKind::network, place_ + ": a request header would have a line break in it");
  curl_slist* const longer = curl_.slist_append(lines_, line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  lines_ = longer;
}

void HttpTransfer::set_up(const HttpRequest& request, const Url& url, bool with_credentials) {
  set(CURLOPT_URL, url.text().c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  // Empty strings, not none: libcurl would look into the environment itself.
  const bool direct = !settings_.socket.empty() || reach_of(url.host) == Reach::machine;
  set(CURLOPT_PROXY, direct ? "" : settings_.proxy.c_str());
  set(CURLOPT_NOPROXY, settings_.no_proxy.c_str());
  if (!settings_.socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, settings_.socket.c_str());
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // of a proxy: they are not the reply
  set(CURLOPT_BUFFERSIZE, receive_size);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings_.connect.count()));
  set(CURLOPT_ERRORBUFFER, detail_);
  set(CURLOPT_USERAGENT, "ocilint");
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, this);
  add_header("Accept-Encoding: identity");
  if (!request.accept.empty()) add_header("Accept: " + request.accept);
  if (with_credentials && !request.authorization.empty()) add_header("Authorization: " + request.authorization);
  if (request.from > 0) add_header(fmt::format("Range: bytes={}-", request.from));
  if (request.form) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.form->size()));
    set(CURLOPT_COPYPOSTFIELDS, request.form->c_str());
  }
  set(CURLOPT_HTTPHEADER, lines_);
  set_up_tls();
}

void HttpTransfer::set_up_tls() {
  set(CURLOPT_SSL_VERIFYPEER, settings_.verify_tls ? 1L : 0L);
  set(CURLOPT_SSL_VERIFYHOST, settings_.verify_tls ? 2L : 0L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  const auto blob = [](const std::string& text) {
    return curl_blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  };
  if (!sessions_->trusted.empty()) {
    curl_blob trusted = blob(sessions_->trusted);
    set(CURLOPT_CAINFO_BLOB, &trusted);
  }
  if (sessions_->certificate.empty()) return;
  curl_blob certificate = blob(sessions_->certificate), key = blob(sessions_->key);
  set(CURLOPT_SSLCERT_BLOB, &certificate);
  set(CURLOPT_SSLKEY_BLOB, &key);
}

std::size_t HttpTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  const std::size_t length = size * count;
  transfer.header_bytes_ += length;
  transfer.seen_ += length;
  if (transfer.header_bytes_ > max_header_bytes) {
    transfer.problem_ = TransferProblem{
        ErrorKind::limit, fmt::format("the headers of a reply have more than {} bytes", max_header_bytes), false};
    return 0;
  }
  try {
    transfer.take_header({data, length});
  } catch (...) {
    return 0;  // out of memory; an exception may not cross C code
  }
  return length;
}

void HttpTransfer::take_header(std::string_view line) {
  if (in_body_) return;  // trailers
  if (line.starts_with("HTTP/")) {
    reply_.headers.clear();
    curl_.easy_getinfo(session_->easy, CURLINFO_RESPONSE_CODE, &reply_.status);
    return;
  }
  line = trimmed(line);
  if (line.empty()) {
    curl_.easy_getinfo(session_->easy, CURLINFO_RESPONSE_CODE, &reply_.status);
    in_body_ = reply_.status >= 200;
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  reply_.headers.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
}

std::size_t HttpTransfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  const std::size_t length = size * count;
  if (length > transfer.buffer_.size() - transfer.to_) {
    if (transfer.to_ == 0) return 0;  // larger than the whole buffer: libcurl gives at most 16 KiB
    transfer.paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  std::memcpy(transfer.buffer_.data() + transfer.to_, data, length);
  transfer.to_ += length;
  transfer.seen_ += length;
  return length;
}

void HttpTransfer::begin() {
  while (!in_body_ && !done_) step();
}

std::size_t HttpTransfer::read(std::span<std::uint8_t> into) {
  if (into.empty()) return 0;
  if (from_ == to_) from_ = to_ = 0;
  if (to_ == 0 && paused_ && !done_) {
    paused_ = false;
    if (const CURLcode code = curl_.easy_pause(session_->easy, CURLPAUSE_CONT); code != CURLE_OK) finished(code);
  }
  while (to_ == 0 && !done_) step();
  const std::size_t count = std::min(into.size(), to_ - from_);
  if (count == 0 && problem_) fail();
  std::memcpy(into.data(), buffer_.data() + from_, count);
  from_ += count;
  return count;
}

void HttpTransfer::step() {
  int running = 0;
  if (curl_.multi_perform(session_->multi, &running) != CURLM_OK) return finished(CURLE_FAILED_INIT);
  int left = 0;
  while (const CURLMsg* const message = curl_.multi_info_read(session_->multi, &left))
    if (message->msg == CURLMSG_DONE && message->easy_handle == session_->easy) finished(message->data.result);
  if (!done_ && to_ == 0) wait();
}

/// Own time-keeping: libcurl's would count the time in which we do not ask for bytes.
void HttpTransfer::wait() {
  const auto begun = Clock::now();
  const auto most = std::min<long>(longest_poll_ms, std::max<long>(1, settings_.stall.count() / 4));
  int ready = 0;
  curl_.multi_poll(session_->multi, nullptr, 0, static_cast<int>(most), &ready);
  waited_ += Clock::now() - begun;
  if (waited_ < settings_.stall) return;
  const auto wanted = settings_.slowest * static_cast<std::uint64_t>(settings_.stall.count()) / 1000;
  if (seen_ < std::max<std::uint64_t>(wanted, 1)) {
    done_ = true;
    problem_ = TransferProblem{ErrorKind::network,
                               fmt::format("stalled: {} bytes came in {} ms", seen_, settings_.stall.count())};
    return;
  }
  waited_ = {};
  seen_ = 0;
}

void HttpTransfer::finished(CURLcode code) {
  done_ = true;
  if (code == CURLE_OK) {
    if (!in_body_ && !problem_) problem_ = TransferProblem{ErrorKind::network, "no reply came"};
    return;
  }
  if (problem_) return;
  TransferProblem problem;
  problem.text = detail_[0] != '\0' ? detail_ : curl_.easy_strerror(code);
  problem.again = worth_another_try(code);
  problem.no_tls = code == CURLE_SSL_CONNECT_ERROR || code == CURLE_COULDNT_CONNECT;
  problem_ = std::move(problem);
}

std::optional<std::chrono::seconds> HttpTransfer::retry_after() const {
  if (reply_.header("retry-after").empty()) return std::nullopt;
  curl_off_t seconds = 0;  // libcurl reads both forms, a number and a date
  if (curl_.easy_getinfo(session_->easy, CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK || seconds < 0)
    return std::nullopt;
  return std::chrono::seconds(seconds);
}

void HttpTransfer::fail() const { throw Error(problem_->kind, fmt::format("{}: {}", place_, problem_->text)); }

}  // namespace ocilint
