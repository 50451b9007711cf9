// SPDX-License-Identifier: BSL-1.0
// A loader: a range of steps, begun anew for every epoch. A step is yours until it is destroyed; copies share its slot.
// A dataset that lies in memory in the order in which it is wanted is handed out where it is: no thread, no copy. One
// thread uses a loader at a time; steps may be destroyed by any.
#pragma once

#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/step_assembler.hpp>
#include <ipuflow/feed/loading/rebatcher.hpp>
#include <ipuflow/feed/sample_batch.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace ipuflow::feed {

template <class Source>
class loader {
 public:
  using batch_type = typename Source::batch_type;
  using value_type = batch_type;
  class iterator;

  loader(Source source, std::size_t step, const loader_options& o) : step_{step}, last_{o.last} {
    if constexpr (requires { source.in_place(); }) in_place_ = source.in_place();
    if (in_place_) {
      still_ = std::make_unique<Source>(std::move(source));
      return;
    }
    engine_ = std::make_unique<step_assembler<Source>>(std::move(source), step, o);
    if (!Source::any_worker && o.mode == loading::async_rebatched) joined_.emplace(step, engine_->shared_pool());
  }

  /// Begins a pass over the dataset; one that was not finished is abandoned.
  iterator begin() {
    restart();
    return iterator{*this};
  }
  std::default_sentinel_t end() const { return {}; }

  /// The same as begin(), for callers of next().
  void restart() {
    position_ = samples_ = left_out_ = 0;
    if (joined_) joined_->clear();
    if (engine_) engine_->begin();
    inside_ = true;
  }

  /// The next step of the pass, nothing at its end. Rethrows the error of a sample that could not be produced; the
  /// next call continues with the following step.
  [[nodiscard]] std::optional<batch_type> next() {
    if (!inside_) return std::nullopt;
    if (in_place_) return next_in_place();
    while (std::optional<batch_type> b = fetch()) {
      samples_ += b->size();
      if (!ragged || b->size() == step_ || last_ == tail::kept) return b;
      left_out_ += b->size();
    }
    inside_ = false;
    if constexpr (ragged) check_end();
    return std::nullopt;
  }

  /// Steps of a pass. Throws if that is not known.
  [[nodiscard]] std::size_t size() const { return source().steps(); }
  [[nodiscard]] std::size_t samples_per_step() const { return step_; }

  /// Samples that a pass leaves out since they do not fill a step; of a range, those that this pass has left out so
  /// far.
  [[nodiscard]] std::size_t dropped() const {
    if constexpr (ragged) {
      return left_out_;
    } else {
      return source().dropped();
    }
  }

  /// Steps that can be had without waiting.
  [[nodiscard]] std::size_t ready() const { return engine_ ? engine_->ready() : 0; }
  /// True if steps are views of the dataset's own memory.
  [[nodiscard]] bool in_place() const { return in_place_.has_value(); }

 private:
  static constexpr bool ragged = !Source::any_worker;  // the tail is found only at the end

  const Source& source() const { return engine_ ? engine_->source() : *still_; }

  std::optional<batch_type> next_in_place() {
    if constexpr (requires { still_->places(position_); }) {
      if (position_ < still_->steps()) {
        const auto at = still_->places(position_++);
        return in_place_->part(at.first, at.count);
      }
    }
    inside_ = false;
    return std::nullopt;
  }

  std::optional<batch_type> fetch() {
    if (!joined_) return engine_->next();
    return joined_->next([this] { return engine_->next(); });
  }

  /// A pass over a range that had nothing to give says why.
  void check_end() const {
    if (samples_ == 0) throw_if(dataset_fault{dataset_wrong::empty, samples_, 1});
    if (samples_ == left_out_) throw_if(batching_fault{batching_wrong::no_whole_step, step_, samples_});
  }

  std::size_t step_;
  tail last_;
  std::optional<batch_type> in_place_;
  std::unique_ptr<Source> still_;  // without an engine, since nothing has to be moved
  std::unique_ptr<step_assembler<Source>> engine_;
  std::optional<rebatcher<batch_type>> joined_;
  bool inside_ = false;
  std::size_t position_ = 0;
  std::size_t samples_ = 0;   // of this pass
  std::size_t left_out_ = 0;  // of this pass
};

/// Holds the step it stands at; moving it out of there is fine.
template <class Source>
class loader<Source>::iterator {
 public:
  using value_type = typename loader::batch_type;
  using difference_type = std::ptrdiff_t;

  iterator() = default;
  explicit iterator(loader& from) : from_{&from}, step_{from.next()} {}

  value_type& operator*() const { return *step_; }
  iterator& operator++() {
    step_.reset();  // first, so that its slot can be used again
    if (auto next = from_->next()) step_.emplace(std::move(*next));
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& at, std::default_sentinel_t) { return !at.step_; }

 private:
  loader* from_ = nullptr;
  mutable std::optional<value_type> step_;
};

}  // namespace ipuflow::feed
