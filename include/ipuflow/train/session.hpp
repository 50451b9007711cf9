// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers under a timetable, trained or used: give it a step's samples, get what leaves the pipeline. A
// step is some device iterations; each runs all micro-batches of the timetable on every replica and, in training, then
// updates the weights. What comes out depends on samples, options and seed, not on the schedule and not on the number
// of threads.
#pragma once

#include <ipuflow/schedule/verify.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/session_on_threads.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

/// For pipelines that are only used.
struct no_optimiser {
  using state_type = float;
  static constexpr std::size_t states = 0;

  template <class Number>
  void update(std::span<Number>, std::span<const float>, std::span<float>, std::size_t) const {}
};

template <class P, schedule::timetable T, class Optimiser = adamw, class Precision = precision<>>
class session {
  static_assert(accept<verify_optimiser<Optimiser, typename Precision::number>()>());
  using compute = typename Precision::compute;
  using number = typename Precision::number;

 public:
  using model_type = model<number>;
  /// One column for each value that leaves the pipeline: `auto& [predictions, loss] = session(step)`.
  using results = std::array<result_column, std::tuple_size_v<stage_output<P, P::stage_count - 1>>>;

  /// A session with a model of its own, or with one that other sessions use too.
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o,
          std::shared_ptr<model_type> shared = nullptr)
      : timetable_{timetable},
        optimiser_{optimiser},
        back_end_{{.code = network_of<P, compute, !std::is_same_v<Optimiser, no_optimiser>>,
                   .tensors = tensors_of<P>(),
                   .timetable = timetable_,
                   .wrong = timetable.refused ? timetable.refused : schedule::verify(timetable_),
                   .asked = o,
                   .learned = shared ? std::move(shared) : fresh(pipeline, o),
                   .rule = rule_of<number>(optimiser_)}} {
    back_end_.reserve(results_);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  std::size_t samples_per_step() const { return back_end_.samples_per_step(); }
  std::size_t threads() const { return back_end_.threads(); }
  /// The model, as it is between steps.
  const std::shared_ptr<model_type>& parameters() const { return back_end_.parameters(); }
  /// To be changed between steps: a learning rate that follows a schedule is set here.
  Optimiser& optimiser() { return optimiser_; }
  const loss_scaler& scale() const { return back_end_.scale(); }
  /// Updates of the weights so far.
  std::size_t updates() const { return back_end_.updates(); }
  /// What each replica keeps for the activations of a stage, and for the optimiser.
  std::size_t stash_bytes(std::size_t stage) const { return back_end_.stash_bytes(stage); }
  std::size_t optimiser_bytes() const { return back_end_.optimiser_bytes(); }

  /// Runs one step on `samples_per_step()` samples, of which inference with all outputs needs only a part: a
  /// feed::sample_batch, or anything with `size()` whose `columns()` are a tuple of columns. If a stage or the optimiser
  /// throws, or the step is stopped, the model is what it was before.
  template <class Batch>
  const results& operator()(const Batch& batch) {
    static_assert(accept<verify_samples<Batch>()>());
    const auto& columns = batch.columns();  // lasts as long as the step, made here or not
    back_end_.step(columns_of<P, compute>(columns), batch.size(), results_);
    return results_;
  }

 private:
  static std::shared_ptr<model_type> fresh(const P& pipeline, const options& o) {
    auto made = std::make_shared<model_type>(initial_model<number>(pipeline, o.seed));
    round_to<typename Precision::parameter>(std::span{made->values}, rounding::nearest, 0, 0);
    return made;
  }

  T timetable_;
  Optimiser optimiser_;
  session_on_threads<Precision> back_end_;
  results results_{};
};

/// A session with the precision said first: `train::session_in<train::precision<float, half>>(...)`.
template <class Precision, class P, schedule::timetable T, class Optimiser>
[[nodiscard]] auto session_in(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o,
                              std::shared_ptr<model<typename Precision::number>> shared = nullptr) {
  return session<P, T, Optimiser, Precision>(pipeline, timetable, optimiser, o, std::move(shared));
}

/// A session that uses a model, in the precision that it was trained with: that of a training session, or one that was
/// loaded.
template <class Precision = precision<>, class P, schedule::timetable T>
[[nodiscard]] auto inference(const P& pipeline, const T& timetable, std::shared_ptr<model<typename Precision::number>> shared,
                             const options& o) {
  return session<P, T, no_optimiser, Precision>(pipeline, timetable, {}, o, std::move(shared));
}

}  // namespace ipuflow::train
