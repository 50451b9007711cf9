// SPDX-License-Identifier: BSL-1.0
// A loader without the types of its samples: passes over a dataset, step by step, and what they leave out.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/step_assembler.hpp>
#include <ipuflow/feed/loading/rebatcher.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::feed::impl {

/// A template so that only files that load instantiate it.
template <class Source = step_source>
class step_loader {
 public:
  step_loader(owner<Source> source, light_span<const element_kind* const> fields, std::size_t step,
              const loader_options& o);
  step_loader(const step_loader&) = delete;
  step_loader& operator=(const step_loader&) = delete;
  ~step_loader();

  void restart();
  [[nodiscard]] leased_slot next();

  /// The pass that is taken from and the samples of it that were taken, or where the next one begins.
  [[nodiscard]] loader_place place() const;
  bool start_at(const loader_place& where);

  [[nodiscard]] std::size_t steps() const;
  [[nodiscard]] std::size_t dropped() const;
  [[nodiscard]] std::size_t ready() const;

 private:
  /// The next step, whole or not; nothing at the end of the pass.
  leased_slot fetch();

  /// True if the tail is found only at the end.
  bool ragged() const { return !engine_.source().has_index(); }

  /// A pass over a range that had nothing to give says why, unless an error did.
  void check_end() const {
    if (failed_) return;
    if (samples_ == 0) throw_if(dataset_fault{dataset_wrong::empty, samples_, 1});
    if (samples_ == left_out_) throw_if(batching_fault{batching_wrong::no_whole_step, step_, samples_});
  }

  step_assembler<Source> engine_;
  std::size_t step_;
  tail last_;
  maybe<rebatcher> joined_;
  bool inside_ = false;
  bool failed_ = false;       // a step of this pass could not be produced
  std::size_t samples_ = 0;   // of this pass
  std::size_t left_out_ = 0;  // of this pass
};

// None of these is inline, so that a file which declares them as instantiated elsewhere does not compile them.

template <class Source>
step_loader<Source>::step_loader(owner<Source> source, light_span<const element_kind* const> fields,
                                 std::size_t step, const loader_options& o)
    : engine_{std::move(source), fields, step, o}, step_{step}, last_{o.last} {
  if (ragged() && o.mode == loading::async_rebatched) joined_.emplace(step, engine_.pool());
}

template <class Source>
step_loader<Source>::~step_loader() = default;

template <class Source>
loader_place step_loader<Source>::place() const {
  return engine_.place();
}

template <class Source>
bool step_loader<Source>::start_at(const loader_place& where) {
  inside_ = false;
  if (joined_) joined_->clear();
  return engine_.start_at(where.pass, where.samples);
}

template <class Source>
void step_loader<Source>::restart() {
  samples_ = left_out_ = 0;
  failed_ = false;
  if (joined_) joined_->clear();
  engine_.begin();
  inside_ = true;
}

template <class Source>
leased_slot step_loader<Source>::fetch() {
  try {
    return joined_ ? joined_->next([this] { return engine_.next(); }) : engine_.next();
  } catch (...) {
    failed_ = true;
    throw;
  }
}
template <class Source>
leased_slot step_loader<Source>::next() {
  if (!inside_) return {};
  while (leased_slot filled = fetch()) {
    const std::size_t size = filled.at->size;
    samples_ += size;
    if (!ragged() || size == step_ || last_ == tail::kept) return filled;
    left_out_ += size;
  }
  inside_ = false;
  if (ragged()) check_end();
  return {};
}

template <class Source>
std::size_t step_loader<Source>::steps() const {
  return engine_.source().steps();
}
template <class Source>
std::size_t step_loader<Source>::dropped() const {
  return ragged() ? left_out_ : engine_.source().dropped();
}
template <class Source>
std::size_t step_loader<Source>::ready() const {
  return engine_.ready();
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class step_loader<step_source>;
#endif

}  // namespace ipuflow::feed::impl
