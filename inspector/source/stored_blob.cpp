#include "source/stored_blob.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint {

std::optional<StoredBlob> StoredBlob::in_folder(std::string path, std::string name) {
  StoredBlob out;
  try {
    out.size = File::open(path, File::Links::refuse)->size();
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::not_found) return std::nullopt;
    throw;
  }
  out.path = std::move(path);
  out.name = std::move(name);
  return out;
}

std::unique_ptr<ByteStream> StoredBlob::stream() const {
  if (remote) return remote();
  if (path.empty()) return std::make_unique<FileStream>(file, offset, size);
  auto opened = File::open(path, File::Links::refuse);
  // The file's size of now, not of then: a file that changed meanwhile must not look complete.
  const std::uint64_t now = opened->size();
  return std::make_unique<FileStream>(std::move(opened), 0, now);
}

std::string StoredBlob::text(std::uint64_t most) const {
  if (size > most) throw Error(ErrorKind::limit, fmt::format("{}: {} bytes, at most {} are read", name, size, most));
  std::string out(static_cast<std::size_t>(size), '\0');
  const auto source = stream();
  std::size_t at = 0;
  while (at < out.size()) {
    const std::size_t got = source->read({reinterpret_cast<std::uint8_t*>(out.data()) + at, out.size() - at});
    if (got == 0) corrupt(fmt::format("{}: ends after {} of {} bytes", name, at, size));
    at += got;
  }
  return out;
}

std::string read_verified(const StoredBlob& blob, const Descriptor& descriptor, std::uint64_t most) {
  const std::string digest = descriptor.digest.text();
  if (blob.size != descriptor.size)
    corrupt(fmt::format("{}: {} bytes are stored, its descriptor says {}", digest, blob.size, descriptor.size));
  std::string text = blob.text(most);
  Hasher hasher(descriptor.digest.algorithm());
  hasher.update(as_bytes(text));
  if (const Digest found = hasher.finish(); found != descriptor.digest)
    corrupt(fmt::format("{}: the stored bytes have the digest {}", digest, found.text()));
  return text;
}

}  // namespace ocilint
