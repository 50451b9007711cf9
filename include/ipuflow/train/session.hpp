// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers under a schedule, trained or used: give it a step's samples, get what leaves the pipeline. A step is
// some device iterations; each runs all micro-batches of the timetable on every replica and, in training, then updates the
// weights. What comes out depends on samples, options and seed, not on the schedule and not on the number of threads.
#pragma once

#include <ipuflow/run/crew.hpp>
#include <ipuflow/run/executor.hpp>
#include <ipuflow/train/adam.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/pipeline_work.hpp>
#include <ipuflow/train/step_host.hpp>
#include <ipuflow/train/updater.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::train {

/// Which numbers have which type: what layers compute with (data and partial sums), what parameters are kept in between
/// updates, and what gradients are added up in.
template <class Compute = float, class Parameter = Compute, class Accumulator = float>
struct precision {
  using compute = Compute;
  using parameter = Parameter;
  using accumulator = Accumulator;
};

template <class P, schedule::timetable T, class Optimiser = adamw, class Precision = precision<>>
class session {
  using compute = typename Precision::compute;
  using host_type = step_host<P, compute>;

 public:
  using model_type = model<compute>;
  /// One column for each value that leaves the pipeline: `auto& [predictions, loss] = session(step)`.
  using results = typename host_type::results_type;

  /// A session with a model of its own, or with one that other sessions use too.
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o,
          std::shared_ptr<model_type> shared = nullptr)
      : timetable_{timetable}, options_{checked(timetable, o)},
        model_{shared ? std::move(shared) : std::make_shared<model_type>(initial_model<P, compute>(pipeline, o.seed))},
        states_(copies(), model_->state), update_{optimiser, pieces(), model_->values}, host_{shape()},
        work_{{o.micro_batch, micro_batches() / directions(), copies(), directions(), timetable.where.ipus, trains()},
              stashes_of(timetable), host_},
        crew_{run::thread_count(o.threads, o.replicas * timetable.where.ipus)} {}

  std::size_t samples_per_step() const {
    return options_.micro_batch * micro_batches() * options_.replicas * options_.device_iterations;
  }
  /// The model, as it is between steps.
  const std::shared_ptr<model_type>& parameters() const { return model_; }
  Optimiser& optimiser() { return update_.optimiser(); }
  const loss_scale& scale() const { return options_.scale; }
  std::size_t updates() const { return update_.steps(); }
  std::size_t stash_bytes(std::size_t stage) const { return work_.stash_bytes(stage); }

  /// Runs one step on `samples_per_step()` samples: a feed::sample_batch, or anything whose `columns()` are a tuple of columns.
  /// If a stage throws, or the step is stopped, the model is what it was before.
  template <class Batch>
  const results& operator()(const Batch& batch) {
    throw_if(verify_step(batch.size(), samples_per_step()));
    host_.attach(batch.columns());
    remember();
    try {
      for (std::size_t i = 0; i < options_.device_iterations; ++i) iterate(i);
    } catch (...) {
      take_back();
      throw;
    }
    ++done_;
    return host_.results();
  }

 private:
  static const options& checked(const T& t, const options& o) {
    throw_if(t.refused);
    throw_if(verify(shape_of(t, o).kept));
    return o;
  }
  static std::size_t directions_of(const T& t) {
    if constexpr (requires { t.where.directions(); }) return t.where.directions();
    return 1;
  }
  static step_shape shape_of(const T& t, const options& o) {
    const bool trains = t.run_for == mode::training;
    const std::size_t count = t.where.micro_batches;
    const feed::outputs kept{o.outputs, o.output_period, trains, trains ? o.device_iterations : o.device_iterations * count,
                             trains ? count : 1, o.replicas};
    return {o.micro_batch, count, directions_of(t), kept, o.inputs};
  }

  bool trains() const { return timetable_.run_for == mode::training; }
  std::size_t micro_batches() const { return timetable_.where.micro_batches; }
  std::size_t directions() const { return directions_of(timetable_); }
  std::size_t copies() const { return options_.replicas * directions(); }
  step_shape shape() const { return shape_of(timetable_, options_); }

  /// The parameters of each layer.
  static std::vector<piece> pieces() {
    std::vector<piece> all;
    const auto add = [&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
      for (const auto& step : nn::stage_program<P, S, compute>::plan.steps) {
        if (step.facts.parameters == 0) continue;
        all.push_back({S, offsets_of<P, compute>.values[S] + step.parameters_begin, step.parameters_begin, step.facts.parameters});
      }
    };
    [&]<std::size_t... S>(std::index_sequence<S...>) {
      (add(std::integral_constant<std::size_t, S>{}), ...);
    }(std::make_index_sequence<P::stage_count>{});
    return all;
  }

  /// The gradient of the loss of one sample: the loss of a micro-batch is the mean over its samples.
  pass_context context(std::size_t iteration) const {
    pass_context c{.seed = options_.seed, .training = trains(), .how = options_.gradients, .micro_batches = micro_batches()};
    c.first_micro_batch = (done_ * options_.device_iterations + iteration) * micro_batches() * options_.replicas;
    c.one_by_one = options_.gradients == reduction::running_mean || !std::is_same_v<typename Precision::accumulator, compute>;
    const std::size_t mean_of = options_.gradients == reduction::sum ? 1 : c.one_by_one ? options_.replicas
                                                                          : micro_batches() * options_.replicas;
    c.loss_gradient = options_.scale.factor / static_cast<float>(options_.micro_batch * mean_of);
    return c;
  }

  void iterate(std::size_t i) {
    host_.begin_iteration(i);
    std::vector<parameter_view<compute>>& views = views_;
    views.clear();
    for (auto& state : states_) views.push_back({model_->values.data(), state.data()});
    work_.begin(context(i), views);
    const auto outcome = run::execute(timetable_, work_, crew_,
                                      {.stop = options_.stop, .events = options_.events, .copies = options_.replicas});
    if (outcome.stopped) throw_if(fault{session_wrong::stopped, std::size_t{0}, i, options_.device_iterations});
    if (trains()) learn();
  }

  void learn() {
    static constexpr auto read = []<std::size_t... S>(std::index_sequence<S...>) {
      return std::array<float (*)(const work_type&, std::size_t), P::stage_count>{
          [](const work_type& w, std::size_t k) { return w.template gradient<S>(k); }...};
    }(std::make_index_sequence<P::stage_count>{});
    each_piece([&](std::size_t p) {
      update_.gather(p, options_.scale.factor, [&](std::size_t stage, std::size_t k) { return read[stage](work_, k); });
    });
    if (!options_.scale.accept(options_.scale.automatic && update_.overflow())) return;
    update_.count_step();
    each_piece([&](std::size_t p) { update_.update(p, model_->values); });
    model_->state = states_[0];
  }

  template <class Visit>
  void each_piece(Visit visit) {
    crew_.run([&](std::size_t me) noexcept {
      for (std::size_t p = me; p < update_.pieces(); p += crew_.size()) visit(p);
    });
  }

  void remember() {
    if (!trains()) {
      for (auto& state : states_) state = model_->state;
      return;
    }
    before_.model = *model_;
    before_.states = states_;
    before_.scale = options_.scale;
    update_.save_to(before_.update);
  }
  void take_back() {
    if (!trains()) return;
    *model_ = before_.model;
    states_ = before_.states;
    options_.scale = before_.scale;
    update_.restore(before_.update);
  }

  using work_type = pipeline_work<P, compute, typename Precision::accumulator, host_type>;
  using updater_type = updater<Optimiser, typename Precision::parameter, compute>;

  T timetable_;
  options options_;
  std::shared_ptr<model_type> model_;
  std::vector<std::vector<compute>> states_;  // of the layers of each copy
  updater_type update_;
  host_type host_;
  work_type work_;
  run::crew crew_;
  std::vector<parameter_view<compute>> views_;
  std::size_t done_ = 0;
  struct {
    model_type model;
    std::vector<std::vector<compute>> states;
    loss_scale scale;
    typename updater_type::snapshot update;
  } before_;
};

}  // namespace ipuflow::train
