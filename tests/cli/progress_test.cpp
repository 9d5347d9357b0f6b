// Progress on standard error: a terminal of our own shows what a person would see.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/progress.h"

using namespace ocilint;
using namespace ocilint::cli;
using namespace std::chrono_literals;

namespace {

/// Standard error is this terminal as long as the object lives.
class Terminal {
 public:
  explicit Terminal(unsigned short columns = 60, unsigned short rows = 10)
      : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0)
      throw std::runtime_error("no pseudo-terminal");
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    const winsize size{rows, columns, 0, 0};
    ::ioctl(slave, TIOCSWINSZ, &size);
    saved_ = ::dup(STDERR_FILENO);
    ::dup2(slave, STDERR_FILENO);
    ::close(slave);
  }
  ~Terminal() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    ::close(master_);
  }

  /// What stands on the screen; lines without blanks at their end, empty ones at the end left out.
  std::vector<std::string> screen() {
    take();
    std::vector<std::string> out = lines_;
    while (!out.empty() && out.back().empty()) out.pop_back();
    return out;
  }

 private:
  void take() {
    pollfd waits{master_, POLLIN, 0};
    char step[4096];
    while (::poll(&waits, 1, 50) > 0) {
      const ssize_t got = ::read(master_, step, sizeof step);
      if (got <= 0) break;
      bytes_.append(step, static_cast<std::size_t>(got));
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i) apply(i);
    bytes_.clear();
  }

  void apply(std::size_t& i) {
    if (lines_.size() <= row_) lines_.resize(row_ + 1);
    if (bytes_.compare(i, 3, "\x1b[A") == 0) {
      REQUIRE(row_ > 0);
      --row_;
      i += 2;
    } else if (bytes_.compare(i, 3, "\x1b[J") == 0) {
      lines_.resize(row_ + 1);
      lines_[row_].resize(column_);
      i += 2;
    } else if (bytes_[i] == '\r') {
      column_ = 0;
    } else if (bytes_[i] == '\n') {
      ++row_;
    } else {
      std::string& line = lines_[row_];
      if (line.size() <= column_) line.resize(column_ + 1, ' ');
      line[column_++] = bytes_[i];
    }
  }

  int master_, saved_ = -1;
  std::string bytes_;
  std::vector<std::string> lines_;
  std::size_t row_ = 0, column_ = 0;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr std::uint64_t mib = 1 << 20;

}  // namespace

TEST_CASE("on a terminal a line a layer that is being read, with bytes and rate, and nothing is left of them") {
  Terminal terminal;
  {
    Progress progress("oci:image", "auto");
    progress.show({0, mib, false, {}, 8 * mib});
    CHECK(terminal.screen().empty());  // what is done at once shows nothing
    std::this_thread::sleep_for(600ms);
    progress.show({1, 2 * mib, false, {}, {}});
    std::vector<std::string> seen = terminal.screen();
    REQUIRE(seen.size() == 3);
    CHECK(has(seen[0], "oci:image: 3.0 MiB read, "));
    CHECK(has(seen[0], "/s, 0 layers done"));
    CHECK(has(seen[1], "  layer 0: 1.0 MiB of 8.0 MiB, "));
    CHECK(has(seen[1], "/s"));
    CHECK(seen[2] == "  layer 1: 2.0 MiB");  // of a moment there is no rate

    std::this_thread::sleep_for(150ms);
    progress.show({0, 8 * mib, true, {}, 8 * mib});
    seen = terminal.screen();
    REQUIRE(seen.size() == 2);
    CHECK(has(seen[0], "1 layer done"));
    CHECK(has(seen[1], "layer 1"));
  }
  CHECK(terminal.screen().empty());
}

TEST_CASE("whoever reports nothing for a second is said to be at something, and since when") {
  Terminal terminal;
  {
    Progress progress("oci:image", "auto");
    std::this_thread::sleep_for(1500ms);
    CHECK(terminal.screen() == std::vector<std::string>{"oci:image: opening it, 1 s"});
    progress.show({0, mib, false, {}, 8 * mib});
    std::this_thread::sleep_for(1500ms);
    std::vector<std::string> seen = terminal.screen();
    REQUIRE(seen.size() == 2);  // a layer that stalls is no other work
    CHECK(has(seen[1], "layer 0: 1.0 MiB of 8.0 MiB"));
    progress.show({0, 8 * mib, true, {}, 8 * mib});
    std::this_thread::sleep_for(2500ms);
    seen = terminal.screen();
    REQUIRE(seen.size() == 1);
    CHECK(has(seen[0], "oci:image: read; looking at what is in it, "));
    CHECK(has(seen[0], " s"));
  }
  CHECK(terminal.screen().empty());
}

TEST_CASE("many layers and long names stay within the terminal") {
  Terminal terminal(30, 5);
  Progress progress("oci:" + std::string(100, 'x') + "\x1b[2J", "auto");
  for (std::size_t layer = 0; layer < 40; ++layer) progress.show({layer, mib, false, {}, {}});
  std::this_thread::sleep_for(600ms);
  progress.show({0, mib, false, "base", {}});
  const std::vector<std::string> seen = terminal.screen();
  CHECK(seen.size() == 4);
  for (const std::string& line : seen) CHECK(line.size() <= 33);  // an ellipsis has three bytes
  CHECK(has(seen.back(), "and 39 more"));
}

TEST_CASE("of a long name the end is kept, and the figures beside it") {
  Terminal terminal(60, 5);
  Progress progress("oci:/builds/a/long/way/to/the/folder/of/images/of/today/service-arm64:tag", "auto");
  std::this_thread::sleep_for(600ms);
  progress.show({0, mib, false, {}, {}});
  const std::vector<std::string> seen = terminal.screen();
  REQUIRE(seen.size() == 2);
  CHECK(has(seen[0], "/service-arm64:tag: 1.0 MiB read, "));
  CHECK(has(seen[0], "0 layers done"));
}

TEST_CASE("none and plain") {
  Terminal terminal;
  {
    Progress none("oci:image", "none"), plain("oci:image", "plain");
    std::this_thread::sleep_for(600ms);
    none.show({0, mib, false, {}, {}});
    none.show({0, mib, true, {}, {}});
    plain.show({0, mib, false, {}, {}});
    CHECK(terminal.screen().empty());
    plain.show({0, 2 * mib, true, {}, {}});
    plain.show({0, mib, true, "base", {}});
  }
  const std::vector<std::string> seen = terminal.screen();
  REQUIRE(seen.size() == 2);
  CHECK(has(seen[0], "layer 0: 2.0 MiB read, "));
  CHECK(has(seen[1], "base, layer 0: 1.0 MiB read, "));
}
