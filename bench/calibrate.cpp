// What the parts of the work cost on this machine, now: the floor that bench/run.py compares with.
//
//   bench_calibrate [--owned SIZES] BLOB...
//
// Each blob (gzip, zstd or plain, by magic bytes) is read once in the steps that performance wants (256 KiB), and
// every part is timed apart by the thread's processor clock: read, SHA-256 of the blob, inflate to nowhere (ISA-L,
// libzstd), SHA-256 of the unpacked bytes. A plain blob has one digest only: it is its own diff ID. SIZES has one
// size a line: MD5 of that many files of these sizes by OpenSSL, one after the other, over bytes that are hot.
// Standard output: one JSON object, seconds. The program knows nothing of the project's own code on purpose.
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <openssl/evp.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t step = 256 * 1024;

using Bytes = std::span<const std::uint8_t>;

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Timer {
 public:
  explicit Timer(double& total) : total_(total), begun_(now()) {}
  ~Timer() { total_ += now() - begun_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& total_;
  double begun_;
};

class Hash {
 public:
  explicit Hash(const EVP_MD* kind) : kind_(kind), state_(EVP_MD_CTX_new()) { begin(); }
  ~Hash() { EVP_MD_CTX_free(state_); }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;

  void begin() { require(EVP_DigestInit_ex(state_, kind_, nullptr)); }
  void update(Bytes bytes) { require(EVP_DigestUpdate(state_, bytes.data(), bytes.size())); }
  void end() {
    unsigned char out[EVP_MAX_MD_SIZE];
    require(EVP_DigestFinal_ex(state_, out, nullptr));
    begin();
  }

 private:
  static void require(int ok) {
    if (ok != 1) throw std::runtime_error("OpenSSL refused to hash");
  }
  const EVP_MD* kind_;
  EVP_MD_CTX* state_;
};

struct Times {
  double read = 0, blob_sha = 0, inflate = 0, unpacked_sha = 0;
  std::uint64_t stored = 0, unpacked = 0;
};

class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot open " + path);
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Bytes next(std::span<std::uint8_t> into, Times& times) {
    const Timer timer(times.read);
    const ssize_t got = read(descriptor_, into.data(), into.size());
    if (got < 0) throw std::runtime_error("cannot read");
    times.stored += static_cast<std::uint64_t>(got);
    return into.first(static_cast<std::size_t>(got));
  }

 private:
  int descriptor_;
};

/// Inflates `bytes` into `into` as far as they go; the rest of `bytes` is what was not used.
struct Inflater {
  virtual ~Inflater() = default;
  virtual std::size_t inflate(Bytes& bytes, std::span<std::uint8_t> into) = 0;
};

struct Gzip final : Inflater {
  Gzip() {
    isal_inflate_init(state.get());
    state->crc_flag = ISAL_GZIP;
  }
  std::size_t inflate(Bytes& bytes, std::span<std::uint8_t> into) override {
    state->next_in = const_cast<std::uint8_t*>(bytes.data());
    state->avail_in = static_cast<std::uint32_t>(bytes.size());
    state->next_out = into.data();
    state->avail_out = static_cast<std::uint32_t>(into.size());
    if (isal_inflate(state.get()) != ISAL_DECOMP_OK) throw std::runtime_error("a gzip blob is damaged");
    bytes = bytes.last(state->avail_in);
    const std::size_t made = into.size() - state->avail_out;
    if (state->block_state == ISAL_BLOCK_FINISH && !bytes.empty()) {
      isal_inflate_reset(state.get());
      state->crc_flag = ISAL_GZIP;
    }
    return made;
  }
  std::unique_ptr<inflate_state> state = std::make_unique<inflate_state>();
};

struct Zstd final : Inflater {
  Zstd() : context(ZSTD_createDCtx()) {}
  ~Zstd() override { ZSTD_freeDCtx(context); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  std::size_t inflate(Bytes& bytes, std::span<std::uint8_t> into) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in))) throw std::runtime_error("a zstd blob is damaged");
    bytes = bytes.subspan(in.pos);
    return out.pos;
  }
  ZSTD_DCtx* context;
};

bool starts_with(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

std::unique_ptr<Inflater> inflater_of(Bytes first) {
  if (starts_with(first, "\x1f\x8b\x08")) return std::make_unique<Gzip>();
  if (starts_with(first, "\x28\xb5\x2f\xfd")) return std::make_unique<Zstd>();
  return nullptr;
}

Times time_blob(const std::string& path) {
  Times times;
  File file(path);
  Hash blob(EVP_sha256()), unpacked(EVP_sha256());
  std::vector<std::uint8_t> in(step), out(step);
  std::unique_ptr<Inflater> inflater;
  for (bool first = true;; first = false) {
    Bytes bytes = file.next(in, times);
    if (bytes.empty()) break;
    if (first) inflater = inflater_of(bytes);
    {
      const Timer timer(times.blob_sha);
      blob.update(bytes);
    }
    if (!inflater) {
      times.unpacked += bytes.size();
      continue;
    }
    for (bool full = true; full || !bytes.empty();) {
      std::size_t made = 0;
      {
        const Timer timer(times.inflate);
        made = inflater->inflate(bytes, out);
      }
      const Timer timer(times.unpacked_sha);
      unpacked.update(Bytes(out).first(made));
      times.unpacked += made;
      full = made == out.size();
      if (made == 0 && !full && !bytes.empty()) break;  // what follows the stream
    }
  }
  return times;
}

struct Md5Times {
  double seconds = 0;
  std::uint64_t files = 0, bytes = 0;
};

Md5Times time_md5(const std::string& list) {
  Md5Times times;
  std::ifstream sizes(list);
  std::vector<std::uint8_t> hot(step, 0x5a);
  Hash md5(EVP_md5());
  const Timer timer(times.seconds);
  for (std::uint64_t size = 0; sizes >> size;) {
    for (std::uint64_t left = size; left > 0;) {
      const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(left, hot.size()));
      md5.update(Bytes(hot).first(part));
      left -= part;
    }
    md5.end();
    ++times.files;
    times.bytes += size;
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) try {
  Md5Times md5;
  std::string blobs;
  Times sum;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--owned" && i + 1 < argc) {
      md5 = time_md5(argv[++i]);
      continue;
    }
    const Times times = time_blob(argv[i]);
    char line[256];
    std::snprintf(line, sizeof line, "%s{\"read\":%.4f,\"blob_sha\":%.4f,\"inflate\":%.4f,\"unpacked_sha\":%.4f}",
                  blobs.empty() ? "" : ",", times.read, times.blob_sha, times.inflate, times.unpacked_sha);
    blobs += line;
    sum.read += times.read;
    sum.blob_sha += times.blob_sha;
    sum.inflate += times.inflate;
    sum.unpacked_sha += times.unpacked_sha;
    sum.stored += times.stored;
    sum.unpacked += times.unpacked;
  }
  std::printf(
      "{\"read\":%.4f,\"blob_sha\":%.4f,\"inflate\":%.4f,\"unpacked_sha\":%.4f,\"md5\":%.4f,\"stored_bytes\":%llu,"
      "\"unpacked_bytes\":%llu,\"md5_files\":%llu,\"md5_bytes\":%llu,\"blobs\":[%s]}\n",
      sum.read, sum.blob_sha, sum.inflate, sum.unpacked_sha, md5.seconds, static_cast<unsigned long long>(sum.stored),
      static_cast<unsigned long long>(sum.unpacked), static_cast<unsigned long long>(md5.files),
      static_cast<unsigned long long>(md5.bytes), blobs.c_str());
  return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_calibrate: %s\n", error.what());
  return EXIT_FAILURE;
}
