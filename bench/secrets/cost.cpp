// What the search of files for secrets costs: an image is read and verified with it and without, in turns.
//
//   bench_secret_cost REFERENCE [ROUNDS] [THREADS]
//
// Without: a check that looks at modes, so that every layer is read, verified and merged. Medians; the time of the
// processor is of the whole process. Findings cost an id each, which is in the figures.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "policy/shipped.h"
#include "run/run.h"

using namespace ocilint;

namespace {

constexpr const char* without_search =
    "  - {id: modes, rule: file-mode, with: {files: [/etc/**], deny: o+w, allow_empty: true}}\n";
constexpr const char* with_search = "  - {id: secrets, rule: file-secrets}\n";

struct Cost {
  std::vector<double> processor, wall;  // seconds
  std::size_t findings = 0;

  static double median(std::vector<double> of) {
    std::ranges::sort(of);
    return of[of.size() / 2];
  }
};

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// One run of the check; false when the image cannot be read.
bool measure(const std::string& reference, unsigned threads, const char* check, Cost& cost) {
  LoadContext context;
  context.rules = all_rules();
  context.shipped = shipped_policies();
  context.today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  RunOptions options;
  options.reference = reference;
  options.jobs = threads;
  options.today = context.today;
  options.policies.push_back(
      load_policy(std::string("policy: cost\nlanguage: 1\nchecks:\n") + check, "cost.yaml", context));
  const double processor = processor_seconds();
  const auto wall = std::chrono::steady_clock::now();
  const ImageResult result = check_image(options, all_rules());
  cost.wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count());
  cost.processor.push_back(processor_seconds() - processor);
  if (result.unreadable) {
    std::fprintf(stderr, "bench_secret_cost: %s\n", result.unreadable->what());
    return false;
  }
  cost.findings = 0;
  for (const CheckResult& done : result.checks) cost.findings += done.findings.size();
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: bench_secret_cost REFERENCE [ROUNDS] [THREADS]\n", stderr);
    return 2;
  }
  const int rounds = count > 2 ? std::max(1, std::atoi(arguments[2])) : 5;
  const unsigned threads = count > 3 ? static_cast<unsigned>(std::max(1, std::atoi(arguments[3]))) : 1;
  Cost without, with;
  for (int i = 0; i < rounds; ++i)
    if (!measure(arguments[1], threads, without_search, without) || !measure(arguments[1], threads, with_search, with))
      return 3;
  const auto line = [](const char* what, double before, double after) {
    fmt::print("{}: {:.2f} s, {:.2f} s with the search: {:+.1f} %\n", what, before, after, (after / before - 1) * 100);
  };
  fmt::print("medians of {}, {} thread{}, {} findings\n", rounds, threads, threads == 1 ? "" : "s", with.findings);
  line("processor", Cost::median(without.processor), Cost::median(with.processor));
  line("wall", Cost::median(without.wall), Cost::median(with.wall));
  return 0;
}
