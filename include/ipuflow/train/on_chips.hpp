// SPDX-License-Identifier: BSL-1.0
// Sessions with the back end `on::chips`: pipeline, timetable, optimiser, options, samples and results are those of a
// session on threads.
#pragma once

#include <ipuflow/train/chips/session_on_chips.hpp>
#include <ipuflow/train/session.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::train {

namespace impl {

/// The columns of a batch for the streams of chips; they have to last as long as the step.
template <class Columns>
auto chips_columns_of(const Columns& columns) {
  const auto one = [](const auto& column) {
    using number = std::remove_cvref_t<decltype(*column.data())>;
    return chips_column{column.data(), column.width(),
                        [](ipu::engine& e, ipu::stream_id stream, std::size_t replica, ipu::element_type type,
                           const void* data, std::size_t first, std::size_t count, std::size_t all, scaling how) {
                          feed_numbers(e, stream, replica, type, static_cast<const number*>(data) + first, count, all,
                                       how);
                        }};
  };
  return std::apply([&](const auto&... column) { return std::array<chips_column, sizeof...(column)>{one(column)...}; },
                    columns);
}

}  // namespace impl

template <class P, class T, class Optimiser, class Precision>
class session<P, T, Optimiser, on::chips, Precision> {
  static_assert(accept<impl::verify_parts<P, T, Optimiser, Precision>()>());
  using parameter = typename Precision::parameter;
  /// A pipeline that is only used is made as if it were trained, without the updates.
  using updated_by = std::conditional_t<std::is_same_v<Optimiser, impl::no_optimiser>, adamw, Optimiser>;
  static_assert(accept<impl::verify_precision_on_tiles<Precision>()>());

 public:
  using model_type = model<float>;
  using results = impl::results_of<P>;

  template <class... How>
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o, How... how)
      : timetable_{timetable},
        wrong_{timetable.refused ? timetable.refused : schedule::verify(timetable_)},
        optimiser_{made_from(optimiser)},
        stages_{impl::chips_of_stages(checked(o)),
                timetable.where.micro_batches * o.replicas - share(),
                ipu::element_type_of<parameter>(),
                {optimiser_, o.scale.factor, o.parameters, o.seed},
                {.replicas = o.replicas, .shards = o.shard_optimiser}},
        back_end_{{.timetable = timetable_,
                   .asked = o,
                   .where = impl::said<on::chips>(how...),
                   .learned = verified(impl::model_from<Precision>(pipeline, o, how...)),
                   .program = program_for(o, impl::said<on::chips>(how...)),
                   .stages = stages_.all(),
                   .input_widths = input_widths,
                   .outputs = outputs}} {
    static_assert(accept<impl::verify_how<How...>()>());
    throw_if(impl::verify_figures(o));
    impl::check_figures(*optimiser_);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  std::size_t samples_per_step() const { return back_end_.samples_per_step(); }
  const std::shared_ptr<model_type>& parameters() const { return back_end_.parameters(); }
  /// To be changed between steps.
  auto& optimiser() { return *optimiser_; }
  std::size_t updates() const { return back_end_.updates(); }
  /// The program of a step, and for each of its parts where that is in the model.
  const run::chips_program& program() const { return back_end_.program(); }
  const std::vector<impl::chips_stage>& stages() const { return stages_.all(); }

  /// Counts what a step takes, without running it.
  run::chips_profile cost() const { return back_end_.cost(); }
  /// The profile of the last step, metered while it ran; it equals `cost()`.
  const run::chips_profile& profile() const { return back_end_.profile(); }

  /// Runs one step functionally, as a session on threads does. If it throws, the model and the optimiser are what they were.
  template <class Batch>
  const results& operator()(const Batch& batch) {
    static_assert(accept<impl::verify_samples<P, Batch>()>());
    impl::check_figures(*optimiser_);  // it may have been changed
    const auto& columns = batch.columns();
    back_end_.step(impl::chips_columns_of(columns), batch.size(), results_);
    return results_;
  }

 private:
  static constexpr auto input_widths = [] {
    std::array<std::size_t, std::tuple_size_v<stage_input<P, 0>>> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = nn::planned<P, 0, float>.slots[i].elements;
    return all;
  }();
  static constexpr auto outputs = []<class... Type>(std::tuple<Type...>*) {
    return std::array<impl::output_code, sizeof...(Type)>{
        impl::output_code{nn::computed<Type, float>::view::elements, impl::is_loss<Type>}...};
  }(static_cast<stage_output<P, P::stage_count - 1>*>(nullptr));

  static std::shared_ptr<updated_by> made_from(const Optimiser& optimiser) {
    if constexpr (std::is_same_v<Optimiser, impl::no_optimiser>) {
      return std::make_shared<updated_by>();
    } else {
      return std::make_shared<updated_by>(optimiser);
    }
  }
  std::size_t share() const {
    const schedule::any_timetable t = timetable_;
    return t.where.micro_batches / t.where.directions();
  }
  schedule::any_timetable checked(const options& o) const {
    impl::checked_on_chips(impl::seat_table_of<P>, timetable_, wrong_, o);
    return timetable_;
  }
  static std::shared_ptr<model_type> verified(std::shared_ptr<model_type> learned) {
    throw_if(impl::verify_model<P>(*learned));
    return learned;
  }
  run::chips_program program_for(const options& o, const on::chips& where) {
    return run::on_chips(
        timetable_, impl::system_for(where, timetable_.where.ipus * o.replicas),
        [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) { return stages_(g, stage, how); },
        impl::run_options_of(timetable_, o, where));
  }

  T timetable_;
  schedule::schedule_fault wrong_;
  std::shared_ptr<updated_by> optimiser_;
  impl::chips_stages<P, updated_by> stages_;
  impl::session_on_chips back_end_;
  results results_{};
};

}  // namespace ipuflow::train
