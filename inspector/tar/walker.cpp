#include "tar/walker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "tar/compose.h"
#include "tar/expand.h"
#include "tar/header.h"
#include "tar/oddity_log.h"
#include "tar/special.h"

namespace ocilint {
namespace {

using namespace tar;

// 150 to 200 bytes each in the merged tree: 400 MB.
constexpr std::uint32_t max_entries = 2'000'000;
// Zeros of sparse files that are handed out: as many as bytes that may be unpacked from one layer.
constexpr std::uint64_t max_hole_bytes = std::uint64_t{32} << 30;

std::uint64_t padding_of(std::uint64_t size) { return (block_size - size % block_size) % block_size; }

enum class Phase { header, special, old_sparse, sparse_map, body, padding, second_zero, ended };

}  // namespace

class Walker::State {
 public:
  State(TarSink& sink, Oddities& oddities, std::size_t capacity) : sink_(sink), log_(oddities), capacity_(capacity) {
    if (capacity < 2 * block_size) throw Error(ErrorKind::internal, "a tar chunk must hold two blocks");
  }

  std::size_t push(Bytes chunk, bool final) {
    rest_ = chunk;
    final_ = final;
    try {
      while (step()) {
      }
    } catch (Error& error) {
      error.within(fmt::format("tar entry '{}' at offset {}", subject_, header_offset_));
      throw;
    }
    unused_ = rest_.size();
    return chunk.size() - rest_.size();
  }

  void finish() {
    switch (phase_) {
      case Phase::header:
      case Phase::padding:
        if (unused_ > 0) corrupt(fmt::format("the archive ends inside a header at offset {}", offset_));
        orphans("the end of the archive");
        if (offset_ > 0) log_.add("no-end-marker", {}, "the archive ends without the zero blocks that mark its end");
        break;
      case Phase::second_zero:
        if (unused_ > 0) corrupt(fmt::format("the archive ends inside its end marker at offset {}", offset_));
        break;
      case Phase::ended: break;
      default:
        corrupt(fmt::format("tar entry '{}' at offset {}: the archive ends inside it", subject_, header_offset_));
    }
    log_.finish();
  }

  std::uint32_t entries() const { return entries_; }
  bool ended() const { return phase_ == Phase::ended; }

 private:
  /// One thing from the front of rest_. False: it needs more bytes than are there.
  bool step() {
    switch (phase_) {
      case Phase::header: return header();
      case Phase::special: return special();
      case Phase::old_sparse: return old_sparse();
      case Phase::sparse_map: return sparse_map();
      case Phase::body: return body();
      case Phase::padding: return padding();
      case Phase::second_zero: return second_zero();
      case Phase::ended: return behind_end();
    }
    return false;
  }

  void advance(std::size_t count) {
    rest_ = rest_.subspan(count);
    offset_ += count;
  }
  std::size_t available() const { return static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest_.size())); }

  bool header() {
    if (rest_.size() < block_size) return false;
    const Bytes block = rest_.first(block_size);
    header_offset_ = offset_;
    subject_ = parse_text(block.first(100));
    if (is_zero(block)) {
      orphans("the end of the archive");
      advance(block_size);
      phase_ = Phase::second_zero;
      return true;
    }
    if (!checksum_holds(block)) corrupt("the header's checksum is wrong");
    const Header head = parse_header(block);
    if (!SpecialHeaders::is_special(head.type)) return member(head, block);
    special_.begin(head.type, head.size);
    special_type_ = head.type;
    advance(block_size);
    keep_subject();
    left_ = head.size;
    pad_ = padding_of(head.size);
    phase_ = Phase::special;
    return true;
  }

  bool special() {
    const std::size_t count = available();
    if (left_ > 0 && count == 0) return false;
    special_.append(rest_.first(count));
    advance(count);
    left_ -= count;
    if (left_ > 0) return false;
    const bool telling = special_.finish();
    if (special_type_ == 'g') {
      if (telling)
        log_.add("global-header", subject_,
                 "a global PAX header with more than a comment: container engines ignore it, others do not");
      orphans("a global header");
      special_.drop();
    }
    phase_ = Phase::padding;
    return true;
  }

  /// Engines forget what describes no entry.
  void orphans(std::string_view before) {
    if (special_.pending())
      log_.add("orphan-header", subject_,
               fmt::format("an extended header stands before {} and describes nothing", before));
  }

  bool member(const Header& head, Bytes block) {
    std::uint64_t size = recorded_size(head, special_);
    if (head.type == '1' && size > 0) {
      // POSIX lets a link have a body, engines read none: what stands there decides.
      if (rest_.size() < 2 * block_size && !final_) return false;
      if (!body_follows()) size = 0;
    }
    if (++entries_ > max_entries)
      throw Error(ErrorKind::limit, fmt::format("more than {} entries in one layer", max_entries));
    const Layout layout = compose(head, block, special_, size, entry_, joined_, map_);
    subject_ = entry_.name;
    entry_.offset = offset_;
    report_oddities(head, special_, entry_, log_);
    bool more_regions = false;
    if (layout == Layout::old_sparse) {
      old_sparse_.start();
      more_regions = old_sparse_.read(block, false);
    }

    want_ = sink_.entry(entry_);
    if (entry_.type != EntryType::file) want_ = Body::skip;
    advance(block_size);
    left_ = entry_.stored;
    pad_ = padding_of(left_);
    expand_ = false;
    if (left_ == 0 && layout == Layout::plain) {
      special_.clear();
      phase_ = Phase::header;
      return true;
    }
    keep_subject();
    special_.clear();
    if (layout == Layout::plain && want_ == Body::whole && left_ > largest_whole(capacity_))
      throw Error(ErrorKind::internal, "a body was asked for in one piece that does not fit the chunk");
    if (layout == Layout::mapped)
      start_sparse();
    else if (layout == Layout::map_first)
      phase_ = Phase::sparse_map;
    else
      phase_ = more_regions ? Phase::old_sparse : Phase::body;
    return true;
  }

  bool body_follows() const {
    const Bytes next = rest_.subspan(block_size);
    if (next.empty()) return false;
    if (next.size() < block_size) return true;
    return !is_zero(next.first(block_size)) && !checksum_holds(next.first(block_size));
  }

  bool old_sparse() {
    if (rest_.size() < block_size) return false;
    if (!old_sparse_.read(rest_.first(block_size), true)) phase_ = Phase::body;
    advance(block_size);
    return true;
  }

  bool sparse_map() {
    if (left_ < block_size) corrupt("the sparse map does not end inside the body");
    if (rest_.size() < block_size) return false;
    const bool complete = map_.parse_block(rest_.first(block_size));
    advance(block_size);
    left_ -= block_size;
    if (complete) start_sparse();
    return true;
  }

  void start_sparse() {
    map_.check(entry_.size, left_);
    phase_ = Phase::body;
    if (want_ == Body::skip) return;
    hole_bytes_ += entry_.size - left_;  // check(): left_ is at most the size; both are below 2^63
    if (hole_bytes_ > max_hole_bytes)
      throw Error(ErrorKind::limit, fmt::format("sparse files with over {} bytes of holes", max_hole_bytes));
    expand_ = true;
    expander_.start(map_, entry_.size);
  }

  bool body() {
    if (left_ > 0) {
      std::size_t count = available();
      if (count == 0 || (want_ == Body::whole && !expand_ && count < left_)) return false;
      if (expand_)
        count = expander_.data(rest_.first(count), sink_);
      else if (want_ != Body::skip)
        sink_.body(entry_.size - left_, rest_.first(count), count == left_);
      advance(count);
      left_ -= count;
      if (left_ > 0) return true;
    }
    if (expand_) expander_.finish(sink_);
    phase_ = Phase::padding;
    return true;
  }

  bool padding() {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(pad_, rest_.size()));
    advance(count);
    pad_ -= count;
    if (pad_ > 0) return false;
    phase_ = Phase::header;
    return true;
  }

  bool second_zero() {
    if (rest_.size() < block_size) return false;
    if (!is_zero(rest_.first(block_size))) corrupt("a single zero block is followed by more of the archive");
    advance(block_size);
    phase_ = Phase::ended;
    return true;
  }

  bool behind_end() {
    const auto found = std::ranges::find_if(rest_, [](std::uint8_t byte) { return byte != 0; });
    if (found != rest_.end() && !data_after_end_) {
      data_after_end_ = true;
      log_.add("data-after-end", {},
               fmt::format("bytes that are not zero stand behind the end marker, first at offset {}",
                           offset_ + static_cast<std::uint64_t>(found - rest_.begin())));
    }
    advance(rest_.size());
    return false;
  }

  /// The name outlives the chunk while the body streams by.
  void keep_subject() {
    name_.assign(subject_);
    subject_ = name_;
  }

  TarSink& sink_;
  OddityLog log_;
  std::size_t capacity_;

  Bytes rest_;
  bool final_ = false;
  std::size_t unused_ = 0;    // of the last push
  std::uint64_t offset_ = 0;  // of rest_, in the archive
  std::uint64_t header_offset_ = 0;
  std::string_view subject_;  // the entry, for messages
  std::string name_, joined_;

  Phase phase_ = Phase::header;
  std::uint64_t left_ = 0, pad_ = 0;  // of the body
  char special_type_ = 0;
  SpecialHeaders special_;
  Entry entry_;
  Body want_ = Body::skip;
  SparseMap map_;
  SparseExpander expander_;
  OldSparseHeaders old_sparse_;
  bool expand_ = false;
  std::uint64_t hole_bytes_ = 0;
  std::uint32_t entries_ = 0;
  bool data_after_end_ = false;
};

Walker::Walker(TarSink& sink, Oddities& oddities, std::size_t capacity)
    : state_(std::make_unique<State>(sink, oddities, capacity)) {}
Walker::~Walker() = default;

std::size_t Walker::push(Bytes chunk, bool final) { return state_->push(chunk, final); }
void Walker::finish() { state_->finish(); }
std::uint32_t Walker::entries() const { return state_->entries(); }
bool Walker::ended() const { return state_->ended(); }

}  // namespace ocilint
