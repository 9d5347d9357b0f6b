#include "source/spool.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "blob/decompress.h"

namespace ocilint {
namespace {

constexpr std::size_t buffer_size = 256U << 10;
constexpr std::size_t magic_size = 8;

/// A libarchive filter code, or none.
int filter_of(Bytes head) {
  const std::string_view text = as_text(head);
  if (text.starts_with("\x1f\x8b\x08")) return ARCHIVE_FILTER_GZIP;
  if (text.starts_with("BZh")) return ARCHIVE_FILTER_BZIP2;
  if (text.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6)))
    return ARCHIVE_FILTER_XZ;
  if (text.starts_with("\x28\xb5\x2f\xfd")) return ARCHIVE_FILTER_ZSTD;
  // A zstd stream may start with a skippable frame.
  if (head.size() >= 4 && (head[0] & 0xf0) == 0x50 && text.substr(1, 3) == "\x2a\x4d\x18") return ARCHIVE_FILTER_ZSTD;
  return ARCHIVE_FILTER_NONE;
}

/// A descriptor that is read once: standard input.
class DescriptorStream final : public ByteStream {
 public:
  explicit DescriptorStream(int descriptor) : descriptor_(descriptor) {}
  std::size_t read(std::span<std::uint8_t> into) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, into.data(), into.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) corrupt(fmt::format("standard input: {}", std::strerror(errno)));
    }
  }

 private:
  int descriptor_;
};

/// Gives back bytes that were looked at, then the rest.
class PrefixedStream final : public ByteStream {
 public:
  PrefixedStream(std::vector<std::uint8_t> head, ByteStream& rest) : head_(std::move(head)), rest_(rest) {}
  std::size_t read(std::span<std::uint8_t> into) override {
    if (at_ == head_.size()) return rest_.read(into);
    const std::size_t count = std::min(into.size(), head_.size() - at_);
    std::memcpy(into.data(), head_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::vector<std::uint8_t> head_;
  std::size_t at_ = 0;
  ByteStream& rest_;
};

std::vector<std::uint8_t> read_head(ByteStream& from) {
  std::vector<std::uint8_t> head(magic_size);
  std::size_t at = 0;
  while (at < head.size()) {
    const std::size_t got = from.read(std::span(head).subspan(at));
    if (got == 0) break;
    at += got;
  }
  head.resize(at);
  return head;
}

void write_limited(Spool& spool, Bytes bytes, const std::string& name) {
  if (bytes.size() > max_spool_size - spool.size())
    throw Error(ErrorKind::limit, fmt::format("{}: unpacks to more than {} bytes", name, max_spool_size));
  spool.write(bytes);
}

/// What libarchive's callback works on; an error waits here, since it may not cross C code.
struct Input {
  ByteStream& from;
  std::uint64_t total = 0;
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(buffer_size);
  std::exception_ptr problem;
};

la_ssize_t read_some(archive*, void* data, const void** out) {
  auto& input = *static_cast<Input*>(data);
  try {
    const std::size_t got = input.from.read(input.buffer);
    input.total += got;
    *out = input.buffer.data();
    return static_cast<la_ssize_t>(got);
  } catch (...) {
    input.problem = std::current_exception();
    return -1;
  }
}

struct Closer {
  void operator()(archive* a) const { archive_read_free(a); }
};

[[noreturn]] void refuse(archive* a, const Input& input, const std::string& name) {
  if (input.problem) std::rethrow_exception(input.problem);
  const char* why = archive_error_string(a);
  corrupt(fmt::format("{}: cannot be decompressed: {}", name, why == nullptr ? "no reason given" : why));
}

Seekable decompress(ByteStream& from, int filter, const std::string& name) {
  Input input{from, 0, std::vector<std::uint8_t>(buffer_size), nullptr};
  const std::unique_ptr<archive, Closer> reader(archive_read_new());
  archive* const a = reader.get();
  if (a == nullptr) throw std::bad_alloc();
  archive_entry* entry = nullptr;
  if (archive_read_append_filter(a, filter) != ARCHIVE_OK || archive_read_support_format_raw(a) != ARCHIVE_OK ||
      archive_read_open(a, &input, nullptr, read_some, nullptr) != ARCHIVE_OK ||
      archive_read_next_header(a, &entry) != ARCHIVE_OK)
    refuse(a, input, name);
  Spool spool;
  std::vector<std::uint8_t> buffer(buffer_size);
  for (;;) {
    const la_ssize_t got = archive_read_data(a, buffer.data(), buffer.size());
    if (got < 0) refuse(a, input, name);
    if (got == 0) break;
    write_limited(spool, Bytes(buffer).first(static_cast<std::size_t>(got)), name);
  }
  const auto used = static_cast<std::uint64_t>(archive_filter_bytes(a, -1));
  while (const std::size_t more = from.read(buffer)) input.total += more;
  Seekable out;
  out.spooled = spool.size();
  out.file = spool.finish(name);
  if (input.total > used)
    out.oddities.push_back({"data-after-archive-end", name,
                            fmt::format("{} bytes follow the compressed stream at byte {}", input.total - used, used)});
  return out;
}

/// gzip and zstd by the readers of layers, which check what libarchive does not: the CRC, the length, every member.
Seekable decompress_strictly(ByteStream& from, const std::string& name) {
  Seekable out;
  Decompressor decompressor(from, out.oddities);
  Spool spool;
  std::vector<std::uint8_t> buffer(buffer_size);
  try {
    while (const std::size_t got = decompressor.read(buffer)) write_limited(spool, Bytes(buffer).first(got), name);
  } catch (Error& error) {
    error.within(name);
    throw;
  }
  out.spooled = spool.size();
  out.file = spool.finish(name);
  for (Oddity& oddity : out.oddities) {
    oddity.id = "data-after-archive-end";
    oddity.subject = name;
  }
  return out;
}

Seekable unpack(ByteStream& from, int filter, const std::string& name) {
  const bool strict = filter == ARCHIVE_FILTER_GZIP || filter == ARCHIVE_FILTER_ZSTD;
  return strict ? decompress_strictly(from, name) : decompress(from, filter, name);
}

Seekable spool_plain(ByteStream& from, const std::string& name) {
  Spool spool;
  std::vector<std::uint8_t> buffer(buffer_size);
  while (const std::size_t got = from.read(buffer)) write_limited(spool, Bytes(buffer).first(got), name);
  Seekable out;
  out.spooled = spool.size();
  out.file = spool.finish(name);
  return out;
}

/// Standard input that is a file anyway, from its start: read in place.
std::shared_ptr<const File> redirected_input() {
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode) || ::lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
    return nullptr;
  const int copy = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? nullptr : std::make_shared<const File>(copy, "standard input");
}

}  // namespace

Seekable spool_stream(ByteStream& from, const std::string& name) {
  const std::vector<std::uint8_t> head = read_head(from);
  if (head.empty()) corrupt(name + ": empty");
  PrefixedStream whole(head, from);
  const int filter = filter_of(head);
  return filter == ARCHIVE_FILTER_NONE ? spool_plain(whole, name) : unpack(whole, filter, name);
}

Seekable open_seekable(const std::string& path) {
  const auto file = path == "-" ? redirected_input() : File::open(path);
  if (file == nullptr) {
    DescriptorStream input(STDIN_FILENO);
    return spool_stream(input, "standard input");
  }
  if (file->size() == 0) corrupt(file->name() + ": empty");
  FileStream whole(file, 0, file->size());
  const int filter = filter_of(read_head(whole));
  if (filter == ARCHIVE_FILTER_NONE) return {file, 0, {}};
  FileStream again(file, 0, file->size());
  return unpack(again, filter, file->name());
}

}  // namespace ocilint
