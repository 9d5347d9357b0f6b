#include "blob/decompress.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "base/error.h"
#include "support/compress.h"
#include "support/memory_stream.h"

namespace ocilint {
namespace {

using namespace test;

struct Outcome {
  Compression compression = Compression::none;
  std::string bytes;
  std::optional<ErrorKind> error;
  Oddities oddities;
  bool drained = false;
};

Outcome decompress(const std::string& blob, std::size_t in_step = SIZE_MAX, std::size_t out_step = 64 << 10) {
  Outcome out;
  MemoryStream source(blob, in_step);
  try {
    Decompressor decompressor(source, out.oddities);
    out.compression = decompressor.compression();
    out.bytes = read_all(decompressor, out_step);
  } catch (const Error& error) {
    out.error = error.kind();
  }
  out.drained = source.drained();
  return out;
}

std::string text_of(std::size_t size) {
  std::mt19937 random(7);
  std::string out;
  while (out.size() < size) out += "word" + std::to_string(random() % 5000) + " ";
  return out.substr(0, size);
}

const std::string plain = text_of(300'000);
const std::string half_1 = plain.substr(0, 120'000), half_2 = plain.substr(120'000);

void is_plain(const std::string& blob, Compression compression) {
  for (const auto& [in, out] :
       {std::pair<std::size_t, std::size_t>{SIZE_MAX, 1 << 20}, {1, 4096}, {1000, 1}, {7, 333}}) {
    const Outcome result = decompress(blob, in, out);
    REQUIRE_FALSE(result.error);
    CHECK(result.compression == compression);
    REQUIRE((result.bytes == plain));
    CHECK(result.oddities.empty());
    CHECK(result.drained);
  }
}

TEST_CASE("the three formats, whatever the step sizes") {
  is_plain(plain, Compression::none);
  is_plain(gzip(plain), Compression::gzip);
  is_plain(zstd(plain), Compression::zstd);
}

TEST_CASE("several members and frames are one stream") {
  is_plain(gzip(half_1) + gzip("") + gzip(half_2), Compression::gzip);
  is_plain(gzip(plain) + std::string(700, '\0'), Compression::gzip);
  is_plain(zstd_skippable("table") + zstd(half_1) + zstd_skippable("") + zstd(half_2) + zstd_skippable("footer"),
           Compression::zstd);
  is_plain(zstd(half_1, 1) + zstd("") + zstd(half_2, 19), Compression::zstd);
}

TEST_CASE("an empty blob is plain and empty") {
  const Outcome result = decompress("");
  CHECK_FALSE(result.error);
  CHECK((result.compression == Compression::none && result.bytes.empty() && result.drained));
  CHECK(decompress(gzip("")).bytes.empty());
}

TEST_CASE("a gzip header with all its optional fields") {
  std::string blob = gzip(plain);
  blob[3] = 0x1c;
  blob.insert(10, std::string("\x05\0extra", 7) + std::string("name\0comment\0", 13));
  is_plain(blob, Compression::gzip);
  blob[3] = static_cast<char>(0x9c);
  CHECK(decompress(blob).error == ErrorKind::corrupt);
}

TEST_CASE("what stands behind the stream is reported") {
  for (const std::string& blob : {gzip(plain), zstd(plain)}) {
    const Outcome result = decompress(blob + std::string(3, '\0') + "rubbish");
    REQUIRE_FALSE(result.error);
    CHECK((result.bytes == plain));
    REQUIRE(result.oddities.size() == 1);
    CHECK(result.oddities[0].id == "data-after-compressed-stream");
    CHECK(result.oddities[0].text.starts_with("10 bytes"));
    CHECK(result.drained);
  }
}

TEST_CASE("a stream that is cut anywhere is an error") {
  const std::string small = text_of(400);
  const std::string checked_gzip = gzip(small) + gzip(small), checked_zstd = zstd(small) + zstd(small);
  for (const std::string& blob : {checked_gzip, checked_zstd})
    for (std::size_t size = 4; size < blob.size(); ++size) {
      const Outcome result = decompress(blob.substr(0, size), 5);
      // Behind the first half stands a whole stream, or one and a few bytes that start no other.
      const std::size_t over = size - std::min(size, blob.size() / 2);
      INFO(size);
      if (size >= blob.size() / 2 && over < 4)
        CHECK((result.error == ErrorKind::corrupt || result.oddities.size() == (over > 0)));
      else
        CHECK(result.error == ErrorKind::corrupt);
    }
}

TEST_CASE("a wrong CRC, a wrong length, no trailer") {
  const std::string good = gzip(plain);
  for (std::size_t back = 1; back <= 8; ++back) {
    std::string bad = good;
    bad[bad.size() - back] ^= 1;
    CHECK(decompress(bad).error == ErrorKind::corrupt);
    CHECK(decompress(good.substr(0, good.size() - back)).error == ErrorKind::corrupt);
    CHECK(decompress(bad + good).error == ErrorKind::corrupt);
  }
}

TEST_CASE("a zstd frame with a checksum that does not match") {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string blob(ZSTD_compressBound(plain.size()), '\0');
  blob.resize(ZSTD_compress2(context, blob.data(), blob.size(), plain.data(), plain.size()));
  ZSTD_freeCCtx(context);
  CHECK((decompress(blob).bytes == plain));
  blob.back() ^= 1;
  CHECK(decompress(blob).error == ErrorKind::corrupt);
}

TEST_CASE("a zstd window beyond 128 MiB is a limit") {
  const auto frame = [](unsigned log) {
    std::string out("\x28\xb5\x2f\xfd\x00", 5);
    out.push_back(static_cast<char>((log - 10) << 3));
    return out + std::string("\x09\x00\x00x", 4);  // one raw block of one byte, the last
  };
  CHECK(decompress(frame(27)).bytes == "x");
  CHECK(decompress(frame(28)).error == ErrorKind::limit);
  CHECK(decompress(frame(31)).error == ErrorKind::limit);
}

TEST_CASE("formats that are not read are named, but a tar is a tar") {
  for (const std::string& magic :
       {std::string("\xfd"
                    "7zXZ\0",
                    6),
        std::string("BZh9\x31\x41\x59\x26\x53\x59"), std::string("PK\x03\x04"), std::string("hsqs")}) {
    std::string blob = magic + std::string(600, 'x');
    CHECK(decompress(blob).error == ErrorKind::unsupported);
    blob.replace(257, 5, "ustar");
    CHECK_FALSE(decompress(blob).error);
  }
  CHECK_FALSE(decompress("BZh is how this plain text starts").error);
}

}  // namespace
}  // namespace ocilint
