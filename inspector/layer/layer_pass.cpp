#include "layer/layer_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "blob/decompress.h"
#include "blob/verified_reader.h"
#include "layer/entry_sink.h"
#include "oci/manifest.h"
#include "tar/walker.h"

namespace ocilint {
namespace {

constexpr std::size_t step = 256 * 1024;  // stays in the second-level cache from inflating to the facts of bodies

// A layer with less than this to inflate is done before a second thread has warmed up.
constexpr std::uint64_t split_from = 2 * Buffer::capacity;

/// blob → verify → decompress, into buffers.
class Unpacker {
 public:
  Unpacker(std::unique_ptr<ByteStream> stored, const LayerClaim& claim, const LayerLimits& limits)
      : verified_(std::move(stored), claim.digest, claim.size), decompressor_(verified_, oddities_), limits_(limits) {}

  /// Fills the buffer, or less at the end of the archive; true when it ended. `each` sees every step while hot.
  template <typename Each>
  bool fill(Buffer& buffer, Each&& each) {
    for (;;) {
      const std::span<std::uint8_t> room = buffer.free();
      if (room.empty()) return false;
      const auto part = room.first(std::min(step, room.size()));
      const std::size_t count = decompressor_.read(part);
      if (count == 0) return true;
      unpacked_ += count;
      stored_.store(verified_.bytes_read(), std::memory_order_relaxed);
      if (unpacked_ > limits_.unpacked_bytes)
        throw Error(ErrorKind::limit,
                    fmt::format("the layer unpacks to more than {} bytes (--max-layer)", limits_.unpacked_bytes));
      if (limits_.image != nullptr) limits_.image->unpacked(count);
      buffer.grow(count);
      each(Bytes(part.first(count)));
    }
  }

  /// May be called while another thread fills.
  std::uint64_t stored_so_far() const { return stored_.load(std::memory_order_relaxed); }
  std::uint64_t stored_bytes() const { return verified_.bytes_read(); }
  std::uint64_t unpacked_bytes() const { return unpacked_; }
  bool verified() const { return verified_.verified(); }
  Compression compression() const { return decompressor_.compression(); }
  const Oddities& oddities() const { return oddities_; }

 private:
  Oddities oddities_;
  VerifiedReader verified_;
  Decompressor decompressor_;
  LayerLimits limits_;
  std::uint64_t unpacked_ = 0;
  std::atomic<std::uint64_t> stored_ = 0;
};

/// Fills buffers ahead in a thread of its own: give() it an empty one, take() a full one.
class FillAhead {
 public:
  FillAhead(Unpacker& unpacker, Buffer& buffer) : unpacker_(unpacker), free_{&buffer} {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
  }
  ~FillAhead() {
    {
      // Under the lock: between its look at the flag and its sleep the thread would miss the call.
      const std::lock_guard lock(mutex_);
      thread_.request_stop();
    }
    changed_.notify_all();
  }

  struct Filled {
    Buffer* buffer;
    bool end;
  };
  Filled take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !filled_.empty() || failure_; });
    if (filled_.empty()) std::rethrow_exception(failure_);
    const Filled front = filled_.front();
    filled_.erase(filled_.begin());
    return front;
  }
  void give(Buffer* buffer) {
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(buffer);
    }
    changed_.notify_all();
  }

 private:
  void run(std::stop_token stop) {
    try {
      for (bool end = false; !end;) {
        Buffer* buffer = nullptr;
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return !free_.empty() || stop.stop_requested(); });
          if (stop.stop_requested()) return;
          buffer = free_.back();
          free_.pop_back();
        }
        buffer->clear();
        end = unpacker_.fill(*buffer, [](Bytes) {});
        const std::lock_guard lock(mutex_);
        filled_.push_back({buffer, end});
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  Unpacker& unpacker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Buffer*> free_;
  std::vector<Filled> filled_;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: it ends before what it uses goes away
};

/// diff ID → tar → facts, from buffers, while the bytes are hot.
class Reader {
 public:
  Reader(LayerIndex& index, const Demand& demand, const ExactWants* exact, ReadBudget* budget)
      : sink_(index, demand, exact, Walker::largest_whole(Buffer::capacity), budget),
        walker_(sink_, index.oddities, Buffer::capacity) {}

  /// A buffer: what leave() returned of the one before, moved to where the fresh bytes follow.
  void begin(Bytes rest) { waiting_ = rest; }
  void take(Bytes fresh) {
    diff_id_.update(fresh);
    waiting_ = Bytes(waiting_.data(), waiting_.size() + fresh.size());
    unwalked_ += fresh.size();
    if (unwalked_ >= step) walk(false);
  }
  /// What is left of the buffer belongs in front of the next one.
  Bytes leave(bool end) {
    walk(end);
    sink_.flush();
    return waiting_;
  }
  void finish() { walker_.finish(); }
  const Hasher& diff_id() const { return diff_id_; }

 private:
  void walk(bool end) {
    waiting_ = waiting_.subspan(walker_.push(waiting_, end));
    unwalked_ = 0;
  }

  Hasher diff_id_{Algorithm::sha256};
  EntrySink sink_;
  Walker walker_;
  Bytes waiting_;             // in the buffer; the walker has not used it
  std::size_t unwalked_ = 0;  // of these, not yet seen by it
};

/// Old zstd:chunked writers lose the zeros behind the archive, and with them the diff ID (containers/storage
/// 1771). The archive is the same with and without them.
bool matches_when_padded(const Hasher& hasher, std::uint64_t size, const Digest& diff_id) {
  constexpr std::uint64_t record = 10240;
  static constexpr std::uint8_t zeros[record] = {};
  const std::uint64_t missing = (record - size % record) % record;
  return missing != 0 && hasher.peek_with(Bytes(zeros, missing)) == diff_id;
}

void check_diff_id(const Reader& reader, const LayerClaim& claim, LayerIndex& index) {
  index.diff_id = reader.diff_id().peek();
  if (!claim.diff_id) {
    if (!claim.digest)
      index.oddities.push_back({"unverifiable-layer", claim.name, "neither a digest nor a diff ID is stated for it"});
    return;
  }
  if (claim.diff_id->algorithm() != Algorithm::sha256)
    throw Error(ErrorKind::unsupported, "diff ID " + claim.diff_id->text() + ": only sha256 is verified");
  if (index.diff_id == *claim.diff_id) return;
  if (!matches_when_padded(reader.diff_id(), index.counts.unpacked_bytes, *claim.diff_id))
    corrupt(fmt::format("the diff ID of the unpacked bytes is {}, the config says {}", index.diff_id.text(),
                        claim.diff_id->text()));
  index.oddities.push_back({"diff-id-without-padding", claim.name,
                            "the diff ID matches only when the archive is padded with zeros to a full record"});
  index.diff_id = *claim.diff_id;
}

void check_media_type(const LayerClaim& claim, Compression compression, LayerIndex& index) {
  index.compression = to_string(compression);
  const auto stated = media_type::compression(claim.media_type);
  const std::string_view found = compression == Compression::none ? "" : to_string(compression);
  if (stated && *stated != found)
    index.oddities.push_back({"media-type-mismatch", claim.name,
                              fmt::format("the media type {} says {}, the bytes are {}", claim.media_type,
                                          stated->empty() ? "uncompressed" : *stated, to_string(compression))});
}

LayerIndex read(Workspace& workspace, std::unique_ptr<ByteStream> stored, const LayerClaim& claim, const Demand& demand,
                const ExactWants* exact, const LayerLimits& limits, IdleCores& idle,
                const std::function<void(std::uint64_t)>& progress) {
  LayerIndex index;
  Unpacker unpacker(std::move(stored), claim, limits);
  Reader reader(index, demand, exact, limits.image);
  const auto report = [&] {
    if (progress) progress(unpacker.stored_so_far());
  };

  Buffer& buffer = workspace.first();
  Bytes rest;
  bool end = false;
  bool split = false;
  while (!end && !split) {
    buffer.clear();
    buffer.prepend(rest);
    reader.begin(buffer.data());
    end = unpacker.fill(buffer, [&](Bytes fresh) { reader.take(fresh); });
    rest = reader.leave(end);
    report();
    split = !end && unpacker.unpacked_bytes() >= split_from && idle.take();
  }
  if (split) {
    // The rest of a buffer is copied before the next one, which is full by then; only after that may the other
    // thread fill the first again.
    FillAhead ahead(unpacker, workspace.second());
    Buffer* previous = &buffer;
    while (!end) {
      const auto filled = ahead.take();
      Bytes fresh = filled.buffer->data();
      filled.buffer->prepend(rest);
      ahead.give(previous);  // before the hashing, which the other thread shall not wait for
      reader.begin(filled.buffer->data().first(rest.size()));
      for (; !fresh.empty(); fresh = fresh.subspan(std::min(step, fresh.size())))
        reader.take(fresh.first(std::min(step, fresh.size())));
      previous = filled.buffer;
      end = filled.end;
      rest = reader.leave(end);
      report();
    }
    idle.give();
  }
  reader.finish();

  index.counts.stored_bytes = unpacker.stored_bytes();
  index.counts.unpacked_bytes = unpacker.unpacked_bytes();
  index.counts.parsed = true;
  check_diff_id(reader, claim, index);
  check_media_type(claim, unpacker.compression(), index);
  index.counts.verified = unpacker.verified() && (claim.digest || claim.diff_id);
  index.oddities.insert(index.oddities.end(), unpacker.oddities().begin(), unpacker.oddities().end());
  return index;
}

}  // namespace

LayerIndex read_layer(Workspace& workspace, std::unique_ptr<ByteStream> stored, const LayerClaim& claim,
                      const Demand& demand, const ExactWants* exact, const LayerLimits& limits, IdleCores& idle,
                      const std::function<void(std::uint64_t)>& progress) {
  try {
    return read(workspace, std::move(stored), claim, demand, exact, limits, idle, progress);
  } catch (Error& error) {
    error.within("layer " + claim.name);
    throw;
  }
}

}  // namespace ocilint
