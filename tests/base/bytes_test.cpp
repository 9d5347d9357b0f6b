#include "base/bytes.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>

#include "base/error.h"

using namespace ocilint;

TEST_CASE("bytes: numbers in both orders, at any alignment") {
  const std::array<std::uint8_t, 9> raw{0xff, 1, 2, 3, 4, 5, 6, 7, 8};
  Cursor little(raw);
  CHECK(little.u8() == 0xff);
  CHECK(little.u16() == 0x0201);
  CHECK(little.u32() == 0x06050403);
  CHECK(little.left() == 2);
  Cursor big(raw, Endian::big);
  big.skip(1);
  CHECK(big.u64() == 0x0102030405060708U);
  CHECK(big.left() == 0);
}

TEST_CASE("bytes: nothing is read beyond the end") {
  const std::array<std::uint8_t, 4> raw{};
  Cursor cursor(raw);
  CHECK_THROWS_AS(cursor.u64(), Error);
  CHECK(cursor.at() == 0);
  CHECK(cursor.take(4).size() == 4);
  CHECK_THROWS_AS(cursor.u8(), Error);
  CHECK_THROWS_AS(cursor.take(std::numeric_limits<std::uint64_t>::max()), Error);
  CHECK_THROWS_AS(cursor.seek(5), Error);
  cursor.seek(4);
  CHECK(cursor.left() == 0);
}
