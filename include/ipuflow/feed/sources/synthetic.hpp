// SPDX-License-Identifier: BSL-1.0
// A source that costs nothing on the host: the same step again and again, made once. What remains is what everything
// behind the source can do at most; a loader that reaches it is no bottleneck.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/loading/slot.hpp>
#include <ipuflow/feed/sample_batch.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <class Batch>
class synthetic_source {
 public:
  using batch_type = Batch;
  using value_type = batch_type;
  class iterator;

  /// `steps` times a step of `step` samples, each like `sample`.
  template <class Sample>
  synthetic_source(std::size_t steps, std::size_t step, const Sample& sample)
      : steps_{steps}, slot_{make_owner<impl::slot>(fields::kinds)} {
    slot_->prepare(step, fields::widths_of(sample));
    for (std::size_t i = 0; i < step; ++i) fields::store(*slot_, i, sample);
    slot_->size = step;
  }

  [[nodiscard]] std::size_t size() const { return steps_; }
  [[nodiscard]] std::size_t samples_per_step() const { return slot_->size; }

  /// A view of the step; valid as long as the source is.
  batch_type step() const { return {slot_->size, fields::columns(*slot_)}; }

  iterator begin() { return iterator{*this}; }
  range_end end() const { return {}; }
  void restart() { taken_ = 0; }
  [[nodiscard]] std::optional<batch_type> next() {
    if (taken_ == steps_) return std::nullopt;
    ++taken_;
    return step();
  }

 private:
  using fields = impl::slot_fields<Batch>;

  std::size_t steps_;
  std::size_t taken_ = 0;
  owner<impl::slot> slot_;
};

template <class Batch>
class synthetic_source<Batch>::iterator {
 public:
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;

  iterator() = default;
  explicit iterator(const synthetic_source& from) : from_{&from}, left_{from.steps_}, step_{from.step()} {}

  value_type& operator*() const { return step_; }
  iterator& operator++() {
    --left_;
    step_ = from_->step();  // it may have been moved out
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& at, range_end) { return at.left_ == 0; }

 private:
  const synthetic_source* from_ = nullptr;
  std::size_t left_ = 0;
  mutable value_type step_;
};

}  // namespace impl

/// `steps` steps of `step` samples that are all like this one.
template <class Sample>
auto synthetic(std::size_t steps, std::size_t step, const Sample& like) {
  return impl::synthetic_source<sample_batch_t<Sample>>{steps, step, like};
}

/// Steps like those of a dataset's loader, without the loading. Throws if it has no sample.
template <map_style Dataset>
auto synthetic_like(const Dataset& d, std::size_t steps, std::size_t step) {
  if (d.size() == 0) throw_if(dataset_fault{dataset_wrong::empty, 0, 1});
  return synthetic(steps, step, feed::sample_at(d, 0, 0));
}

}  // namespace ipuflow::feed
