#include "base/md5_lanes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <cstdlib>
#include <random>
#include <vector>

#include "base/digest.h"
#include "base/error.h"

using namespace ocilint;

namespace {

using Buffers = std::vector<std::vector<std::uint8_t>>;

std::vector<std::uint8_t> random_bytes(std::mt19937& random, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

std::string openssl(Bytes bytes) {
  Hasher hasher(Algorithm::md5);
  hasher.update(bytes);
  return hasher.finish().hex();
}

template <typename Hash>
void check_all(const Buffers& buffers, Hash&& hash) {
  std::vector<Bytes> inputs(buffers.begin(), buffers.end());
  std::vector<Md5> digests(inputs.size());
  hash(inputs, digests);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    INFO(inputs[i].size() << " bytes");
    REQUIRE(Digest(Algorithm::md5, digests[i]).hex() == openssl(inputs[i]));
  }
}

std::vector<unsigned> widths() {
  std::vector<unsigned> widths{1, 4};
  for (unsigned lanes : {8u, 16u})
    if (lanes <= md5_lanes()) widths.push_back(lanes);
  return widths;
}

}  // namespace

TEST_CASE("digests of all short lengths equal OpenSSL's", "[md5]") {
  std::mt19937 random(1);
  Buffers buffers;
  for (std::size_t length = 0; length <= 300; ++length) buffers.push_back(random_bytes(random, length));
  std::shuffle(buffers.begin(), buffers.end(), random);
  check_all(buffers, md5_many);
  for (const unsigned lanes : widths())
    check_all(buffers, [&](auto& inputs, auto& digests) { md5_many_with(lanes, inputs, digests); });
}

TEST_CASE("any number of buffers, of lengths far apart", "[md5]") {
  std::mt19937 random(2);
  for (std::size_t count = 0; count <= 40; ++count) {
    Buffers buffers;
    for (std::size_t i = 0; i < count; ++i)
      buffers.push_back(random_bytes(random, random() % (random() % 8 == 0 ? 40000 : 700)));
    check_all(buffers, md5_many);
    for (const unsigned lanes : widths())
      check_all(buffers, [&](auto& inputs, auto& digests) { md5_many_with(lanes, inputs, digests); });
  }
}

TEST_CASE("large buffers beside small ones", "[md5]") {
  std::mt19937 random(3);
  Buffers buffers{random_bytes(random, (3u << 20) + 17), random_bytes(random, 1u << 20)};
  for (int i = 0; i < 50; ++i) buffers.push_back(random_bytes(random, random() % 5000));
  check_all(buffers, md5_many);
  for (const unsigned lanes : widths())
    check_all(buffers, [&](auto& inputs, auto& digests) { md5_many_with(lanes, inputs, digests); });
}

TEST_CASE("buffers may lie anywhere", "[md5]") {
  std::mt19937 random(4);
  const auto bytes = random_bytes(random, 5000);
  std::vector<Bytes> inputs;
  for (std::size_t i = 0; i < 64; ++i) inputs.push_back(Bytes(bytes).subspan(i, 4000 + i % 7));
  std::vector<Md5> digests(inputs.size());
  md5_many(inputs, digests);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    REQUIRE(Digest(Algorithm::md5, digests[i]).hex() == openssl(inputs[i]));
}

TEST_CASE("misuse is an error", "[md5]") {
  std::vector<Bytes> inputs(2);
  std::vector<Md5> digests(1);
  CHECK_THROWS_AS(md5_many(inputs, digests), Error);
  digests.resize(2);
  CHECK_THROWS_AS(md5_many_with(5, inputs, digests), Error);
}

TEST_CASE("speed of md5", "[.measure]") {
  std::mt19937 random(5);
  const auto measure = [](const char* what, const Buffers& buffers, auto&& hash) {
    std::vector<Bytes> inputs(buffers.begin(), buffers.end());
    std::vector<Md5> digests(inputs.size());
    double bytes = 0;
    for (const auto& input : inputs) bytes += static_cast<double>(input.size());
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
      const std::clock_t start = std::clock();
      hash(inputs, digests);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    WARN(what << ": " << static_cast<int>(bytes / best / 1e6) << " MB/s");
  };
  Buffers equal, mixed;
  for (int i = 0; i < 32; ++i) equal.push_back(random_bytes(random, 1u << 20));
  std::lognormal_distribution<double> size(8.5, 2);  // median 5 kB, some of megabytes, as in a layer
  for (int i = 0; i < 2000; ++i)
    mixed.push_back(random_bytes(random, static_cast<std::size_t>(std::min(8e6, size(random)))));
  for (const unsigned lanes : widths()) {
    measure(("equal lengths, lanes " + std::to_string(lanes)).c_str(), equal,
            [&](auto& inputs, auto& digests) { md5_many_with(lanes, inputs, digests); });
    measure(("mixed lengths, lanes " + std::to_string(lanes)).c_str(), mixed,
            [&](auto& inputs, auto& digests) { md5_many_with(lanes, inputs, digests); });
  }
  measure("equal lengths", equal, md5_many);
  measure("mixed lengths", mixed, md5_many);
}
