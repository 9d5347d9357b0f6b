// ELF facts of hostile bytes. Besides memory safety: a capture with gaps never contradicts the whole file. It
// says the same, or unread, or (where a gap hides what contradicts) more than a malformed whole; but from a
// readable whole it never makes "absent" of "defined" or the other way round.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "facts/elf.h"
#include "facts/elf_capture.h"

namespace {

using namespace ocilint;

constexpr std::size_t control_bytes = 6;  // two gaps, at the end of the input
constexpr std::size_t most_bytes = 1U << 20U;

void require(bool holds) {
  if (!holds) std::abort();
}

void compare(const ElfFacts& part, const ElfFacts& whole) {
  if (!whole.malformed.empty() || !part.malformed.empty()) {
    // A gap cannot make a good file malformed.
    require(!whole.malformed.empty());
    return;
  }
  require(whole.unread.empty());
  for (const auto& [name, answer] : part.symbols) {
    if (answer.state == SymbolState::unread) continue;
    require(answer.state == whole.lookup(name).state);
    require(answer.found == whole.lookup(name).found);
  }
  if (part.was_read(ElfPart::dynamic)) {
    require(part.soname == whole.soname && part.needed == whole.needed);
    require(part.rpath == whole.rpath && part.runpath == whole.runpath);
  }
  if (part.was_read(ElfPart::versions)) require(part.verdef == whole.verdef && part.verneed == whole.verneed);
  if (part.was_read(ElfPart::notes)) require(part.build_id == whole.build_id);
  if (part.was_read(ElfPart::symbols)) require(part.matches == whole.matches);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < control_bytes || size > most_bytes) return 0;
  static const ElfReader reader(ElfRequest{{"defined", "far", "nothing", "plain"}, {".*e.*"}, {".*"}});
  const Bytes file(data, size - control_bytes);
  const Bytes control(data + file.size(), control_bytes);
  const ElfFacts whole = reader.read(file);

  // Three pieces with two gaps between them, places and widths from the control bytes.
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t place = control[3 * i] | std::size_t{control[3 * i + 1]} << 8U;
    const std::size_t from = file.empty() ? 0 : place % file.size();
    cuts.push_back(from);
    cuts.push_back(std::min(file.size(), from + 1 + control[3 * i + 2]));
  }
  if (cuts[2] < cuts[0]) std::swap_ranges(cuts.begin(), cuts.begin() + 2, cuts.begin() + 2);
  cuts[2] = std::max(cuts[2], cuts[1]);
  cuts[3] = std::max(cuts[3], cuts[2]);
  CapturedFile pieces(file.size());
  pieces.add(0, file.first(cuts[0]));
  if (cuts[2] > cuts[1]) pieces.add(cuts[1], file.subspan(cuts[1], cuts[2] - cuts[1]));
  if (cuts[3] > cuts[2]) pieces.add(cuts[3], file.subspan(cuts[3]));
  compare(reader.read(pieces), whole);

  // Streamed with a tiny head, then what that says is missing.
  ElfCapture first(file.size(), 256, 0);
  for (std::size_t at = 0; at < file.size(); at += 100) {
    first.add(at, file.subspan(at, std::min<std::size_t>(100, file.size() - at)));
  }
  const ElfFacts streamed = reader.read(first.captured());
  compare(streamed, whole);
  if (!streamed.unread.empty() && streamed.malformed.empty()) {
    ElfCapture second(file.size(), streamed.unread_ranges());
    second.add(0, file);
    compare(reader.read(second.captured()), whole);
  }
  return 0;
}
