// SPDX-License-Identifier: BSL-1.0
// A loader: a range of steps, begun anew for every epoch. A step is yours until it is destroyed; copies share its slot.
// A dataset that lies in memory in the order in which it is wanted is handed out where it is: no thread, no copy. One
// thread uses a loader at a time; steps may be destroyed by any.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/feed/lease.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/partition.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/loading/step_loader.hpp>
#include <ipuflow/feed/sample_batch.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace ipuflow::feed {

namespace impl {

/// A dataset whose memory steps are views of: the last of them, or their loader, ends it.
class leased_dataset final : public leased {
 public:
  explicit leased_dataset(owner<sample_reader> kept) : kept_{std::move(kept)} {}
  void give_back() noexcept override { delete this; }

 private:
  owner<sample_reader> kept_;
};

}  // namespace impl

/// The second parameter is the same for all; it keeps what a loader is made of from files that make none.
template <class Batch, class Source = impl::step_source>
class loader {
 public:
  using batch_type = Batch;
  using value_type = Batch;
  class iterator;

  /// Of steps that a source fills.
  loader(owner<Source> source, std::size_t step, const loader_options& o)
      : step_{step}, moved_{make_owner<impl::step_loader<Source>>(std::move(source), fields::kinds, step, o)} {}

  /// Of steps that are parts of what `held` has in memory, and keep it.
  loader(const Batch& everything, const impl::partition& plan, owner<impl::sample_reader> held)
      : step_{plan.step},
        in_place_{Batch{everything.size(), everything.columns(),
                        impl::lease{*new impl::leased_dataset{std::move(held)}}}},
        plan_{plan} {}

  /// Begins a pass over the dataset; one that was not finished is abandoned.
  iterator begin() {
    restart();
    return iterator{*this};
  }
  range_end end() const { return {}; }

  /// The same as begin(), for callers of next().
  void restart() {
    if (moved_) return moved_->restart();
    if (inside_) ++pass_, first_ = 0;  // one is abandoned
    inside_ = true;
    rest_ = plan_.behind(first_);
    position_ = 0;
  }

  /// The place of the next step: all that a checkpoint keeps of a loader.
  [[nodiscard]] loader_place place() const {
    if (moved_) return moved_->place();
    return {pass_, inside_ ? rest_.taken(position_) : first_};
  }
  /// The next pass that is begun is that one, from there on, in the order that it would have had; those after it are whole. For
  /// datasets with an index: what a range gave cannot be left out.
  void start_at(const loader_place& where) {
    if (moved_ && !moved_->start_at(where)) throw_if(loader_fault{loader_wrong::no_place});
    inside_ = false;
    pass_ = where.pass;
    first_ = where.samples;
  }

  /// The next step of the pass, nothing at its end. Rethrows the error of a sample that could not be produced; the
  /// next call continues with the following step.
  [[nodiscard]] std::optional<Batch> next() {
    if (moved_) {
      impl::leased_slot filled = moved_->next();
      if (!filled) return std::nullopt;
      return Batch{filled.at->size, fields::columns(*filled.at), std::move(filled.held)};
    }
    if (!inside_ || position_ >= rest_.steps()) {
      if (inside_) ++pass_, first_ = 0;
      inside_ = false;
      return std::nullopt;
    }
    const impl::interval at = rest_.at(position_++);
    return in_place_->part(at.first, at.count);
  }

  /// Steps of a pass. Throws if that is not known.
  [[nodiscard]] std::size_t size() const { return moved_ ? moved_->steps() : plan_.steps(); }
  /// With a sampler, its batches in a step.
  [[nodiscard]] std::size_t samples_per_step() const { return step_; }

  /// Samples that a pass leaves out since they do not fill a step; of a range, those that this pass has left out so
  /// far.
  [[nodiscard]] std::size_t dropped() const { return moved_ ? moved_->dropped() : plan_.dropped; }

  /// Steps that can be had without waiting.
  [[nodiscard]] std::size_t ready() const { return moved_ ? moved_->ready() : 0; }
  /// True if steps are views of the dataset's own memory.
  [[nodiscard]] bool in_place() const { return in_place_.has_value(); }

 private:
  using fields = impl::slot_fields<Batch>;

  std::size_t step_;
  owner<impl::step_loader<Source>> moved_;  // unless nothing has to be moved:
  std::optional<Batch> in_place_;
  impl::partition plan_{};
  impl::partition rest_{};    // of this pass
  std::size_t position_ = 0;  // the next step of it
  bool inside_ = false;       // of a pass
  std::size_t pass_ = 0;      // that is taken from, or will be next
  std::size_t first_ = 0;     // samples of it that are left out
};

/// Holds the step it stands at; moving it out of there is fine.
template <class Batch, class Source>
class loader<Batch, Source>::iterator {
 public:
  using value_type = Batch;
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
  friend bool operator==(const iterator& at, range_end) { return !at.step_; }

 private:
  loader* from_ = nullptr;
  mutable std::optional<value_type> step_;
};

}  // namespace ipuflow::feed
