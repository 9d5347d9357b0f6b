#include "base/md5_lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/digest.h"
#include "base/error.h"

namespace ocilint {
namespace {

constexpr unsigned widest = 16;

std::uint32_t little(std::uint32_t value) {
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap32(value);
  return value;
}

using Blocks = void (*)(std::uint32_t (*)[widest], const std::uint8_t* const*, std::size_t);

#define OCILINT_LANES 4
#define OCILINT_BLOCKS blocks_4
#define OCILINT_TARGET
#include "base/md5_lanes_block.inc"
#undef OCILINT_LANES
#undef OCILINT_BLOCKS
#undef OCILINT_TARGET

#if defined(__x86_64__)
#define OCILINT_LANES 8
#define OCILINT_BLOCKS blocks_8
#define OCILINT_TARGET __attribute__((target("avx2")))
#include "base/md5_lanes_block.inc"
#undef OCILINT_LANES
#undef OCILINT_BLOCKS
#undef OCILINT_TARGET

#define OCILINT_LANES 16
#define OCILINT_BLOCKS blocks_16
#define OCILINT_TARGET __attribute__((target("avx512f")))
#include "base/md5_lanes_block.inc"
#undef OCILINT_LANES
#undef OCILINT_BLOCKS
#undef OCILINT_TARGET
#endif

// The rate of one lane while the others run, as a share of OpenSSL's rate, measured.
struct Width {
  unsigned lanes;
  Blocks blocks;
  double lane_rate;
};
constexpr double scalar_rate = 1;
constexpr Width width_4{4, blocks_4, 0.59};
#if defined(__x86_64__)
constexpr Width width_8{8, blocks_8, 0.48};
constexpr Width width_16{16, blocks_16, 0.50};
#endif

Width best_width() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return width_16;
  if (__builtin_cpu_supports("avx2")) return width_8;
#endif
  return width_4;
}

void scalar(Hasher& hasher, Bytes input, Md5& out) {
  hasher.update(input);
  const Digest digest = hasher.finish();
  std::copy_n(digest.raw().begin(), out.size(), out.begin());
}

// One buffer on its way through a lane: its whole blocks where they lie, then the padded rest from `tail`.
struct Lane {
  std::size_t input = SIZE_MAX;  // index; SIZE_MAX is an idle lane
  const std::uint8_t* at = nullptr;
  std::size_t blocks = 0;
  bool in_tail = false;
  std::uint8_t tail[128];

  void begin(std::size_t index, Bytes bytes) {
    input = index;
    at = bytes.data();
    blocks = bytes.size() / 64;
    in_tail = false;
    if (blocks == 0) begin_tail(bytes);
  }
  void begin_tail(Bytes bytes) {
    const std::size_t rest = bytes.size() % 64;
    blocks = rest < 56 ? 1 : 2;
    std::memset(tail, 0, sizeof tail);
    if (rest != 0) std::memcpy(tail, bytes.data() + bytes.size() - rest, rest);
    tail[rest] = 0x80;
    const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
    for (unsigned i = 0; i < 8; ++i) tail[blocks * 64 - 8 + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    at = tail;
    in_tail = true;
  }
};

class LaneSet {
 public:
  explicit LaneSet(const Width& width) : width_(width) {}

  // `order` is by size, longest first, which keeps the lanes busy to the end.
  void run(std::span<const Bytes> inputs, std::span<const std::size_t> order, std::span<Md5> out) {
    std::size_t next = 0, busy = 0;
    for (unsigned lane = 0; lane < width_.lanes && next < order.size(); ++lane, ++busy)
      start(lane, order[next++], inputs);
    while (busy != 0) {
      step();
      for (unsigned lane = 0; lane < width_.lanes; ++lane) {
        Lane& it = lanes_[lane];
        if (it.input == SIZE_MAX || it.blocks != 0) continue;
        if (!it.in_tail) {
          it.begin_tail(inputs[it.input]);
          continue;
        }
        take(lane, out[it.input]);
        if (next < order.size()) {
          start(lane, order[next++], inputs);
        } else {
          it.input = SIZE_MAX;
          --busy;
        }
      }
    }
  }

 private:
  void start(unsigned lane, std::size_t index, std::span<const Bytes> inputs) {
    static constexpr std::uint32_t initial[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (unsigned word = 0; word < 4; ++word) state_[word][lane] = initial[word];
    lanes_[lane].begin(index, inputs[index]);
  }

  // As many blocks as every busy lane has. An idle lane reads what a busy one reads; nobody asks for its state.
  void step() {
    const std::uint8_t* input[widest];
    const std::uint8_t* some = nullptr;
    std::size_t count = SIZE_MAX;
    for (unsigned lane = 0; lane < width_.lanes; ++lane)
      if (lanes_[lane].input != SIZE_MAX) {
        some = lanes_[lane].at;
        count = std::min(count, lanes_[lane].blocks);
      }
    for (unsigned lane = 0; lane < width_.lanes; ++lane)
      input[lane] = lanes_[lane].input != SIZE_MAX ? lanes_[lane].at : some;
    width_.blocks(state_, input, count);
    for (unsigned lane = 0; lane < width_.lanes; ++lane)
      if (lanes_[lane].input != SIZE_MAX) {
        lanes_[lane].at += count * 64;
        lanes_[lane].blocks -= count;
      }
  }

  void take(unsigned lane, Md5& out) const {
    for (unsigned word = 0; word < 4; ++word) {
      const std::uint32_t value = little(state_[word][lane]);
      std::memcpy(out.data() + 4 * word, &value, 4);
    }
  }

  Width width_;
  alignas(64) std::uint32_t state_[4][widest] = {};
  Lane lanes_[widest];
};

std::vector<std::size_t> longest_first(std::span<const Bytes> inputs) {
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return inputs[a].size() > inputs[b].size(); });
  return order;
}

// How many of the longest go to OpenSSL, so that the sum of both parts takes the least time. The lanes need as
// long as their longest buffer alone, or as all of it evenly spread.
std::size_t scalar_share(std::span<const Bytes> inputs, std::span<const std::size_t> order, const Width& width) {
  const auto cost = [](Bytes bytes) { return static_cast<double>(bytes.size()) + 64; };
  double rest = 0, taken = 0;
  for (const Bytes& input : inputs) rest += cost(input);
  double least = rest / scalar_rate;
  std::size_t share = order.size();
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double longest = cost(inputs[order[k]]);
    const double lanes = std::max(longest / width.lane_rate, rest / (width.lane_rate * width.lanes));
    if (taken / scalar_rate + lanes < least) {
      least = taken / scalar_rate + lanes;
      share = k;
    }
    taken += longest;
    rest -= longest;
  }
  return share;
}

void require_same_length(std::span<const Bytes> inputs, std::span<Md5> out) {
  if (inputs.size() != out.size()) throw Error(ErrorKind::internal, "md5_many: as many digests as buffers are needed");
}

void run(std::span<const Bytes> inputs, std::span<Md5> out, const Width& width, std::size_t share,
         std::span<const std::size_t> order) {
  if (share != 0) {
    Hasher hasher(Algorithm::md5);
    for (const std::size_t index : order.first(share)) scalar(hasher, inputs[index], out[index]);
  }
  if (share != order.size()) LaneSet(width).run(inputs, order.subspan(share), out);
}

}  // namespace

void md5_many(std::span<const Bytes> inputs, std::span<Md5> out) {
  require_same_length(inputs, out);
  const Width width = best_width();
  const auto order = longest_first(inputs);
  run(inputs, out, width, scalar_share(inputs, order, width), order);
}

unsigned md5_lanes() { return best_width().lanes; }

void md5_many_with(unsigned lanes, std::span<const Bytes> inputs, std::span<Md5> out) {
  require_same_length(inputs, out);
  const auto order = longest_first(inputs);
  if (lanes == 1) return run(inputs, out, width_4, order.size(), order);
  if (lanes == 4) return run(inputs, out, width_4, 0, order);
#if defined(__x86_64__)
  if (lanes == 8 && __builtin_cpu_supports("avx2")) return run(inputs, out, width_8, 0, order);
  if (lanes == 16 && __builtin_cpu_supports("avx512f")) return run(inputs, out, width_16, 0, order);
#endif
  throw Error(ErrorKind::unsupported, "md5 in " + std::to_string(lanes) + " lanes");
}

}  // namespace ocilint
