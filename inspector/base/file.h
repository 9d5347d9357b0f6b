// Local files, opened so that a hostile image directory cannot surprise: no FIFO or device is ever opened for
// reading, and nothing blocks. Throws Error{not_found} or Error{corrupt} with the path in the text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/byte_stream.h"

namespace ocilint {

/// A regular file, open for reading. Shared by every stream over it; pread only, so any thread may use it.
class File {
 public:
  enum class Links { follow, refuse };

  static std::shared_ptr<const File> open(const std::string& path, Links links = Links::follow);
  /// Takes over a descriptor (a spool). `name` is for messages.
  File(int descriptor, std::string name);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  /// Reads up to into.size() bytes at `offset`; 0 is the end of the file.
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> into) const;

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
  std::string name_;
};

/// The bytes [offset, offset + size) of a file. Ends early when the file does: the digest check sees it.
class FileStream final : public ByteStream {
 public:
  FileStream(std::shared_ptr<const File> file, std::uint64_t offset, std::uint64_t size)
      : file_(std::move(file)), at_(offset), left_(size) {}
  std::size_t read(std::span<std::uint8_t> into) override;

 private:
  std::shared_ptr<const File> file_;
  std::uint64_t at_;
  std::uint64_t left_;
};

/// The whole file as text. Error{limit} above `most` bytes.
std::string read_file(const std::string& path, std::uint64_t most);

/// An unlinked temporary file for what cannot be sought: a stream on standard input, a compressed archive.
/// Nothing else of an image is ever written (docs/architecture.md). Gone when the last File is.
class Spool {
 public:
  Spool();
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  void write(std::span<const std::uint8_t> bytes);
  std::uint64_t size() const { return size_; }
  /// Ends writing. Call once.
  std::shared_ptr<const File> finish(std::string name);

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace ocilint
