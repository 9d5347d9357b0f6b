// Searches the files below some folders for secrets, as file-secrets does, and prints what it finds, masked: for
// counting false findings on trees that should hold none.
//
//   bench_secret_files FOLDER… [> hits.tsv]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/digest.h"
#include "facts/credential_files.h"
#include "facts/secret_expiry.h"
#include "facts/secret_samples.h"
#include "facts/secret_scan.h"

using namespace ocilint;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t whole_bytes = 8 << 20;  // as a layer pass: longer files come in pieces

struct Totals {
  std::uint64_t files = 0, bytes = 0, secrets = 0, samples = 0, over = 0, unread = 0;
};

/// Of this thread: others use the machine too.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Bench {
 public:
  void file(const fs::path& path) {
    const int handle = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status {};
    if (handle < 0 || ::fstat(handle, &status) != 0 || !S_ISREG(status.st_mode)) {
      if (handle >= 0) ::close(handle);
      ++totals.unread;
      return;
    }
    if (seen_.emplace(status.st_dev, status.st_ino).second) search(path.string(), handle);
    ::close(handle);
  }

  Totals totals;
  double seconds = 0;

 private:
  void search(const std::string& path, int handle) {
    scan_.begin(may_hold_credentials(path) ? SecretScope::credential_file : SecretScope::file);
    buffer_.resize(whole_bytes);
    for (bool end = false; !end;) {
      std::size_t have = 0;
      while (have < buffer_.size()) {
        const ssize_t got = ::read(handle, buffer_.data() + have, buffer_.size() - have);
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
      }
      end = have < buffer_.size();
      totals.bytes += have;
      const double before = processor_seconds();
      scan_.add(Bytes(reinterpret_cast<const std::uint8_t*>(buffer_.data()), have), end);
      seconds += processor_seconds() - before;
    }
    ++totals.files;
    const FileSecrets found = scan_.take();
    for (const FileSecret& secret : found.kept) {
      const bool sample = is_sample(path, secret);
      const auto expires = expiry_of(secret.detector, secret.value, secret.excerpt);
      const bool over =
          expires && *expires < std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
      if (!sample && over) ++totals.over;
      if (!over || sample) ++(sample ? totals.samples : totals.secrets);
      fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                 sample ? "sample"
                 : over ? "expired"
                        : "secret",
                 secret.detector, path, secret.line, secret.offset, secret.length,
                 Digest::sha256_of(secret.value).hex().substr(0, 16), one_line(secret.excerpt));
    }
    if (!kept_credentials(path).empty()) fmt::print("name\t{}\t{}\n", kept_credentials(path), path);
  }

  static std::string one_line(std::string text) {
    for (char& c : text)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    return text;
  }

  SecretScanner scanner_{std::span<const ExtraDetector>{}};
  SecretScan scan_{scanner_};
  std::set<std::pair<dev_t, ino_t>> seen_;  // a hard link is no second file
  std::string buffer_;
};

}  // namespace

int main(int count, char** arguments) {
  Bench bench;
  for (int i = 1; i < count; ++i) {
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    for (auto at = fs::recursive_directory_iterator(arguments[i], options, error); !error && at != fs::end(at);
         at.increment(error))
      if (at->is_regular_file(error) && !at->is_symlink(error)) bench.file(at->path());
  }
  const Totals& totals = bench.totals;
  fmt::print(
      stderr,
      "{} files, {} bytes, {} secrets, {} expired, {} samples, {} not read, {:.2f} s in the search: {:.0f} MB/s\n",
      totals.files, totals.bytes, totals.secrets, totals.over, totals.samples, totals.unread, bench.seconds,
      static_cast<double>(totals.bytes) / 1e6 / bench.seconds);
  return 0;
}
