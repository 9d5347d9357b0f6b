#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/bytes.h"
#include "base/error.h"
#include "support/oci_writer.h"

using namespace ocilint;
using ocilint::testing::TempDir;
using ocilint::testing::write_file;

namespace {

std::string drain(ByteStream& stream, std::size_t step) {
  std::string out;
  std::vector<std::uint8_t> buffer(step);
  while (const std::size_t got = stream.read(buffer)) out += as_text(Bytes(buffer).first(got));
  CHECK(stream.read(buffer) == 0);
  return out;
}

ErrorKind kind_of_open(const std::string& path, File::Links links = File::Links::follow) {
  try {
    (void)File::open(path, links);
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find(path) != std::string::npos);
    return e.kind();
  }
  return ErrorKind::internal;
}

}  // namespace

TEST_CASE("file: only regular files are opened, and nothing blocks") {
  const TempDir dir;
  CHECK(kind_of_open(dir / "absent") == ErrorKind::not_found);
  CHECK(kind_of_open(dir.path()) == ErrorKind::corrupt);
  CHECK(kind_of_open("/dev/zero") == ErrorKind::corrupt);
  REQUIRE(::mkfifo((dir / "fifo").c_str(), 0600) == 0);
  CHECK(kind_of_open(dir / "fifo") == ErrorKind::corrupt);
  write_file(dir / "real", "x");
  std::filesystem::create_symlink("real", dir / "link");
  CHECK(File::open(dir / "link")->size() == 1);
  CHECK(kind_of_open(dir / "link", File::Links::refuse) == ErrorKind::corrupt);
}

TEST_CASE("file: streams over one file do not disturb each other") {
  const TempDir dir;
  write_file(dir / "f", "0123456789");
  const auto file = File::open(dir / "f");
  FileStream front(file, 0, 4);
  FileStream back(file, 4, 6);
  FileStream beyond(file, 8, 100);
  std::array<std::uint8_t, 2> two{};
  CHECK(front.read(two) == 2);
  CHECK(drain(back, 3) == "456789");
  CHECK(drain(front, 1) == "23");
  CHECK(drain(beyond, 64) == "89");
}

TEST_CASE("file: read_file has a limit") {
  const TempDir dir;
  write_file(dir / "f", "12345");
  CHECK(read_file(dir / "f", 5) == "12345");
  try {
    (void)read_file(dir / "f", 4);
    FAIL("read beyond the limit");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::limit);
  }
}

TEST_CASE("file: a spool is read back") {
  Spool spool;
  const std::string text(300'000, 'x');
  spool.write(as_bytes(text));
  spool.write(as_bytes("end"));
  CHECK(spool.size() == 300'003);
  const auto file = spool.finish("spool");
  CHECK(file->size() == 300'003);
  CHECK(file->name() == "spool");
  FileStream whole(file, 0, file->size());
  CHECK(drain(whole, 7000) == text + "end");
}
