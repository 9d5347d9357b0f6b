#include "run/read_layers.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "layer/layer_pass.h"

namespace ocilint {
namespace {

struct Job {
  std::size_t layer;
  const ExactWants* exact;
};

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

  std::vector<LayerIndex> run(std::vector<Job> jobs, unsigned cores) {
    results_.resize(jobs.size());
    jobs_ = std::move(jobs);
    order_.resize(jobs_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // Unknown sizes are those of docker archives that compress inside; any order will do among them.
    std::ranges::stable_sort(order_, std::greater{}, [&](std::size_t job) {
      return image_.layers[jobs_[job].layer].size.value_or(0);
    });
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
        read(workspace, order_[turn]);
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
    for (Oddity& oddity : index.oddities) oddity.layer = static_cast<int>(number);
    tell({number, index.counts.stored_bytes, true, {}, layer.size});
    results_[job] = std::move(index);
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
                                                     const OnProgress& progress,
                                                     std::vector<std::shared_ptr<LayerIndex>> known) {
  std::vector<std::shared_ptr<LayerIndex>> layers = std::move(known);
  layers.resize(image.layers.size());
  std::vector<Job> missing;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (layers[layer]) continue;
    if (image.layers[layer].problem) throw *image.layers[layer].problem;
    missing.push_back({layer, nullptr});
  }
  const std::vector<Job> jobs_of = missing;
  std::vector<LayerIndex> read = Crew(source, image, demand, limits, progress).run(std::move(missing), jobs);
  for (std::size_t i = 0; i < read.size(); ++i)
    layers[jobs_of[i].layer] = std::make_shared<LayerIndex>(std::move(read[i]));
  return layers;
}

std::vector<LayerIndex> read_again(const Source& source, const Image& image, const Demand& demand,
                                   const Refill& refill, unsigned jobs, const ImageLimits& limits) {
  std::vector<Job> some;
  for (const auto& [layer, exact] : refill) some.push_back({layer, &exact});
  return Crew(source, image, demand, limits, {}).run(std::move(some), jobs);
}

}  // namespace ocilint
