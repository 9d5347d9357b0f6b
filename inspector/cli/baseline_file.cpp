#include "cli/baseline_file.h"

#include <cerrno>
#include <cstring>
#include <iostream>

#include "base/error.h"
#include "base/file.h"
#include "cli/outputs.h"
#include "report/escape.h"

namespace ocilint::cli {
namespace {

constexpr std::uint64_t longest_baseline = 16u << 20;  // bytes: a million findings

}  // namespace

Baseline read_baseline(const std::string& file) {
  std::string text;
  try {
    text = read_file(file, longest_baseline);
  } catch (const Error& error) {
    // Not an image that cannot be read.
    throw Error(ErrorKind::usage, std::string("--baseline: ") + error.what());
  }
  return Baseline::parse(text, file);
}

bool write_baseline(const std::string& file, const std::optional<Baseline>& old, std::span<const ImageResult> results) {
  if (!all_evaluated(results)) {
    std::cerr << "ocilint: the baseline " << for_terminal(file)
              << " is not written: not every image could be evaluated\n";
    return true;
  }
  if (write_file(file, (old ? old->still_in(results) : Baseline::of(results)).text())) return true;
  std::cerr << "ocilint: the baseline " << for_terminal(file) << " could not be written: " << std::strerror(errno)
            << "\n";
  return false;
}

}  // namespace ocilint::cli
