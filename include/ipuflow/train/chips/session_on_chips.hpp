// SPDX-License-Identifier: BSL-1.0
// A session on simulated chips outside of the types of its pipeline, timetable and optimiser: the same samples in and the
// same results out as on host threads, within rounding; beside it what a step takes, counted without running anything.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/run/chips/memory_remedy.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/train/chips/back_end.hpp>
#include <ipuflow/train/chips/gradients.hpp>
#include <ipuflow/train/chips/host.hpp>
#include <ipuflow/train/chips/numbers.hpp>
#include <ipuflow/train/chips/result_streams.hpp>
#include <ipuflow/train/chips/stage.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/session_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// Options of a run on chips: a session's own, and where tensors are kept.
template <class = void>
run::chips_options run_options_of(const schedule::any_timetable& t, const options& o, const on::chips& where) {
  run::chips_options made{.samples = o.micro_batch,
                          .replicas = o.replicas,
                          .runs = o.device_iterations,
                          .outputs = mode_of(step_shape_of(t, o).kept, t.run_for),
                          .period = o.output_period,
                          .synthetic = where.synthetic,
                          .prefetch = where.prefetch,
                          .host_time = where.host_time,
                          .host_times = where.host_times,
                          .asynchronous_loading = where.asynchronous_loading,
                          .call_time = where.call_time,
                          .io_tiles = where.io_tiles,
                          .sync = where.sync,
                          .activations = where.activations,
                          .weights = where.weights,
                          .optimiser_state = where.optimiser_state,
                          .accumulators = where.accumulators,
                          .recompute = o.recompute,
                          .memory_proportion = where.memory_proportion,
                          .half_partials = where.half_partials,
                          .share_code = where.share_code,
                          .seed = o.seed,
                          .allow_out_of_memory = where.allow_out_of_memory,
                          .checked = where.checked};
  if (made.outputs == feed::output_mode::every_n && t.where.micro_batches % made.period != 0)
    made.outputs = feed::output_mode::all, made.period = 0;  // the host leaves out results that were not asked for
  const float averaged =
      o.gradients == reduction::sum ? 1 : static_cast<float>(t.where.micro_batches * o.replicas);
  made.loss_gradient = (o.scale.automatic ? 1 : o.scale.factor) / (static_cast<float>(o.micro_batch) * averaged);
  return made;
}

/// One of the columns of a step's batch, outside of its type.
struct chips_column {
  const void* data = nullptr;
  std::size_t width = 0;  ///< numbers a sample
  /// Gives a stream `count` numbers from number `first` on, zeros behind them up to `all`.
  void (*feed)(ipu::engine& e, ipu::stream_id stream, std::size_t replica, ipu::element_type type, const chips_column& of,
               std::size_t first, std::size_t count, std::size_t all, scaling how) = nullptr;
};

template <class = void>
class basic_session_on_chips {
 public:
  /// The parts of a session; all that is referred to has to last as long.
  struct parts {
    const schedule::any_timetable& timetable;
    const options& asked;
    const on::chips& where;
    shared<model<float>> learned;                          ///< if one was handed over
    shared<model<float>> (*begun)(std::uint64_t seed);     ///< makes another one
    run::chips_program&& program;
    const void* session;
    run::chips_program (*again)(const void* session, const run::chips_options&);  ///< makes it with other options
    const light_vector<impl::chips_stage>& stages;
    light_span<const std::size_t> input_widths;  ///< numbers a sample
    light_span<const bool> given;                ///< whether it is an argument of the run
    light_span<const output_code> outputs;
  };
  explicit basic_session_on_chips(parts of)
      : timetable_{of.timetable},
        options_{of.asked},
        model_{of.learned},
        begun_{of.begun},
        stages_{of.stages},
        program_{std::move(of.program)},
        session_{of.session},
        again_{of.again},
        input_widths_{of.input_widths},
        given_{of.given},
        results_{timetable_, options_, run_options_of(of.timetable, of.asked, of.where), program_, stages_, of.outputs} {
    for (std::size_t part = 0; part < program_.places().size(); ++part) check_counters(part);
  }
  basic_session_on_chips(const basic_session_on_chips&) = delete;
  basic_session_on_chips& operator=(const basic_session_on_chips&) = delete;

  std::size_t samples_per_step() const { return shape().samples_per_step(); }
  /// Made when it is first asked for, so not by two threads at once: a session that only counts needs none, and a large network's takes
  /// gigabytes.
  const shared<model<float>>& parameters() const {
    if (!model_) model_ = begun_(options_.seed);
    return model_;
  }
  std::span<const float> gradients() const {
    if (trains()) gradients_.resize(parameters()->values.size());
    return gradients_;
  }
  std::size_t updates() const { return trains() ? done_ * options_.device_iterations - scale().skipped() : 0; }
  loss_scaler scale() const { return numbers_.scale(kept_.front(), options_.scale); }
  const run::chips_program& program() const { return program_; }
  run::chips_profile cost() const {
    return with_remedy([this] { return program_.cost(); });
  }
  const run::chips_profile& profile() const { return profile_; }

  /// Runs one step functionally; if it throws, the model and the optimiser are what they were.
  void step(light_span<const chips_column> columns, std::size_t samples, light_span<result_column> results,
            const result_sink& reader);

 private:
  bool trains() const { return timetable_.run_for == mode::training; }
  step_shape shape() const { return step_shape_of(timetable_, options_); }
  /// Micro-batches of one direction of a replica in a run, and of all others.
  std::size_t share() const { return timetable_.where.micro_batches / timetable_.where.directions(); }
  std::size_t skipped() const { return timetable_.where.micro_batches * options_.replicas - share(); }
  /// The result of `made()`; if the program is out of memory, the exception says what would make it fit.
  template <class Made>
  auto with_remedy(Made made) const {
    try {
      return made();
    } catch (const rejected<ipu::memory_fault>& no) {
      const auto fits = [this](const run::chips_options& o) {
        try {
          return !again_(session_, o).verify_memory();
        } catch (const error&) {  // nor can it be made like that
          return false;
        }
      };
      throw rejected<ipu::memory_fault>{run::with_remedy(no.found(), program_.options(), fits)};
    }
  }

  /// Brings the model, and what counts, to the chips.
  void begin() {
    const bool first = engine_ == nullptr;
    if (first) {
      engine_ = with_remedy([this] { return owner<ipu::engine>(new ipu::engine(program_.engine())); });
    }
    for (std::size_t r = 0; r < options_.replicas; ++r) {
      numbers_.write(*engine_, *parameters(), r);
      if (!trains()) continue;
      if (first) numbers_.recall(*engine_, kept_[r], r, options_.scale);
      for (std::size_t part = 0; part < program_.places().size(); ++part) write_counters(part, r);
    }
  }

  /// The forwards of a part that counts them come in order.
  void check_counters(std::size_t part) const {
    const auto& place = program_.places()[part];
    if (program_.part(part).counters.empty()) return;
    const light_vector<std::size_t> mine = impl::forwards_on(timetable_, place.chip, place.stage);
    for (std::size_t i = 1; i < mine.size(); ++i)
      if (mine[i] < mine[i - 1]) throw_if(session_fault{session_wrong::counted_out_of_order, mine[i - 1], mine[i], place.stage});
  }
  void write_counters(std::size_t part, std::size_t replica) {
    const auto& place = program_.places()[part];
    const light_vector<std::size_t> mine = impl::forwards_on(timetable_, place.chip, place.stage);
    const std::size_t half = mine.empty() || mine.front() < share() ? 0 : 1;
    const std::size_t before = done_ * options_.device_iterations * timetable_.where.micro_batches * options_.replicas;
    const std::size_t next = before + (replica * timetable_.where.directions() + half) * share() - skipped();
    for (const ipu::variable_id counter : program_.part(part).counters)
      engine_->write(counter, light_vector{static_cast<std::int32_t>(static_cast<std::uint32_t>(next))}, replica);
  }

  /// The streams of arguments are fed once.
  void give(light_span<const chips_column> columns) {
    for (const run::chips_argument& a : program_.arguments()) {
      const chips_column& column = columns[a.number];
      for (std::size_t r = 0; r < options_.replicas; ++r)
        column.feed(*engine_, a.stream, r, program_.graph()[a.variable].type(), column, 0, column.width, column.width, {});
    }
  }

  /// Feeds every stream of the first stage in the order in which its chip takes micro-batches.
  void feed(light_span<const chips_column> all, std::size_t samples) {
    light_vector<chips_column> columns;  // of samples
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!given_[i]) columns.push_back(all[i]);
    }
    std::size_t position = 0;
    std::size_t part = program_.places().size();
    for (const run::host_end& end : program_.inputs()) {
      position = end.part == part ? position + 1 : 0;
      part = end.part;
      const light_vector<std::size_t> order = impl::forwards_on(timetable_, program_.places()[part].chip, 0);
      const chips_column& column = columns[position];
      for (std::size_t i = 0; i < options_.device_iterations * order.size(); ++i) {
        const std::size_t m = i / order.size() * timetable_.where.micro_batches + order[i % order.size()];
        for (std::size_t r = 0; r < options_.replicas; ++r) {
          const std::size_t first = algorithms::min((m * options_.replicas + r) * options_.micro_batch, samples);
          const std::size_t count = algorithms::min(options_.micro_batch, samples - first);
          column.feed(*engine_, end.stream, r, program_.graph()[end.beside].type(), column, first * column.width,
                      count * column.width, options_.micro_batch * column.width, options_.inputs);
        }
      }
    }
  }

  schedule::any_timetable timetable_;
  options options_;
  mutable shared<model<float>> model_;
  shared<model<float>> (*begun_)(std::uint64_t);
  const light_vector<impl::chips_stage>& stages_;
  run::chips_program program_;
  const void* session_;
  run::chips_program (*again_)(const void*, const run::chips_options&);
  light_span<const std::size_t> input_widths_;
  light_span<const bool> given_;
  impl::chips_numbers numbers_{program_, stages_};
  impl::result_streams results_;
  owner<ipu::engine> engine_;  // none before the first step, and after one that failed
  // The memory that a new engine begins with, by replica: an engine on which a step failed is gone, with all that it held.
  light_vector<impl::chips_numbers::optimiser_memory> kept_ = light_vector<impl::chips_numbers::optimiser_memory>(options_.replicas);
  mutable light_vector<float> gradients_{};
  run::chips_profile profile_{};
  std::size_t done_ = 0;
};
using session_on_chips = basic_session_on_chips<>;

template <class Unused>
void basic_session_on_chips<Unused>::step(light_span<const chips_column> columns, std::size_t samples,
                                          light_span<result_column> results, const result_sink& reader) {
  if (program_.options().synthetic) throw_if(session_fault{.kind = session_wrong::only_counted});
  throw_if(verify_step(samples, samples_per_step(), takes_parts(timetable_, options_)));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].width != input_widths_[i])
      throw_if(session_fault{session_wrong::width, columns[i].width, input_widths_[i], i});
  }
  results_.begin(samples, results, reader);
  try {
    begin();
    give(columns);
    feed(columns, samples);
    results_.follow(*engine_);
    profile_ = program_.run(*engine_);
    results_.finish();
  } catch (...) {
    engine_ = nullptr;
    throw;
  }
  if (trains()) {
    numbers_.read(*engine_, *model_);
    gradients_.resize(model_->values.size());
    gradient_reader(program_, stages_, options_).read(*engine_, gradients_);
    for (std::size_t r = 0; r < options_.replicas; ++r) kept_[r] = numbers_.remember(*engine_, r, options_.scale);
  }
  ++done_;
}

}  // namespace impl

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class impl::basic_session_on_chips<>;
#endif

}  // namespace ipuflow::train
