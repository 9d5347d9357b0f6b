#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace ocilint {

std::shared_ptr<const File> File::open(const std::string& path, Links links) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (links == Links::refuse ? O_NOFOLLOW : 0);
  const int descriptor = ::open(path.c_str(), flags);
  if (descriptor < 0) {
    const auto kind = errno == ENOENT || errno == ENOTDIR ? ErrorKind::not_found : ErrorKind::corrupt;
    throw Error(kind, fmt::format("{}: {}", path, std::strerror(errno)));
  }
  return std::make_shared<const File>(descriptor, path);
}

File::File(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
  struct stat status {};
  const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    ::close(descriptor_);
    corrupt(name_ + ": not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

File::~File() { ::close(descriptor_); }

std::size_t File::read_at(std::uint64_t offset, std::span<std::uint8_t> into) const {
  for (;;) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) corrupt(fmt::format("{}: {}", name_, std::strerror(errno)));
  }
}

std::size_t FileStream::read(std::span<std::uint8_t> into) {
  const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_));
  if (want == 0) return 0;
  const std::size_t got = file_->read_at(at_, into.first(want));
  at_ += got;
  left_ = got == 0 ? 0 : left_ - got;
  return got;
}

std::string read_file(const std::string& path, std::uint64_t most) {
  const auto file = File::open(path);
  if (file->size() > most)
    throw Error(ErrorKind::limit, fmt::format("{}: {} bytes, at most {} are read", path, file->size(), most));
  std::string text(file->size(), '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t got = file->read_at(at, {reinterpret_cast<std::uint8_t*>(text.data()) + at, text.size() - at});
    if (got == 0) break;
    at += got;
  }
  text.resize(at);
  return text;
}

Spool::Spool() {
  const std::string folder = std::filesystem::temp_directory_path().string();
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {  // some file systems have no O_TMPFILE
    std::string name = folder + "/ocilint-XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ >= 0) ::unlink(name.c_str());
  }
  if (descriptor_ < 0)
    throw Error(ErrorKind::limit, fmt::format("no temporary file in {}: {}", folder, std::strerror(errno)));
}

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Spool::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw Error(ErrorKind::limit, fmt::format("temporary file: {}", std::strerror(errno)));
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    size_ += static_cast<std::uint64_t>(put);
  }
}

std::shared_ptr<const File> Spool::finish(std::string name) {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  return std::make_shared<const File>(descriptor, std::move(name));
}

}  // namespace ocilint
