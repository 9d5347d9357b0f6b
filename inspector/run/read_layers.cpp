#include "run/read_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "blob/verified_reader.h"
#include "layer/layer_pass.h"

namespace ocilint {
namespace {

struct Job {
  std::size_t layer;
  const ExactWants* exact = nullptr;
  const KnownLayer* known = nullptr;  // then: it is proven only
};

constexpr std::size_t step_bytes = 1 << 20;

/// Thrown inside a worker to leave a layer that nobody needs any more.
struct Cancelled {};

class Crew {
 public:
  Crew(const Source& source, const Image& image, const Demand& demand, const ImageLimits& limits,
       const OnProgress& progress)
      : source_(source),
        image_(image),
        demand_(demand),
        progress_(progress),
        layer_unpacked_bytes_(limits.layer_unpacked_bytes),
        budget_(limits) {}

  ReadBudget& budget() { return budget_; }

  std::vector<LayerIndex> run(std::vector<Job> jobs, unsigned cores) {
    results_.resize(jobs.size());
    jobs_ = std::move(jobs);
    order_.resize(jobs_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // Unknown sizes are those of docker archives that compress inside; any order will do among them.
    std::ranges::stable_sort(order_, std::greater{},
                             [&](std::size_t job) { return image_.layers[jobs_[job].layer].size.value_or(0); });
    const unsigned workers = std::max(1u, std::min(cores, static_cast<unsigned>(jobs_.size())));
    for (unsigned spare = workers; spare < cores; ++spare) idle_.give();
    {
      std::vector<std::jthread> threads;
      try {
        for (unsigned i = 1; i < workers; ++i) threads.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        // No more threads are to be had: those that run do all the work.
      }
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    return std::move(results_);
  }

 private:
  void work() {
    Workspace workspace;
    for (;;) {
      const std::size_t turn = next_++;
      if (turn >= order_.size() || stop_) break;
      try {
        const std::size_t job = order_[turn];
        if (jobs_[job].known != nullptr)
          prove(jobs_[job]);
        else
          read(workspace, job);
      } catch (const Cancelled&) {
        break;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        stop_ = true;
      }
    }
    idle_.give();
  }

  void read(Workspace& workspace, std::size_t job) {
    const std::size_t number = jobs_[job].layer;
    const LayerSource& layer = image_.layers[number];
    const LayerClaim claim{layer.name, layer.media_type, layer.digest, layer.size, layer.diff_id};
    const auto progress = [&](std::uint64_t bytes) {
      if (stop_) throw Cancelled{};
      tell({number, bytes, false, {}, layer.size});
    };
    const LayerLimits limits{.unpacked_bytes = layer_unpacked_bytes_, .image = &budget_};
    LayerIndex index =
        read_layer(workspace, source_.open(layer), claim, demand_, jobs_[job].exact, limits, idle_, progress);
    tell({number, index.counts.stored_bytes, true, {}, layer.size});
    results_[job] = std::move(index);
  }

  void prove(const Job& job) {
    const LayerSource& layer = image_.layers[job.layer];
    try {
      std::vector<std::uint8_t> step(step_bytes);
      if (job.known->proof == KnownLayer::Proof::presence) {
        const auto stored = source_.open(layer);
        if (stored->read(std::span(step).first(1)) == 0) corrupt("it is empty");
        return;
      }
      VerifiedReader stored(source_.open(layer), layer.digest, layer.size);
      while (stored.read(step) != 0) {
        if (stop_) throw Cancelled{};
        tell({job.layer, stored.bytes_read(), false, {}, layer.size});
      }
      tell({job.layer, stored.bytes_read(), true, {}, layer.size});
    } catch (Error& error) {
      error.within(fmt::format("layer {}", layer.name));
      throw;
    }
  }

  void tell(const LayerProgress& progress) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    progress_(progress);
  }

  const Source& source_;
  const Image& image_;
  const Demand& demand_;
  const OnProgress& progress_;
  std::uint64_t layer_unpacked_bytes_;
  std::vector<Job> jobs_;
  std::vector<std::size_t> order_;
  std::vector<LayerIndex> results_;
  IdleCores idle_;
  ReadBudget budget_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<std::shared_ptr<LayerIndex>> read_layers(const Source& source, const Image& image, const Demand& demand,
                                                     unsigned jobs, const ImageLimits& limits,
                                                     const OnProgress& progress, const KnownLayers& known) {
  std::vector<std::shared_ptr<LayerIndex>> layers(image.layers.size());
  Crew crew(source, image, demand, limits, progress);
  std::vector<Job> jobs_of;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (image.layers[layer].problem) throw *image.layers[layer].problem;
    const KnownLayer* const have = layer < known.size() && known[layer].index ? &known[layer] : nullptr;
    if (have != nullptr) {
      layers[layer] = have->index;
      const LayerCounts& counts = have->index->counts;
      crew.budget().layer(have->index->entries.size(), counts.unpacked_bytes, counts.kept_bytes);
      if (have->proof == KnownLayer::Proof::none) continue;
    }
    jobs_of.push_back({layer, nullptr, have});
  }
  std::vector<LayerIndex> read = crew.run(jobs_of, jobs);
  for (std::size_t i = 0; i < read.size(); ++i)
    if (jobs_of[i].known == nullptr) layers[jobs_of[i].layer] = std::make_shared<LayerIndex>(std::move(read[i]));
  return layers;
}

std::vector<LayerIndex> read_again(const Source& source, const Image& image, const Demand& demand, const Refill& refill,
                                   unsigned jobs, const ImageLimits& limits) {
  std::vector<Job> some;
  for (const auto& [layer, exact] : refill) some.push_back({layer, &exact, nullptr});
  return Crew(source, image, demand, limits, {}).run(std::move(some), jobs);
}

}  // namespace ocilint
