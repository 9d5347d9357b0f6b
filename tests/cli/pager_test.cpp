// --pager: on a terminal the text goes through $PAGER, elsewhere it does not.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "base/file.h"
#include "support/places.h"
#include "program.h"

using namespace ocilint;
using namespace ocilint::testing;

namespace {

/// Runs the program with a terminal as its standard output; what it writes there, and its exit status.
Finished on_terminal(const Program& run, std::vector<std::string> words, const std::string& pager) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(::grantpt(terminal) == 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const std::string name = ::ptsname(terminal);
  words.insert(words.begin(), test::binary);
  std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "HOME=" + run.path("home"), "PAGER=" + pager,
                                        "NO_COLOR=1"};
  const pid_t child = ::fork();
  if (child == 0) {
    const int inside = ::open(name.c_str(), O_RDWR | O_NOCTTY);
    ::dup2(inside, STDOUT_FILENO);
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (std::string& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    ::execve(test::binary, arguments.data(), environment.data());
    ::_exit(121);
  }
  Finished out;
  int status = 0;
  pollfd wait{terminal, POLLIN, 0};
  for (bool ended = false;;) {
    char step[4096];
    if (::poll(&wait, 1, 50) > 0 && (wait.revents & POLLIN) != 0) {
      const ssize_t got = ::read(terminal, step, sizeof step);
      if (got > 0) out.out.append(step, static_cast<std::size_t>(got));
      if (got > 0) continue;
    }
    if (ended) break;
    ended = ::waitpid(child, &status, WNOHANG) == child;
  }
  ::close(terminal);
  if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
  return out;
}

}  // namespace

TEST_CASE("--pager shows the text in the pager of a terminal, and nowhere else") {
  Program run;
  const std::string image = run.image("image", "layers: [{files: {/a: x, /b: y}}]");
  const std::string seen = run.path("seen");
  const Finished shown = on_terminal(run, {"ls", image, "--pager"}, "cat > " + seen);
  CHECK(shown.status == 0);
  CHECK_FALSE(contains(shown.out, "a"));
  CHECK(read_file(seen, 1000) == "a\nb\n");

  const Finished without = on_terminal(run, {"ls", image}, "false");
  CHECK(contains(without.out, "b"));
  // One that quits early has been seen; one that is not there is as if it had not been asked for.
  CHECK(on_terminal(run, {"ls", image, "--pager"}, "true").status == 0);
  const Finished missing = on_terminal(run, {"ls", image, "--pager"}, "no-such-pager-anywhere 2>/dev/null");
  CHECK(missing.status == 0);
  CHECK(contains(missing.out, "b"));

  run.environment["PAGER"] = "cat > " + seen + "2";
  CHECK(run({"ls", image, "--pager"}).out == "a\nb\n");
  CHECK_FALSE(std::filesystem::exists(seen + "2"));
}
