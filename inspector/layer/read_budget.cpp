#include "layer/read_budget.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint {

void ReadBudget::charge(Counter& counter, std::uint64_t amount, std::uint64_t most, std::string_view what) {
  // Amounts are those of single steps, far below 2^63: the sum cannot wrap before it is refused.
  if (counter.fetch_add(amount, std::memory_order_relaxed) + amount > most)
    throw Error(ErrorKind::limit, fmt::format("the layers of the image have more than {} {}", most, what));
}

}  // namespace ocilint
