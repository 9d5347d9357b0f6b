// A source that notes what is read through it, and spoils what a test wants spoilt.
//
// It stands before a real source: resolve() and open() are passed on. Layers are numbered in the image's order.
// For any thread, as open() must be.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "source/open.h"
#include "source/source.h"

namespace ocilint::testing {

/// What becomes of the stream of one layer after `at` bytes.
struct Fault {
  enum class Kind { ends, throws, throws_other, endless } kind;
  std::uint64_t at = 0;
};

class RecordingSource final : public Source {
 public:
  explicit RecordingSource(const std::string& reference) : real_(open_source(Reference::parse(reference))) {}

  Image resolve(const Selection& selection) override {
    Image image = real_->resolve(selection);
    for (std::size_t i = 0; i < image.layers.size(); ++i) numbers_[image.layers[i].blob] = i;
    return image;
  }
  std::unique_ptr<ByteStream> open(const LayerSource& layer) const override {
    const std::size_t number = numbers_.at(layer.blob);
    {
      const std::lock_guard lock(mutex_);
      opened_.push_back(number);
    }
    return std::make_unique<Stream>(*this, number, real_->open(layer));
  }

  void spoil(std::size_t layer, Fault fault) { faults_[layer] = fault; }

  /// Layer numbers, sorted; one that was read twice is there twice.
  std::vector<std::size_t> opened() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t> out = opened_;
    std::ranges::sort(out);
    return out;
  }
  std::uint64_t bytes_of(std::size_t layer) const {
    const std::lock_guard lock(mutex_);
    const auto found = bytes_.find(layer);
    return found == bytes_.end() ? 0 : found->second;
  }

 private:
  class Stream final : public ByteStream {
   public:
    Stream(const RecordingSource& owner, std::size_t number, std::unique_ptr<ByteStream> real)
        : owner_(owner), number_(number), real_(std::move(real)) {
      const auto found = owner.faults_.find(number);
      if (found != owner.faults_.end()) fault_ = found->second;
    }
    std::size_t read(std::span<std::uint8_t> into) override {
      if (fault_) {
        if (at_ >= fault_->at) return spoilt(into);
        into = into.first(std::min<std::uint64_t>(into.size(), fault_->at - at_));
      }
      const std::size_t got = real_->read(into);
      at_ += got;
      const std::lock_guard lock(owner_.mutex_);
      owner_.bytes_[number_] += got;
      return got;
    }

   private:
    std::size_t spoilt(std::span<std::uint8_t> into) const {
      switch (fault_->kind) {
        case Fault::Kind::ends: return 0;
        case Fault::Kind::throws: corrupt("the disk failed");
        case Fault::Kind::throws_other: throw std::runtime_error("a library failed");
        case Fault::Kind::endless: std::ranges::fill(into, std::uint8_t{0}); return into.size();
      }
      return 0;
    }

    const RecordingSource& owner_;
    std::size_t number_;
    std::unique_ptr<ByteStream> real_;
    std::optional<Fault> fault_;
    std::uint64_t at_ = 0;
  };

  std::unique_ptr<Source> real_;
  std::map<std::size_t, std::size_t> numbers_;
  std::map<std::size_t, Fault> faults_;
  mutable std::mutex mutex_;
  mutable std::vector<std::size_t> opened_;
  mutable std::map<std::size_t, std::uint64_t> bytes_;
};

}  // namespace ocilint::testing
