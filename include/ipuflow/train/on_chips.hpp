// SPDX-License-Identifier: BSL-1.0
// Sessions with the back end `on::chips`: pipeline, timetable, optimiser, options, samples and results are those of a
// session on threads.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/train/chips/session_on_chips.hpp>
#include <ipuflow/train/session.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// A column of samples: its numbers go from their place in memory to a stream, whose type has to hold them.
template <class Number>
chips_column column_of_numbers(const Number* numbers, std::size_t width) {
  return {numbers, width,
          [](ipu::engine& e, ipu::stream_id stream, std::size_t replica, ipu::element_type type, const chips_column& of, std::size_t first,
             std::size_t count, std::size_t all, scaling how) {
            const Number* const from = static_cast<const Number*>(of.data) + first;
            ipu::with_element(type, [&](auto element) { throw_if(verify_numbers<decltype(element)>(from, count / of.width, of.width)); });
            feed_numbers(e, stream, replica, type, from, count, all, how);
          }};
}
/// An argument of the run, the same for each sample.
template <class Width, class Argument>
chips_column column_of_argument(const Argument& value) {
  return {&value, Width::value,
          [](ipu::engine& e, ipu::stream_id stream, std::size_t replica, ipu::element_type type, const chips_column& of, std::size_t,
             std::size_t count, std::size_t all, scaling) {
            const Argument& given = *static_cast<const Argument*>(of.data);
            light_vector<std::decay_t<decltype(argument_number(given, 0))>> numbers;
            for (std::size_t i = 0; i < count; ++i) numbers.push_back(argument_number(given, i % Width::value));
            feed_numbers(e, stream, replica, type, numbers.data(), count, all, scaling{});
          }};
}

/// The columns of a batch for the streams of chips, and between them the arguments of the run; all have to last as long as
/// the step.
template <class P, class Columns, class... Argument>
auto chips_columns_of(const Columns& columns, [[maybe_unused]] const Argument&... given) {
  using entering = entering_of<P>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto one = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
      if constexpr (entering::given[J]) {
        using width = std::integral_constant<std::size_t, nn::planned<P, 0, float>.slots[J].elements>;
        return column_of_argument<width>(entering::template argument_for<J>(given...));
      } else {
        const auto& column = std::get<entering::items_before(J)>(columns);
        return column_of_numbers(column.data(), column.width());
      }
    };
    return std::array<chips_column, entering::size>{one(std::integral_constant<std::size_t, I>{})...};
  }(std::make_index_sequence<entering::size>{});
}

}  // namespace impl

template <class P, class T, class Optimiser, class Precision>
class session<P, T, Optimiser, on::chips, Precision>
    : public impl::calls_of<session<P, T, Optimiser, on::chips, Precision>, P> {
  static_assert(accept<impl::verify_parts<P, T, Optimiser, Precision>()>());
  static_assert(accept<impl::verify_rate<P, impl::rule_of<Optimiser>>()>());
  static_assert(accept<nn::verify_ties<P>()>());
  using parameter = typename Precision::parameter;
  /// A pipeline that is only used is made as if it were trained, without the updates.
  using updated_by = std::conditional_t<std::is_same_v<Optimiser, impl::no_optimiser>, adamw, Optimiser>;
  static_assert(accept<impl::verify_precision_on_tiles<Precision>()>());
  static_assert(accept<impl::verify_update_on_tiles<Optimiser>()>());

 public:
  using model_type = model<float>;

  template <class... How>
  session(const P&, const T& timetable, const Optimiser& optimiser, const options& o = {}, How... how)
      : timetable_{timetable},
        wrong_{timetable.refused ? timetable.refused : schedule::verify(timetable_)},
        optimiser_{made_from(optimiser)},
        stages_{impl::chips_of_stages(checked(o)),
                timetable.where.micro_batches * o.replicas - share(),
                ipu::element_type_of<parameter>(),
                {optimiser_, o.scale.automatic ? 1 : o.scale.factor, o.parameters, o.seed},
                {.replicas = o.replicas,
                 .shards = impl::shards_state(o),
                 .max_norm = o.max_grad_norm,
                 .tensors = impl::tensors_of(impl::layout_of<P>, impl::rules_of<updated_by>::groups(*optimiser_)),
                 .scale = o.scale,
                 .shard_at_least = o.shard_at_least,
                 .shard_weights = o.shard_weights,
                 .shard_gradients = o.shard_gradients,
                 .merges = impl::said<on::chips>(how...).merge_collectives},
                std::is_same_v<typename Precision::accumulator, half> ? ipu::element_type::f16 : ipu::element_type::f32},
        back_end_{{.timetable = timetable_,
                   .asked = o,
                   .where = impl::said<on::chips>(how...),
                   .learned = impl::given_model(impl::shared_model<float>(how...), impl::layout_of<P>),
                   .begun = [](std::uint64_t seed) {
                     return impl::model_before_training<parameter, float>(impl::layout_of<P>, impl::initialisers_of<P, float>, seed);
                   },
                   .program = program_for(stages_, impl::system_for(impl::said<on::chips>(how...), impl::chips_needed(timetable_.where.ipus, o.replicas)),
                                          impl::run_options_of(timetable_, o, impl::said<on::chips>(how...))),
                   .session = this,
                   .again = program_again,
                   .stages = stages_.all(),
                   .input_widths = input_widths,
                   .given = entering_of<P>::given,
                   .outputs = outputs}} {
    static_assert(accept<impl::verify_how<How...>()>());
    throw_if(impl::verify_figures(o));
    impl::check_figures(*optimiser_);
  }
  template <class First, class... How>
    requires(!std::is_convertible_v<First, options>)
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, First first, How... how)
      : session{pipeline, timetable, optimiser, options{}, std::move(first), std::move(how)...} {}
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  std::size_t samples_per_step() const { return back_end_.samples_per_step(); }
  const shared<model_type>& parameters() const { return back_end_.parameters(); }
  /// The gradients of the last run of the timetable as the optimiser got them, in the order of the model: see named_tensors.hpp.
  std::span<const float> gradients() const { return back_end_.gradients(); }
  /// To be changed between steps.
  auto& optimiser() { return *optimiser_; }
  std::size_t updates() const { return back_end_.updates(); }
  /// The loss scale as it is now, which may follow overflows.
  loss_scaler scale() const { return back_end_.scale(); }
  /// The program of a step, and for each of its parts where that is in the model.
  const run::chips_program& program() const { return back_end_.program(); }
  const light_vector<impl::chips_stage>& stages() const { return stages_.all(); }

  /// Counts what a step takes, without running it.
  run::chips_profile cost() const { return back_end_.cost(); }
  /// The profile of the last step, metered while it ran; it equals `cost()`.
  const run::chips_profile& profile() const { return back_end_.profile(); }

 private:
  friend impl::calls_of<session, P>;

  template <class Columns, class... Argument>
  void step_on(const Columns& columns, std::size_t samples, const impl::result_sink& reader, const Argument&... given) {
    throw_if(impl::verify_training(timetable_.run_for, !std::is_same_v<Optimiser, impl::no_optimiser>));
    back_end_.step(impl::chips_columns_of<P>(columns, given...), samples, this->results_, reader);
  }

  static constexpr auto input_widths = [] {
    std::array<std::size_t, std::tuple_size_v<stage_input<P, 0>>> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = nn::planned<P, 0, float>.slots[i].elements;
    return all;
  }();
  static constexpr auto outputs = impl::outputs_of<P, float>;

  static shared<updated_by> made_from(const Optimiser& optimiser) {
    if constexpr (std::is_same_v<Optimiser, impl::no_optimiser>) {
      return shared{updated_by{}};
    } else {
      return shared{optimiser};
    }
  }
  std::size_t share() const {
    const schedule::any_timetable t = timetable_;
    return t.where.micro_batches / t.where.directions();
  }
  schedule::any_timetable checked(const options& o) const {
    impl::checked(impl::seat_table_of<P>, outputs, timetable_, wrong_, o);
    return timetable_;
  }
  run::chips_program program_for(impl::chips_stages<P, updated_by>& stages, const ipu::chip_system& system,
                                 const run::chips_options& asked) const {
    return run::on_chips(
        timetable_, system,
        [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) { return stages(g, stage, how); }, asked);
  }

  /// The program that a session would have with other options.
  static run::chips_program program_again(const void* of, const run::chips_options& other) {
    const session& self = *static_cast<const session*>(of);
    auto stages = self.stages_.anew();
    return self.program_for(stages, self.program().system(), other);
  }

  T timetable_;
  schedule::schedule_fault wrong_;
  shared<updated_by> optimiser_;
  impl::chips_stages<P, updated_by> stages_;
  impl::session_on_chips back_end_;
};

}  // namespace ipuflow::train
