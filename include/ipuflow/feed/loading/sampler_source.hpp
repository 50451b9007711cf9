// SPDX-License-Identifier: BSL-1.0
// The source of steps of a loader with a sampler. A sampler is a range of batches of indices, of any sizes; a step is
// a given number of these batches, one after the other. It is begun anew in every epoch.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/loading/step_source.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace ipuflow::feed {

/// A range of ranges of indices.
template <class Sampler>
concept batch_sampler =
    std::ranges::input_range<Sampler> &&
    std::convertible_to<std::ranges::range_value_t<std::ranges::range_reference_t<Sampler>>, std::size_t>;

namespace impl {

template <batch_sampler Sampler>
class sampler_source final : public step_source {
 public:
  sampler_source(owner<sample_reader> samples, Sampler sampler, std::size_t step, const loader_options& o)
      : step_source{true}, samples_{std::move(samples)}, sampler_{std::move(sampler)}, step_{step}, last_{o.last} {
    using enum loader_wrong;
    if (samples_->size() == 0)
      throw_if(dataset_fault{dataset_wrong::empty, 0, 1});
    if (o.shuffle) throw_if(loader_fault{sampler_shuffled});
    if (o.processes > 1) throw_if(loader_fault{sampler_divided, o.processes, 1});
  }

  /// A sampler that can be read only once must not be begun before it is asked for.
  [[nodiscard]] bool repeatable() const override { return std::ranges::forward_range<Sampler>; }
  [[nodiscard]] std::size_t steps() const override {
    if constexpr (std::ranges::sized_range<const Sampler>) {
      return steps_per_epoch(std::ranges::size(sampler_), step_, last_);
    } else {
      throw_if(loader_fault{loader_wrong::size_unknown});
      return 0;
    }
  }
  /// Counts those of the last epoch whose steps were all opened.
  [[nodiscard]] std::size_t dropped() const override { return dropped_; }

  bool open(slot& s, std::size_t step) override {
    if (step == 0) next_.emplace(std::ranges::begin(sampler_));
    s.chosen.clear();
    s.size = 0;
    std::size_t batches = 0;
    std::exception_ptr wrong;
    for (; batches < step_ && *next_ != std::ranges::end(sampler_); ++*next_, ++batches) {
      try {
        for (const auto index : **next_) s.chosen.push_back(checked(static_cast<std::size_t>(index)));
      } catch (...) {
        if (!wrong) wrong = std::current_exception();
      }
    }
    if (wrong) {  // belongs to this step; the next one begins behind its batches
      s.fail(0, std::move(wrong));
      return true;
    }
    if (batches < step_ && last_ == tail::dropped) {
      dropped_ = s.chosen.size();
      return false;
    }
    s.size = s.chosen.size();
    if (s.size > 0) samples_->make_room(s, s.size);
    return batches > 0;  // without samples it is passed over
  }

  void fill(slot& s, interval part, const std::atomic<bool>& abandoned) override { samples_->fill(s, part, abandoned); }

 private:
  std::size_t checked(std::size_t index) const {
    const std::size_t samples = samples_->size();
    if (index >= samples) throw_if(loader_fault{loader_wrong::index_too_large, index, samples});
    return index;
  }

  owner<sample_reader> samples_;
  Sampler sampler_;
  std::optional<std::ranges::iterator_t<Sampler>> next_;
  std::size_t step_;
  std::size_t dropped_ = 0;
  tail last_;
};

}  // namespace impl

}  // namespace ipuflow::feed
