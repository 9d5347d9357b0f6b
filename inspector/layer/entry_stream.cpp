#include "layer/entry_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "blob/decompress.h"
#include "blob/verified_reader.h"
#include "tar/walker.h"

namespace ocilint {
namespace {

constexpr std::size_t step = 256 * 1024;  // as in the pass

class OneEntry final : public TarSink {
 public:
  OneEntry(Ordinal wanted, const std::function<void(Bytes)>& out) : wanted_(wanted), out_(out) {}

  Body entry(const Entry& entry) override {
    const bool hit = next_++ == wanted_;
    if (!hit || entry.type != EntryType::file) return Body::skip;
    found_ = true;
    left_ = entry.size;
    return Body::pieces;
  }
  void body(std::uint64_t, Bytes bytes, bool) override {
    left_ -= std::min<std::uint64_t>(left_, bytes.size());
    out_(bytes);
  }
  bool whole() const { return found_ && left_ == 0; }

 private:
  Ordinal wanted_, next_ = 0;
  const std::function<void(Bytes)>& out_;
  bool found_ = false;
  std::uint64_t left_ = 0;
};

void stream(std::unique_ptr<ByteStream> stored, const LayerClaim& claim, Ordinal entry, const LayerLimits& limits,
            const std::function<void(Bytes)>& out) {
  Oddities oddities;
  VerifiedReader verified(std::move(stored), claim.digest, claim.size);
  Decompressor decompressor(verified, oddities);
  OneEntry sink(entry, out);
  Walker walker(sink, oddities, Buffer::capacity);
  Hasher diff_id(Algorithm::sha256);
  Workspace workspace;
  Buffer& buffer = workspace.first();
  std::uint64_t unpacked = 0;
  Bytes rest;
  for (bool end = false; !end;) {
    buffer.clear();
    buffer.prepend(rest);
    while (!end && !buffer.free().empty()) {
      const std::span<std::uint8_t> room = buffer.free();
      const auto part = room.first(std::min(step, room.size()));
      const std::size_t count = decompressor.read(part);
      end = count == 0;
      unpacked += count;
      if (unpacked > limits.unpacked_bytes)
        throw Error(ErrorKind::limit,
                    fmt::format("the layer unpacks to more than {} bytes (--max-layer)", limits.unpacked_bytes));
      diff_id.update(Bytes(part.first(count)));
      buffer.grow(count);
    }
    const Bytes data = buffer.data();
    rest = data.subspan(walker.push(data, end));
  }
  walker.finish();
  // With a digest every stored byte went by it; a layer that is known by its diff ID alone goes by that.
  if (!claim.digest && claim.diff_id && diff_id.peek() != *claim.diff_id)
    corrupt(fmt::format("the diff ID of the unpacked bytes is {}, the config says {}", diff_id.peek().text(),
                        claim.diff_id->text()));
  if (!sink.whole()) throw Error(ErrorKind::internal, "the entry is no longer what it was");
}

}  // namespace

void stream_entry(std::unique_ptr<ByteStream> stored, const LayerClaim& claim, Ordinal entry, const LayerLimits& limits,
                  const std::function<void(Bytes)>& out) {
  try {
    stream(std::move(stored), claim, entry, limits, out);
  } catch (Error& error) {
    error.within("layer " + claim.name);
    throw;
  }
}

}  // namespace ocilint
