#include "facts/keyword_finder.h"

#include <fmt/format.h>
#include <hs.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace ocilint {
namespace {

void require(hs_error_t status, std::string_view what) {
  if (status == HS_NOMEM) throw std::bad_alloc();
  if (status != HS_SUCCESS) throw Error(ErrorKind::internal, fmt::format("vectorscan {}: status {}", what, status));
}

}  // namespace

struct KeywordFinder::Parts {
  hs_database_t* database = nullptr;
  std::vector<std::uint32_t> lengths;  // by keyword
  std::size_t longest = 0;

  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() { hs_free_database(database); }
};

KeywordFinder::KeywordFinder(std::span<const Keyword> keywords, bool in_files) : parts_(std::make_unique<Parts>()) {
  if (hs_valid_platform() != HS_SUCCESS)
    throw Error(ErrorKind::unsupported, "the search for secrets in files needs a processor with SSE 4.2");
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  std::vector<unsigned> flags, ids;
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    const Keyword& keyword = keywords[i];
    parts_->lengths.push_back(static_cast<std::uint32_t>(keyword.text.size()));
    if (in_files && !keyword.in_files) continue;
    texts.push_back(keyword.text.data());
    lengths.push_back(keyword.text.size());
    flags.push_back(keyword.any_case ? HS_FLAG_CASELESS : 0U);
    ids.push_back(static_cast<unsigned>(i));
    parts_->longest = std::max(parts_->longest, keyword.text.size());
  }
  hs_compile_error_t* failure = nullptr;
  if (hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(), static_cast<unsigned>(texts.size()),
                           HS_MODE_BLOCK, nullptr, &parts_->database, &failure) != HS_SUCCESS) {
    const std::string why = failure->message;
    hs_free_compile_error(failure);
    throw Error(ErrorKind::internal, "vectorscan cannot compile the keywords: " + why);
  }
}

KeywordFinder::~KeywordFinder() = default;

KeywordFinder::Scratch::Scratch(const KeywordFinder& finder) {
  hs_scratch_t* made = nullptr;
  require(hs_alloc_scratch(finder.parts_->database, &made), "scratch");
  memory_ = made;
}

KeywordFinder::Scratch::~Scratch() { hs_free_scratch(static_cast<hs_scratch_t*>(memory_)); }

KeywordFinder::Scratch::Scratch(Scratch&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}

void KeywordFinder::find(std::string_view text, std::size_t from, std::size_t to, Scratch& scratch,
                         std::vector<KeywordAt>& found) const {
  struct Matches {
    const std::vector<std::uint32_t>& lengths;
    std::size_t from, to;
    std::vector<KeywordAt>& found;
  };
  found.clear();
  if (from >= to) return;
  const std::size_t end = std::min(text.size(), to + parts_->longest - 1);
  Matches matches{parts_->lengths, from, to, found};
  const auto on_match = [](unsigned keyword, unsigned long long, unsigned long long match_end, unsigned,
                           void* context) {
    auto& into = *static_cast<Matches*>(context);
    const std::size_t at = into.from + static_cast<std::size_t>(match_end) - into.lengths[keyword];
    if (at < into.to) into.found.push_back({at, keyword});
    return 0;
  };
  require(hs_scan(parts_->database, text.data() + from, static_cast<unsigned>(end - from), 0,
                  static_cast<hs_scratch_t*>(scratch.memory_), on_match, &matches),
          "search");
  std::ranges::sort(found);
}

}  // namespace ocilint
