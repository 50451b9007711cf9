// SPDX-License-Identifier: BSL-1.0
// A session on simulated chips: the same pipeline, timetable, optimiser and options as on host threads, the same samples
// in and the same results out, within rounding; and beside it what it takes in cycles and bytes, counted without
// running anything.
#pragma once

#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/train/chips/host.hpp>
#include <ipuflow/train/chips/numbers.hpp>
#include <ipuflow/train/chips/stage.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/session_plan.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::train {

enum class chips_session_wrong : unsigned char { nothing, automatic_scale };
using chips_session_fault = fault<chips_session_wrong>;

constexpr message_text sentence(const chips_session_fault&) {
  return words("ipuflow: a loss scale cannot follow overflows on chips, whose program is made once; give it a ",
               "factor that stays");
}

/// A system of one kind of chip, and how the session uses it. What a session's own options say wins: samples,
/// replicas, runs, outputs, seed.
struct on_chips {
  ipu::chip_system system{};
  run::chips_options model{};
  bool checked = false;  ///< functional steps look at every access: slowly
};

template <class P, schedule::timetable T, class Optimiser = adamw, class Precision = precision<>>
class chips_session {
  using parameter = typename Precision::parameter;
  static_assert(std::is_same_v<typename Precision::compute, float> && sizeof(parameter) <= sizeof(float),
                "tiles compute in float, or in half where tensors are of halves, with parameters of float or half");
  using outputs = stage_output<P, P::stage_count - 1>;

 public:
  using model_type = model<float>;
  /// One column for each value that leaves the pipeline.
  using results = std::array<result_column, std::tuple_size_v<outputs>>;

  chips_session(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o,
                const on_chips& chips, std::shared_ptr<model_type> shared = nullptr)
      : timetable_{timetable},
        options_{verified(timetable, o)},
        model_{shared ? std::move(shared) : fresh(pipeline, o)},
        optimiser_{std::make_shared<Optimiser>(optimiser)},
        checked_{chips.checked},
        stages_{impl::chips_of_stages(timetable),
                skipped(),
                ipu::element_type_of<parameter>(),
                {optimiser_, o.scale.factor, o.parameters, o.seed},
                {.replicas = o.replicas, .shards = o.shard_optimiser}},
        program_{run::on_chips(
            timetable, chips.system,
            [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) { return stages_(g, stage, how); },
            chips_options(chips.model))} {
    throw_if(verify_model<P>(*model_));
  }
  chips_session(const chips_session&) = delete;
  chips_session& operator=(const chips_session&) = delete;

  [[nodiscard]] std::size_t samples_per_step() const { return shape().samples_per_step(); }
  [[nodiscard]] const std::shared_ptr<model_type>& parameters() const { return model_; }
  /// To be changed between steps.
  Optimiser& optimiser() { return *optimiser_; }
  [[nodiscard]] std::size_t updates() const { return trains() ? done_ * options_.device_iterations : 0; }
  /// The program of a step, and for each of its parts where that is in the model.
  [[nodiscard]] const run::chips_program& program() const { return program_; }
  [[nodiscard]] const std::vector<impl::chips_stage>& stages() const { return stages_.all(); }

  /// What a step takes, counted.
  [[nodiscard]] run::chips_profile cost() const { return program_.cost(); }
  /// What the last step has taken, metered while it ran: the same.
  [[nodiscard]] const run::chips_profile& profile() const { return profile_; }

  /// Runs one step functionally on `samples_per_step()` samples, as a session on threads does. If it throws, the model
  /// and the optimiser are what they were.
  template <class Batch>
  const results& operator()(const Batch& batch) {
    static_assert(accept<verify_samples<Batch>()>());
    throw_if(verify_step(batch.size(), samples_per_step(), takes_parts(timetable_, options_)));
    const auto& columns = batch.columns();
    static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(columns)>> == std::tuple_size_v<stage_input<P, 0>>,
                  "a sample has one value for each input of the pipeline and each of its named values per sample");
    verify_widths(columns);
    try {
      begin();
      feed(columns, batch.size());
      profile_ = program_.run(*engine_);
    } catch (...) {
      engine_.reset();
      throw;
    }
    collect(batch.size());
    if (trains()) {
      numbers_.read(*engine_, *model_);
      for (std::size_t r = 0; r < options_.replicas; ++r) kept_[r] = numbers_.remember(*engine_, r);
    }
    ++done_;
    return results_;
  }

 private:
  static constexpr std::size_t last = P::stage_count - 1;
  template <std::size_t I>
  static constexpr bool loss = is_loss<std::tuple_element_t<I, outputs>>;
  template <std::size_t I>
  static constexpr std::size_t width =
      nn::planned<P, last, float>.slots[nn::planned<P, last, float>.leaving[I]].elements;

  static const options& verified(const T& t, const options& o) {
    if (o.scale.automatic)
      throw_if(chips_session_fault{chips_session_wrong::automatic_scale});
    return checked(seat_table_of<P>, t, schedule::verify(t), o);
  }
  static std::shared_ptr<model_type> fresh(const P& pipeline, const options& o) {
    auto made = std::make_shared<model_type>(initial_model<float>(pipeline, o.seed));
    round_to<parameter>(std::span{made->values}, rounding::nearest, 0, 0);
    return made;
  }
  bool trains() const { return timetable_.run_for == mode::training; }
  step_shape shape() const { return step_shape_of(timetable_, options_); }
  /// Micro-batches of one direction of a replica in a run, and of all others.
  std::size_t share() const { return timetable_.where.micro_batches / schedule::any_where{timetable_.where}.directions(); }
  std::size_t skipped() const { return timetable_.where.micro_batches * options_.replicas - share(); }

  run::chips_options chips_options(run::chips_options made) const {
    made.samples = options_.micro_batch;
    made.replicas = options_.replicas;
    made.runs = options_.device_iterations;
    made.seed = options_.seed;
    made.outputs = mode_of(shape().kept, timetable_.run_for);
    made.period = options_.output_period;
    if (made.outputs == feed::output_mode::every_n && timetable_.where.micro_batches % made.period != 0)
      made.outputs = feed::output_mode::all;  // the host leaves out what nobody wants
    const float averaged = options_.gradients == reduction::sum
                               ? 1
                               : static_cast<float>(timetable_.where.micro_batches * options_.replicas);
    made.loss_gradient = options_.scale.factor / (static_cast<float>(options_.micro_batch) * averaged);
    return made;
  }
  bool sent(std::size_t micro_batch) const {
    const run::chips_options& o = sent_;
    if (o.outputs == feed::output_mode::final) return micro_batch + 1 == timetable_.where.micro_batches;
    return o.outputs != feed::output_mode::every_n || (micro_batch + 1) % o.period == 0;
  }

  template <class Columns>
  static void verify_widths(const Columns& columns) {
    const auto check = [](std::size_t value, std::size_t got, std::size_t wanted) {
      if (got != wanted) throw_if(session_fault{session_wrong::width, got, wanted, value});
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (check(I, std::get<I>(columns).width(), nn::planned<P, 0, float>.slots[I].elements), ...);
    }(std::make_index_sequence<std::tuple_size_v<Columns>>{});
  }

  /// The model, and what counts, to the chips.
  void begin() {
    const bool first = engine_ == nullptr;
    if (first) engine_ = std::unique_ptr<ipu::engine>(new ipu::engine(program_.engine(checked_)));
    for (std::size_t r = 0; r < options_.replicas; ++r) {
      numbers_.write(*engine_, *model_, r);
      if (!trains()) continue;
      if (first) numbers_.recall(*engine_, kept_[r], r);
      for (std::size_t part = 0; part < program_.places().size(); ++part) write_counters(part, r);
    }
  }

  void write_counters(std::size_t part, std::size_t replica) {
    const auto& place = program_.places()[part];
    const std::vector<std::size_t> mine = impl::forwards_on(timetable_, place.chip, place.stage);
    const std::size_t half = mine.empty() || mine.front() < share() ? 0 : 1;
    const std::size_t before = done_ * options_.device_iterations * timetable_.where.micro_batches * options_.replicas;
    const std::size_t next = before + (replica * schedule::any_where{timetable_.where}.directions() + half) * share() - skipped();
    for (const ipu::variable_id counter : program_.part(part).counters)
      engine_->write(counter, std::vector{static_cast<std::int32_t>(static_cast<std::uint32_t>(next))}, replica);
  }

  /// Every stream of the first stage in the order in which its chip takes micro-batches.
  template <class Columns>
  void feed(const Columns& columns, std::size_t samples) {
    const std::size_t replicas = options_.replicas;
    std::size_t position = 0;
    std::size_t part = program_.places().size();
    for (const run::host_end& end : program_.inputs()) {
      position = end.part == part ? position + 1 : 0;
      part = end.part;
      const std::vector<std::size_t> order = impl::forwards_on(timetable_, program_.places()[part].chip, 0);
      with_column(columns, position, [&](const auto& column) {
        const std::size_t all = options_.micro_batch * column.width();
        for (std::size_t i = 0; i < options_.device_iterations * order.size(); ++i) {
          const std::size_t m = i / order.size() * timetable_.where.micro_batches + order[i % order.size()];
          for (std::size_t r = 0; r < replicas; ++r) {
            const std::size_t first = std::min((m * replicas + r) * options_.micro_batch, samples);
            const std::size_t count = std::min(options_.micro_batch, samples - first);
            impl::feed_numbers(*engine_, end.stream, r, program_.graph()[end.beside].type(),
                         column.data() + first * column.width(), count * column.width(), all, options_.inputs);
          }
        }
      });
    }
  }
  template <class Columns, class Visit>
  static void with_column(const Columns& columns, std::size_t position, Visit visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((I == position ? visit(std::get<I>(columns)) : void()), ...);
    }(std::make_index_sequence<std::tuple_size_v<Columns>>{});
  }

  void collect(std::size_t samples) {
    const impl::result_rows rows{shape().kept, shape().sizes, samples};
    const std::size_t all = results_per_step(rows.kept, rows.sizes);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((results_[I].width = loss<I> ? 1 : options_.micro_batch * width<I>,
        results_[I].values.assign(results_[I].width * all, 0)),
       ...);
    }(std::make_index_sequence<std::tuple_size_v<outputs>>{});
    std::size_t position = 0;
    std::size_t part = program_.places().size();
    for (const run::host_end& end : program_.outputs()) {
      position = end.part == part ? position + 1 : 0;
      part = end.part;
      const std::size_t column = stages_.all()[part].exits[position];
      for (std::size_t r = 0; r < options_.replicas; ++r) collect(rows, end, column, r);
    }
    if (samples == samples_per_step()) return;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (results_[I].values.resize(loss<I> ? (samples + options_.micro_batch - 1) / options_.micro_batch
                                         : samples * width<I>),
       ...);
    }(std::make_index_sequence<std::tuple_size_v<outputs>>{});
  }
  void collect(const impl::result_rows& rows, const run::host_end& end, std::size_t column, std::size_t replica) {
    static constexpr auto losses = []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<bool, sizeof...(I)>{loss<I>...};
    }(std::make_index_sequence<std::tuple_size_v<outputs>>{});
    const ipu::variable& v = program_.graph()[end.beside];
    const std::vector<float> values = impl::drained(*engine_, end.stream, replica, v.type());
    std::vector<std::size_t> order;
    for (const std::size_t m : impl::forwards_on(timetable_, program_.places()[end.part].chip, last)) {
      if (sent(m)) order.push_back(m);
    }
    if (rows.sums()) order.resize(1);
    for (std::size_t i = 0; i * v.elements() < values.size(); ++i) {
      const std::size_t index = i / order.size() * timetable_.where.micro_batches + order[i % order.size()];
      rows.store(results_[column], losses[column], std::span{values}.subspan(i * v.elements(), v.elements()), index,
                 replica);
    }
  }

  T timetable_;
  options options_;
  std::shared_ptr<model_type> model_;
  std::shared_ptr<Optimiser> optimiser_;
  bool checked_;
  impl::chips_stages<P, Optimiser> stages_;
  run::chips_program program_;
  impl::chips_numbers numbers_{program_, stages_.all()};
  run::chips_options sent_ = chips_options({});
  std::unique_ptr<ipu::engine> engine_;  // none before the first step, and after one that failed
  std::vector<impl::chips_numbers::optimiser_memory> kept_ = std::vector<impl::chips_numbers::optimiser_memory>(options_.replicas);
  results results_{};
  run::chips_profile profile_{};
  std::size_t done_ = 0;
};

/// A session with the precision said first: `train::chips_session_in<train::precision<float, half>>(...)`.
template <class Precision, class P, schedule::timetable T, class Optimiser>
[[nodiscard]] auto chips_session_in(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o,
                                    const on_chips& chips, std::shared_ptr<model<float>> shared = nullptr) {
  return chips_session<P, T, Optimiser, Precision>(pipeline, timetable, optimiser, o, chips, std::move(shared));
}

/// A session on tiles that uses a model: that of any other session, or one that was loaded.
template <class Precision = precision<>, class P, schedule::timetable T>
[[nodiscard]] auto chips_inference(const P& pipeline, const T& timetable, std::shared_ptr<model<float>> shared,
                                   const options& o, const on_chips& chips) {
  return chips_session<P, T, adamw, Precision>(pipeline, timetable, {}, o, chips, std::move(shared));
}

}  // namespace ipuflow::train
