#include "source/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <thread>

#include "base/bytes.h"
#include "base/file.h"
#include "source/http_transfer.h"
#include "source/url.h"

namespace ocilint {
namespace {

constexpr unsigned max_redirects = 5;
constexpr std::uint64_t max_certificate_size = 1U << 20;
constexpr std::size_t drained_bytes = 64U << 10;

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool is_busy(long status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

/// The folder as engines read it (containers-certs.d(5)): *.crt to trust, one *.cert with its *.key to show.
void read_certificates(const std::string& folder, HttpSessions& into) {
  std::error_code failed;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    files.push_back(at->path());
  if (failed) throw Error(ErrorKind::usage, fmt::format("{}: {}", folder, failed.message()));
  std::ranges::sort(files);
  for (const auto& file : files) {
    if (file.extension() == ".crt") {
      into.trusted += read_file(file.string(), max_certificate_size) + "\n";
    } else if (file.extension() == ".cert" && into.certificate.empty()) {
      auto key = file;
      key.replace_extension(".key");
      into.certificate = read_file(file.string(), max_certificate_size);
      into.key = read_file(key.string(), max_certificate_size);
    }
  }
}

}  // namespace

std::string HttpReply::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

std::vector<std::string> HttpReply::all(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : headers)
    if (key == name) out.push_back(value);
  return out;
}

void Backoff::wait(const Error& why, std::optional<std::chrono::seconds> asked) {
  if (++failures_ >= settings_.tries) throw why;
  auto wait = settings_.first_wait * (1U << std::min(failures_ - 1, 10U));
  // Jobs that failed together shall not come back together.
  thread_local std::minstd_rand random{std::random_device{}()};
  wait += wait * static_cast<int>(random() % 256) / 1024;
  if (asked) {
    if (*asked > settings_.longest_wait)
      throw Error(why.kind(), fmt::format("{}; it asks to wait {} seconds, which is longer than {} ms", why.what(),
                                          asked->count(), settings_.longest_wait.count()));
    wait = std::max<std::chrono::milliseconds>(wait, *asked);
  }
  if (waited_ + wait > settings_.all_waits) throw why;
  waited_ += wait;
  std::this_thread::sleep_for(wait);
}

HttpExchange::HttpExchange(std::unique_ptr<HttpTransfer> transfer, HttpReply reply)
    : transfer_(std::move(transfer)), reply_(std::move(reply)) {}

HttpExchange::~HttpExchange() = default;

std::size_t HttpExchange::read(std::span<std::uint8_t> into) { return transfer_->read(into); }

std::string HttpExchange::text(std::uint64_t most) {
  std::string out;
  std::vector<std::uint8_t> step(64U << 10);
  while (const std::size_t got = read(step)) {
    if (got > most - out.size())
      throw Error(ErrorKind::limit, fmt::format("{}: more than {} bytes", reply_.place, most));
    out += as_text(Bytes(step).first(got));
  }
  return out;
}

void HttpExchange::drain() {
  try {
    (void)text(drained_bytes);
  } catch (const Error&) {
    // The connection is closed then.
  }
}

HttpClient::HttpClient(HttpSettings settings)
    : settings_(std::move(settings)), sessions_(std::make_shared<HttpSessions>()) {
  if (!settings_.certificates.empty()) read_certificates(settings_.certificates, *sessions_);
}

HttpClient::~HttpClient() = default;

bool HttpClient::may_be_plain(const std::string& host) const {
  return !settings_.verify_tls || !settings_.socket.empty() || reach_of(host) == Reach::machine;
}

namespace {

Error busy(const HttpReply& reply) {
  return Error(ErrorKind::network, fmt::format("{}: the server answers {}{}", reply.place, reply.status,
                                               reply.status == 429 ? " (too many requests)" : ""));
}

Url redirected(const HttpClient& client, const Url& from, const std::string& location) {
  if (location.empty()) throw Error(ErrorKind::network, from.shown() + ": a redirect that leads nowhere");
  Url to = from.at(location);
  const auto refuse = [&](const char* why) {
    throw Error(ErrorKind::network, fmt::format("{} redirects to {}, {}", from.shown(), to.origin(), why));
  };
  if (from.encrypted() && !to.encrypted()) refuse("which is not encrypted");
  if (!to.encrypted() && !client.may_be_plain(to.host)) refuse("which is not encrypted");
  if (reach_of(to.host) < reach_of(from.host)) refuse("which is inside of the network or machine that asks");
  return to;
}

}  // namespace

std::unique_ptr<HttpExchange> HttpClient::open(const HttpRequest& request, Backoff& backoff) const {
  const Url first = Url::parse(request.url);
  if (!first.encrypted() && !may_be_plain(first.host))
    throw Error(ErrorKind::network,
                first.origin() + " is not encrypted; plain HTTP is spoken to this machine only (--tls-verify=false)");
  for (;;) {
    Url at = first;
    for (unsigned hops = 0;; ++hops) {
      if (hops > max_redirects)
        throw Error(ErrorKind::network, fmt::format("{}: more than {} redirects", first.shown(), max_redirects));
      const bool same = at.origin() == first.origin();
      auto transfer = std::make_unique<HttpTransfer>(settings_, sessions_, request, at, same);
      transfer->begin();
      if (const auto& problem = transfer->problem()) {
        const Error error(problem->kind, fmt::format("{}: {}", at.shown(), problem->text));
        if (!problem->again) throw error;
        transfer.reset();
        backoff.wait(error);
        break;
      }
      HttpReply reply = transfer->reply();
      reply.place = at.shown();
      reply.elsewhere = !same;
      if (is_busy(reply.status)) {
        const auto asked = transfer->retry_after();
        transfer.reset();
        backoff.wait(busy(reply), asked);
        break;
      }
      if (!is_redirect(reply.status) || request.form)
        return std::make_unique<HttpExchange>(std::move(transfer), std::move(reply));
      at = redirected(*this, at, reply.header("location"));
    }
  }
}

bool HttpClient::speaks_tls(const std::string& url, Backoff& backoff) const {
  const Url at = Url::parse(url);
  for (;;) {
    HttpTransfer transfer(settings_, sessions_, HttpRequest{.url = url}, at, false);
    transfer.begin();
    const auto& problem = transfer.problem();
    if (!problem) return true;
    if (problem->no_tls) return false;
    const Error error(problem->kind, fmt::format("{}: {}", at.shown(), problem->text));
    if (!problem->again) throw error;
    backoff.wait(error);
  }
}

}  // namespace ocilint
