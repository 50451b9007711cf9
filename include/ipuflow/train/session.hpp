// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers under a timetable, trained or used: give it a step's samples, get what leaves the pipeline. A
// step is some device iterations; each runs all micro-batches of the timetable on every replica and, in training, then
// updates the weights. What comes out depends on samples, options and seed, not on the schedule and not on the number
// of threads.
#pragma once

#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/schedule/verify.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/copy_state.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>
#include <ipuflow/train/threads/session_plan.hpp>
#include <ipuflow/train/threads/step_host.hpp>
#include <ipuflow/train/threads/updater.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::train {

template <class P, schedule::timetable T, class Optimiser = adamw, class Precision = precision<>>
class session {
  static_assert(accept<verify_optimiser<Optimiser, typename Precision::number>()>());
  using compute = typename Precision::compute;
  using number = typename Precision::number;
  using host_type = step_host<P, compute>;
  using work_type = pipeline_work<P, compute, typename Precision::accumulator, host_type>;
  using updater_type = updater<Optimiser, typename Precision::parameter, number>;

 public:
  using model_type = model<number>;
  /// One column for each value that leaves the pipeline: `auto& [predictions, loss] = session(step)`.
  using results = typename host_type::results_type;

  /// A session with a model of its own, or with one that other sessions use too.
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o,
          std::shared_ptr<model_type> shared = nullptr)
      : timetable_{timetable},
        options_{checked<P>(timetable, o)},
        model_{shared ? std::move(shared) : fresh(pipeline, o)},
        scale_{o.scale},
        weights_{*model_, copies_of(timetable, o)},
        update_{optimiser,
                trains() ? tensors_of<P>() : std::vector<piece>{},
                {o.parameters, o.seed, o.shard_optimiser ? o.replicas : 1}},
        host_{step_shape_of(timetable, o)},
        work_{work_shape_of<P>(timetable, o), stashes_of(timetable), host_},
        crew_{run::thread_count(o.threads, o.replicas * timetable.where.ipus)},
        lanes_{run::deal_lanes(timetable, crew_.size(), o.replicas, work_of_ipus<P>(timetable, o))} {
    throw_if(verify_model<P>(*model_));
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  std::size_t samples_per_step() const { return step_shape_of(timetable_, options_).samples_per_step(); }
  std::size_t threads() const { return crew_.size(); }
  /// The model, as it is between steps.
  const std::shared_ptr<model_type>& parameters() const { return model_; }
  /// To be changed between steps: a learning rate that follows a schedule is set here.
  Optimiser& optimiser() { return update_.optimiser(); }
  const loss_scaler& scale() const { return scale_; }
  /// Updates of the weights so far.
  std::size_t updates() const { return update_.steps(); }
  /// What each replica keeps for the activations of a stage, and for the optimiser.
  std::size_t stash_bytes(std::size_t stage) const { return work_.stash_bytes(stage); }
  std::size_t optimiser_bytes() const { return update_.state_bytes(); }

  /// Runs one step on `samples_per_step()` samples, of which inference with all outputs needs only a part: a
  /// feed::sample_batch, or anything with `size()` whose `columns()` are a tuple of columns. If a stage throws, or the
  /// step is stopped, the model is what it was before; the
  /// same if the optimiser throws.
  template <class Batch>
  const results& operator()(const Batch& batch) {
    static_assert(accept<verify_samples<Batch>()>());
    throw_if(verify_step(batch.size(), samples_per_step(), takes_parts(timetable_, options_)));
    const auto& columns = batch.columns();  // lasts as long as the step, made here or not
    host_.attach(columns, batch.size());
    remember();
    try {
      for (std::size_t i = 0; i < options_.device_iterations; ++i) iterate(i);
    } catch (...) {
      take_back();
      throw;
    }
    ++done_;
    host_.finish();
    return host_.results();
  }

 private:
  static std::shared_ptr<model_type> fresh(const P& pipeline, const options& o) {
    auto made = std::make_shared<model_type>(initial_model<number>(pipeline, o.seed));
    round_to<typename Precision::parameter>(std::span{made->values}, rounding::nearest, 0, 0);
    return made;
  }

  bool trains() const { return timetable_.run_for == mode::training; }

  void iterate(std::size_t i) {
    host_.begin_iteration(i);
    weights_.read(*model_);
    pass_context c = pass_context_of<Precision>(timetable_, options_, scale_.factor());
    c.first_micro_batch = (done_ * options_.device_iterations + i) * timetable_.where.micro_batches * options_.replicas;
    work_.begin(c, weights_.views());
    const auto outcome =
        run::execute(timetable_, work_, crew_,
                     {.stop = options_.stop, .events = options_.events, .copies = options_.replicas, .lanes = &lanes_});
    if (outcome.stopped) throw_if(session_fault{session_wrong::stopped, i, options_.device_iterations});
    if (trains()) learn();
  }

  void learn() {
    each_piece(
        [&](std::size_t p) { update_.gather(p, scale_.factor(), [&](auto... where) { work_.gradients(where...); }); });
    if (!scale_.accept(scale_.automatic() && overflown(update_.gradients()))) return;
    update_.count_step();
    each_piece([&](std::size_t p) { update_.update(p, model_->values); });
    weights_.write_state(*model_);
  }

  template <class Visit>
  void each_piece(Visit visit) {
    crew_.run([&](std::size_t me) {
      for (std::size_t p = me; p < update_.pieces(); p += crew_.size()) visit(p);
    });
  }

  void remember() {
    if (!trains()) return;
    before_.model = *model_;
    before_.scale = scale_;
    update_.save_to(before_.update);
  }
  void take_back() {
    if (!trains()) return;
    *model_ = before_.model;
    scale_ = before_.scale;
    update_.restore(before_.update);
  }

  T timetable_;
  options options_;
  std::shared_ptr<model_type> model_;
  loss_scaler scale_;
  copy_state<compute, number> weights_;
  updater_type update_;
  host_type host_;
  work_type work_;
  run::crew crew_;
  run::dealt lanes_;
  std::size_t done_ = 0;
  struct {
    model_type model;
    loss_scaler scale{{}};
    typename updater_type::snapshot update;
  } before_;
};

/// For pipelines that are only used.
struct no_optimiser {
  using state_type = float;
  static constexpr std::size_t states = 0;

  template <class Number>
  void update(std::span<Number>, std::span<const float>, std::span<float>, std::size_t) const {}
};

/// A session with the precision said first: `train::session_in<train::precision<float, half>>(...)`.
template <class Precision, class P, schedule::timetable T, class Optimiser>
auto session_in(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o,
                std::shared_ptr<model<typename Precision::number>> shared = nullptr) {
  return session<P, T, Optimiser, Precision>(pipeline, timetable, optimiser, o, std::move(shared));
}

/// A session that uses a model, in the precision that it was trained with: that of a training session, or one that was
/// loaded.
template <class Precision = precision<>, class P, schedule::timetable T>
auto inference(const P& pipeline, const T& timetable, std::shared_ptr<model<typename Precision::number>> shared,
               const options& o) {
  return session<P, T, no_optimiser, Precision>(pipeline, timetable, {}, o, std::move(shared));
}

}  // namespace ipuflow::train
