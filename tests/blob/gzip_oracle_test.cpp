// Our gzip decoder beside the gzip program, which has an inflate of its own: both must take the same streams.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "base/error.h"
#include "blob/decompress.h"
#include "support/compress.h"
#include "support/memory_stream.h"

namespace ocilint {
namespace {

using namespace test;

struct Verdict {
  bool accepted = false;
  bool warned = false;  // rubbish behind the stream
  std::string bytes;
};

Verdict ours(const std::string& blob) {
  Verdict verdict;
  MemoryStream source(blob, 11);
  Oddities oddities;
  try {
    Decompressor decompressor(source, oddities);
    verdict.bytes = read_all(decompressor, 100);
    verdict.accepted = decompressor.compression() == Compression::gzip;
  } catch (const Error&) {
    verdict.bytes.clear();
  }
  verdict.warned = verdict.accepted && !oddities.empty();
  return verdict;
}

class GzipProgram {
 public:
  GzipProgram() {
    const int file = mkstemp(path_.data());
    if (file >= 0) close(file);
  }
  ~GzipProgram() { std::remove(path_.c_str()); }

  Verdict judge(const std::string& blob) const {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    std::fwrite(blob.data(), 1, blob.size(), file);
    std::fclose(file);
    Verdict verdict;
    std::FILE* pipe = popen(("gzip -dc < " + path_ + " 2>/dev/null").c_str(), "r");
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) verdict.bytes.append(buffer, count);
    const int status = pclose(pipe);
    verdict.warned = WIFEXITED(status) && WEXITSTATUS(status) == 2;
    verdict.accepted = status == 0 || verdict.warned;
    if (!verdict.accepted) verdict.bytes.clear();
    return verdict;
  }

 private:
  std::string path_ = std::string(P_tmpdir) + "/ocilint-gzip-XXXXXX";
};

void same(const GzipProgram& program, const std::string& blob) {
  const Verdict mine = ours(blob), theirs = program.judge(blob);
  CHECK(mine.accepted == theirs.accepted);
  CHECK(mine.warned == theirs.warned);
  CHECK((mine.bytes == theirs.bytes));
}

TEST_CASE("the gzip program takes the same streams") {
  if (std::system("gzip --version >/dev/null 2>&1") != 0) {
    WARN("skipped: no gzip program");
    return;
  }
  const GzipProgram program;
  const std::string one = gzip("a short text, a short text"), two = gzip("and another") + gzip("") + one;
  same(program, one);
  same(program, two);
  same(program, one + std::string(100, '\0'));
  same(program, one + "rubbish that starts no member");
  same(program, one + std::string(10, '\0') + one);
  for (std::size_t size = 4; size < one.size(); ++size) {
    INFO("one member, cut to " << size);
    same(program, one.substr(0, size));
    INFO("two members, the second cut to " << size);
    same(program, one + one.substr(0, size));
  }
  // Every byte behind the fixed header, so that data, CRC and length are all hit.
  std::mt19937 random(3);
  for (std::size_t at = 10; at < one.size(); ++at) {
    std::string bad = one;
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    INFO("one bit at " << at);
    same(program, bad);
    same(program, one + bad);
  }
}

}  // namespace
}  // namespace ocilint
