// SPDX-License-Identifier: BSL-1.0
// The work of a session on host threads in a step: for each device iteration a run of the timetable and, in training, an
// update of the weights. Code for all pipelines, timetables and optimisers; users need it where a session is made in a
// precision that nothing has compiled yet.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/run/stage_failed.hpp>
#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/train/threads/copy_state.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>
#include <ipuflow/train/threads/session_on_threads.hpp>
#include <ipuflow/train/threads/session_plan.hpp>
#include <ipuflow/train/threads/sharing.hpp>
#include <ipuflow/train/threads/step_host.hpp>
#include <ipuflow/train/threads/updater.hpp>

#include <cstddef>
#include <exception>
#include <utility>

namespace ipuflow::train::impl {

template <class Precision>
struct session_engine_of {};

template <class Precision, std::size_t Lanes>
class session_on_threads<Precision, Lanes>::engine {
 public:
  [[gnu::cold]] explicit engine(const parts& of);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  void step(light_span<const column_code> columns, std::size_t samples, light_span<result_column> results, const result_sink& reader);

  void reserve(light_span<result_column> results) const { host_.reserve(results); }
  std::size_t samples_per_step() const { return step_shape_of(timetable_, options_).samples_per_step(); }
  std::size_t threads() const { return crew_.size(); }
  const shared<model<number>>& parameters() const { return model_; }
  light_span<const float> gradients() const { return update_.gradients(); }
  const loss_scaler& scale() const { return scale_; }
  std::size_t updates() const { return update_.steps(); }
  std::size_t stash_bytes(std::size_t stage) const { return work_.stash_bytes(stage); }
  std::size_t optimiser_bytes() const { return update_.state_bytes(); }
  std::size_t steps() const { return done_; }
  training_state<number> state(training_state<number> room) const;
  void go_on(const training_state<number>& from);

 private:
  using work_type = pipeline_work<compute>;
  using updater_type = updater<typename Precision::parameter, number>;

  static sharing<compute>* sharing_of(const on::threads& where) { return static_cast<sharing<compute>*>(where.others); }
  bool trains() const { return timetable_.run_for == mode::training; }
  static work_shape shape_of(const parts& of) {
    work_shape made = work_shape_of(of.code.seats, of.timetable, of.asked);
    made.accumulators = accumulator_runs(of.tensors, accumulator_of<typename Precision::accumulator>);
    if (of.where.others != nullptr) made.here = sharing_of(of.where)->here(made.replicas * made.ipus);
    return made;
  }
  bool adds_up_apart() const {
    return algorithms::any_of(shape_.accumulators.begin(), shape_.accumulators.end(), [](const accumulator_run& r) { return r.type != accumulator_of<compute>; });
  }
  void iterate(std::size_t i);
  pass_context context_of(std::size_t i, bool looks_at_everything = false) const;
  bool run_once(std::size_t i, const pass_context& c);
  void explain_loss(std::size_t i, const run::stage_failed& seen);
  void learn();
  template <class Visit>
  void each_piece(Visit visit) {
    crew_.run([&](std::size_t me) { for (std::size_t p = me; p < update_.pieces(); p += crew_.size()) visit(p); });
  }
  /// Copies what updates change, as whatever a step calls of a user's may throw once some numbers have changed.
  void remember();
  void take_back();

  schedule::any_timetable timetable_;
  options options_;
  on::threads where_;
  shared<model<number>> model_;
  loss_scaler scale_;
  copy_state<compute, number, typename Precision::parameter> weights_;
  updater_type update_;
  step_host<compute> host_;
  dynamic_array<stash> keep_;
  work_shape shape_;
  work_type work_;
  sharing<compute>* apart_;  // none: no other processes
  run::crew crew_;
  run::dealt lanes_;
  std::size_t done_ = 0;
  std::size_t micro_batches_ = 0;  // of all replicas, before this step
  struct {
    model<number> learned;
    loss_scaler scale{{}};
    typename updater_type::snapshot update;
  } before_;
};

template <class Precision, std::size_t Lanes>
session_on_threads<Precision, Lanes>::engine::engine(const parts& of)
    : timetable_{of.timetable},
      options_{checked(of.code.seats, of.code.outputs, of.timetable, of.wrong, of.asked)},
      where_{of.where},
      model_{of.learned},
      scale_{options_.scale},
      weights_{*model_, copies_of(timetable_, options_), trains()},
      update_{of.rule,
              trains() ? of.tensors : light_vector<piece>{},
              {options_.parameters, options_.seed, shards_state(options_) ? options_.replicas : 1, options_.shard_at_least}},
      host_{of.code, step_shape_of(timetable_, options_)},
      keep_{stashes_of(timetable_, options_.recompute)},
      shape_{shape_of(of)},
      work_{of.code, shape_, keep_, host_},
      apart_{sharing_of(where_)},
      crew_{run::thread_count(where_.count == 0 && apart_ ? apart_->cores() : where_.count, shape_.lanes_here())} {
  const light_vector<std::size_t> works = work_of_ipus(of.code, shape_, keep_);
  lanes_ = apart_ ? apart_->deal(timetable_, crew_.size(), works) : run::deal_lanes(timetable_, crew_.size(), options_.replicas, works);
  throw_if(verify_model(*model_, of.code.seats.all_values(), of.code.seats.all_state()));
  if (apart_) apart_->begin(of.code, timetable_, options_, shape_, of.tensors, of.rule.name, work_, update_.ranges());
}

template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::engine::step(light_span<const column_code> columns, std::size_t samples,
                                                        light_span<result_column> results, const result_sink& reader) {
  throw_if(verify_step(samples, samples_per_step(), takes_parts(timetable_, options_)));
  host_.attach(columns, samples, results, apart_ ? result_sink{} : reader);
  remember();
  if (trains()) round_to<typename Precision::parameter>(light_span{model_->values}, rounding::nearest, 0, 0);
  try {
    if (apart_) apart_->begin_step(columns, samples);
    for (std::size_t i = 0; i < options_.device_iterations; ++i) iterate(i);
    if (apart_) apart_->share_results(results, host_);
    host_.finish();
    if (apart_) apart_->leave_own(results, host_), host_.tell(reader);
  } catch (...) {
    take_back();
    throw;
  }
  ++done_;
  micro_batches_ += options_.device_iterations * timetable_.where.micro_batches * options_.replicas;
}

template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::engine::iterate(std::size_t i) {
  bool stopped = false;
  try {
    stopped = run_once(i, context_of(i));
  } catch (const run::stage_failed& seen) {
    explain_loss(i, seen);
    throw;
  }
  if (stopped) throw_if(session_fault{session_wrong::stopped, i, options_.device_iterations});
  if (trains()) learn();
}

template <class Precision, std::size_t Lanes>
pass_context session_on_threads<Precision, Lanes>::engine::context_of(std::size_t i, bool looks_at_everything) const {
  pass_context c = pass_context_of(timetable_, options_, scale_.factor(), adds_up_apart());
  c.first_micro_batch = micro_batches_ + i * timetable_.where.micro_batches * options_.replicas;
  c.looks_at_losses = trains() && options_.check_loss, c.looks_at_everything = looks_at_everything;
  return c;
}

/// Runs the timetable once, from the model as it is; true if it was stopped.
template <class Precision, std::size_t Lanes>
bool session_on_threads<Precision, Lanes>::engine::run_once(std::size_t i, const pass_context& c) {
  host_.begin_iteration(i);
  weights_.read(*model_);
  work_.begin(c, weights_.views());
  const run::execution how{.stop = where_.stop, .events = where_.events, .copies = options_.replicas, .lanes = &lanes_};
  return apart_ ? apart_->execute(timetable_, work_, crew_, how) : run::execute(timetable_, work_, crew_, how).stopped;
}

/// If a loss was not a number: the same iteration again, if no other process is needed, and at the first value that is none the sentence for it.
template <class Precision, std::size_t Lanes>
[[gnu::cold]] void session_on_threads<Precision, Lanes>::engine::explain_loss(std::size_t i, const run::stage_failed& seen) {
  const auto fault_in = [&](const run::stage_failed& failed) {
    loss_fault found;
    try {
      std::rethrow_exception(failed.cause());
    } catch (const rejected<loss_fault>& wrong) {
      found = wrong.found();
      found.where.stage = failed.stage(), found.where.step = done_ + 1;
      found.where.micro_batch = failed.micro_batch(), found.where.replica = failed.replica();
    } catch (...) {
    }
    return found;
  };
  const loss_fault found = fault_in(seen);
  if (found && (!apart_ || apart_->runs_alone())) {
    host_.ignore_reader();
    try {
      (void)run_once(i, context_of(i, true));
    } catch (const run::stage_failed& failed) {
      throw_if(fault_in(failed));
    }
  }
  throw_if(found);
}

template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::engine::learn() {
  if (apart_) apart_->add_up(work_, crew_);
  each_piece([&](std::size_t p) {
    if (apart_ && !apart_->reads(update_.piece_at(p))) return;
    update_.gather(p, scale_.factor(), [&](auto... where) { apart_ ? apart_->gradients(where...) : work_.gradients(where...); });
  });
  bool overflow = scale_.automatic() && overflown(update_.gradients());
  if (apart_ && scale_.automatic()) overflow = apart_->any(overflow);
  if (!scale_.accept(overflow)) return;
  update_.shorten_to(options_.max_grad_norm);
  update_.count_step();
  each_piece([&](std::size_t p) { if (!apart_ || apart_->keeps(update_.piece_at(p))) update_.update(p, model_->values); });
  if (apart_) apart_->share(reinterpret_cast<std::byte*>(model_->values.data()), sizeof(number), weights_.views());
  weights_.write_state(*model_);
}

template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::engine::remember() {
  if (!trains()) return;
  before_.learned = *model_;
  before_.scale = scale_;
  update_.save_to(before_.update);
}

template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::engine::take_back() {
  if (apart_) apart_->failed();
  if (!trains()) return;
  *model_ = before_.learned;
  scale_ = before_.scale;
  update_.restore(before_.update);
}

template <class Precision, std::size_t Lanes>
auto session_on_threads<Precision, Lanes>::engine::state(training_state<number> room) const -> training_state<number> {
  room.learned = *model_;
  update_.state_in_order(room.optimiser_numbers);
  if (apart_) apart_->share_optimiser(room.optimiser_numbers, update_.state_runs());
  return {.learned = std::move(room.learned), .optimiser = update_.rule_name(), .optimiser_numbers = std::move(room.optimiser_numbers),
          .seed = options_.seed, .steps = done_, .updates = update_.steps(), .micro_batches = micro_batches_, .loss_factor = scale_.factor(),
          .good_updates = scale_.good(), .skipped_updates = scale_.skipped()};
}

template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::engine::go_on(const training_state<number>& from) {
  throw_if(verify_model(from.learned, model_->values.size(), model_->state.size()));
  const optimiser_names names{from.optimiser, update_.rule_name()};
  if (names.saved != names.here) throw_if(state_fault{state_wrong::optimiser, 0, 0, names});
  const std::size_t bytes = update_.state_in_order_bytes();
  if (from.optimiser_numbers.size() != bytes) throw_if(state_fault{state_wrong::optimiser_numbers, from.optimiser_numbers.size(), bytes, names});
  if (from.seed != options_.seed) throw_if(state_fault{state_wrong::seed, from.seed, options_.seed, names});
  *model_ = from.learned;
  update_.go_on(from.optimiser_numbers, from.updates);
  scale_ = loss_scaler{options_.scale, options_.scale.automatic ? from.loss_factor : options_.scale.factor, from.good_updates, from.skipped_updates};
  done_ = from.steps;
  micro_batches_ = from.micro_batches;
}

template <class Precision, std::size_t Lanes>
session_on_threads<Precision, Lanes>::session_on_threads(const parts& of) : engine_{new engine{of}} {}
template <class Precision, std::size_t Lanes>
session_on_threads<Precision, Lanes>::~session_on_threads() {
  delete engine_;
}
template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::step(light_span<const column_code> columns, std::size_t samples,
                                                light_span<result_column> results, const result_sink& reader) { engine_->step(columns, samples, results, reader); }
template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::reserve(light_span<result_column> results) const { engine_->reserve(results); }
template <class Precision, std::size_t Lanes>
std::size_t session_on_threads<Precision, Lanes>::samples_per_step() const { return engine_->samples_per_step(); }
template <class Precision, std::size_t Lanes>
std::size_t session_on_threads<Precision, Lanes>::threads() const { return engine_->threads(); }
template <class Precision, std::size_t Lanes>
const shared<model<typename Precision::number>>& session_on_threads<Precision, Lanes>::parameters() const { return engine_->parameters(); }
template <class Precision, std::size_t Lanes>
light_span<const float> session_on_threads<Precision, Lanes>::gradients() const { return engine_->gradients(); }
template <class Precision, std::size_t Lanes>
const loss_scaler& session_on_threads<Precision, Lanes>::scale() const { return engine_->scale(); }
template <class Precision, std::size_t Lanes>
std::size_t session_on_threads<Precision, Lanes>::updates() const { return engine_->updates(); }
template <class Precision, std::size_t Lanes>
std::size_t session_on_threads<Precision, Lanes>::stash_bytes(std::size_t stage) const { return engine_->stash_bytes(stage); }
template <class Precision, std::size_t Lanes>
std::size_t session_on_threads<Precision, Lanes>::optimiser_bytes() const { return engine_->optimiser_bytes(); }
template <class Precision, std::size_t Lanes>
std::size_t session_on_threads<Precision, Lanes>::steps() const { return engine_->steps(); }
template <class Precision, std::size_t Lanes>
auto session_on_threads<Precision, Lanes>::state(training_state<number> room) const -> training_state<number> { return engine_->state(std::move(room)); }
template <class Precision, std::size_t Lanes>
void session_on_threads<Precision, Lanes>::go_on(const training_state<number>& from) { engine_->go_on(from); }

}  // namespace ipuflow::train::impl
