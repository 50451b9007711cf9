// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers under a timetable, trained or used: give it a step's samples, get what leaves the pipeline. A step is
// some device iterations; each runs all micro-batches of the timetable on every replica and, in training, then updates the
// weights. What comes out depends on samples, options and seed, not on the schedule, and but for rounding not on the back end.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/schedule/verify.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/how.hpp>
#include <ipuflow/train/inference_fault.hpp>
#include <ipuflow/train/loss_fault.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>
#include <ipuflow/train/optimisers/rate_from.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/step_results.hpp>
#include <ipuflow/train/threads/session_on_threads.hpp>
#include <ipuflow/train/training_state.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// In place of the one that a session was not given.
struct optimiser_left_out;

/// For pipelines that are only used.
struct no_optimiser {
  using state_type = float;
  static constexpr std::size_t states = 0;

  template <class Number>
  void update(std::span<Number>, std::span<const float>, std::span<float>, std::size_t) const {}
};

}  // namespace impl

/// `session{pipeline, timetable, optimiser, options, ...}`. Behind the options, which may be left out, in any order: a back end, `on::threads{}` or
/// `on::chips{}`; a precision; a model that other sessions use too. `<ipuflow/chips.hpp>` brings the second back end.
template <class P, class T, class Optimiser = adamw, class BackEnd = on::threads, class Precision = precision<>>
class session;

template <class P, class T, class Optimiser, class... How>
session(const P&, const T&, const Optimiser&, const options&, How...)
    -> session<P, T, Optimiser, impl::back_end_of<How...>, impl::precision_of<How...>>;
template <class P, class T, class Optimiser, class... How>
session(const P&, const T&, const Optimiser&, How...) -> session<P, T, Optimiser, impl::back_end_of<How...>, impl::precision_of<How...>>;
template <class P, class T>
session(const P&, const T&) -> session<P, T, impl::optimiser_left_out>;
template <class P, class T>
session(const P&, const T&, const options&) -> session<P, T, impl::optimiser_left_out>;  // in braces they are no optimiser's

namespace impl {

/// The fault of a loss with the name of its block.
template <class P>
loss_fault with_name(loss_fault found) {
  if (found.where.block < P::block_count) found.where.name = fixed_string<60>{P::origin_of(found.where.block).name};
  return found;
}

/// The model of a session that is handed none.
template <class Parameter, class Number>
[[nodiscard]] shared<model<Number>> model_before_training(const network_layout& network, initialiser_lists<Number> layers,
                                                          std::uint64_t seed) {
  auto made = ipuflow::share<model<Number>>(initial_model_of(network, layers, seed));
  round_to<Parameter>(light_span{made->values}, rounding::nearest, 0, 0);
  return made;
}
/// The model that a session is handed, if it is.
template <class Number>
[[nodiscard]] shared<model<Number>> given_model(shared<model<Number>> handed, const network_layout& network) {
  if (handed) throw_if(verify_model(*handed, network));
  return handed;
}
/// That, or one as it is before training.
template <class Parameter, class Number>
[[nodiscard]] shared<model<Number>> model_from(shared<model<Number>> handed, const network_layout& network,
                                               initialiser_lists<Number> layers, std::uint64_t seed) {
  auto found = given_model(std::move(handed), network);
  return found ? std::move(found) : model_before_training<Parameter>(network, layers, seed);
}

/// The calls of a session, the same on every back end: a step, or the steps that a source gives.
template <class Session, class P>
class calls_of {
 public:
  using results = results_of<P>;
  using micro_batch_result = impl::micro_batch_result<P>;

  /// Runs one step on `samples_per_step()` samples, of which inference with all outputs needs only a part: a
  /// feed::sample_batch, or anything with `size()` whose `columns()` are a tuple of columns. Behind it stand the arguments of
  /// the run, `with<"rate">(0.1f)`. If a stage or the optimiser throws, or the step is stopped, the model is what it was before.
  template <class Batch, class... Argument>
  const results& operator()(const Batch& batch, const Argument&... given) {
    return step(batch, {}, given...);
  }

  /// Runs steps that `in` gives until it ends, or `most` of them; returns how many. `out`, an outfeed or any sink, is given
  /// the results that come back of each micro-batch while the step still runs. See docs/training.md.
  template <class In, class Out, class... Argument>
  std::size_t run(In&& in, Out&& out, std::size_t most = all_steps, const Argument&... given) {
    const auto one = [&](const auto& batch, const result_sink& reader) { step(batch, reader, given...); };
    return run_steps<P>(in, out, results_, most, one);
  }
  template <class In, class Out, fixed_string Name, class Value, class... Argument>
  std::size_t run(In&& in, Out&& out, const argument<Name, Value>& first, const Argument&... given) {
    return run(in, out, all_steps, first, given...);
  }

 protected:
  results results_{};

 private:
  template <class Batch, class... Argument>
  const results& step(const Batch& batch, const result_sink& reader, const Argument&... given) {
    constexpr auto samples = verify_samples<P, Batch>();
    [[maybe_unused]] auto no_samples = true ? problem_of<samples>() : nothing_wrong{};
    constexpr auto arguments = verify_arguments<P, Argument...>();
    [[maybe_unused]] auto no_arguments = true ? problem_of<arguments>() : nothing_wrong{};
    throw_if(verify_numbers_of<P>(given...));
    Session& session = static_cast<Session&>(*this);
    set_rate(session.optimiser(), given...);
    check_figures(session.optimiser());  // it may have been changed
    throw_if(verify_model(*session.parameters(), layout_of<P>.all_values(), layout_of<P>.all_state()));
    const auto& columns = batch.columns();  // lasts as long as the step, made here or not
    session.step_on(columns, batch.size(), reader, given...);
    return results_;
  }
};

}  // namespace impl

template <class P, class T, class Optimiser, class Precision>
class session<P, T, Optimiser, on::threads, Precision>
    : public impl::calls_of<session<P, T, Optimiser, on::threads, Precision>, P> {
  static_assert(accept<impl::verify_parts<P, T, Optimiser, Precision>()>());
  static_assert(accept<impl::verify_engine<Precision, impl::session_engine_of>()>());
  using compute = typename Precision::compute;
  using number = typename Precision::number;
  static_assert(accept<impl::verify_network<P, compute>(!std::is_same_v<Optimiser, impl::no_optimiser>)>());
  static_assert(accept<impl::verify_rate<P, impl::rule_of<Optimiser>>()>());
  static_assert(accept<nn::verify_ties<P>()>());

 public:
  using model_type = model<number>;

  template <class... How>
  session(const P&, const T& timetable, const Optimiser& optimiser, const options& o = {}, How... how)
      : timetable_{timetable},
        optimiser_{optimiser},
        back_end_{{.code = impl::network_of<P, compute, !std::is_same_v<Optimiser, impl::no_optimiser>>,
                   .tensors = impl::tensors_of(impl::layout_of<P>, impl::rules_of<Optimiser>::groups(optimiser_)),
                   .timetable = timetable_,
                   .wrong = timetable.refused ? timetable.refused : schedule::verify(timetable_),
                   .asked = o,
                   .learned = impl::model_from<typename Precision::parameter, number>(impl::shared_model<number>(how...), impl::layout_of<P>,
                                                                                      impl::initialisers_of<P, number>, o.seed),
                   .rule = impl::optimiser_code_of<number>(optimiser_),
                   .where = impl::said<on::threads>(how...)}} {
    static_assert(accept<impl::verify_how<How...>()>());
    throw_if(impl::verify_training(timetable.run_for, !std::is_same_v<Optimiser, impl::no_optimiser>));
    throw_if(impl::verify_figures(o));
    impl::check_figures(optimiser_);
    back_end_.reserve(this->results_);
  }
  template <class First, class... How>
    requires(!std::is_convertible_v<First, options>)
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, First first, How... how)
      : session{pipeline, timetable, optimiser, options{}, std::move(first), std::move(how)...} {}
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  std::size_t samples_per_step() const { return back_end_.samples_per_step(); }
  std::size_t threads() const { return back_end_.threads(); }
  /// The model, as it is between steps.
  const shared<model_type>& parameters() const { return back_end_.parameters(); }
  /// The gradients of the last run of the timetable as the optimiser got them, in the order of the model: see named_tensors.hpp.
  std::span<const float> gradients() const { return back_end_.gradients(); }
  /// Its figures may be changed between steps.
  Optimiser& optimiser() { return optimiser_; }
  const loss_scaler& scale() const { return back_end_.scale(); }
  /// Updates of the weights so far.
  std::size_t updates() const { return back_end_.updates(); }
  /// The bytes that each replica keeps for the activations of a stage, and for the optimiser.
  std::size_t stash_bytes(std::size_t stage) const { return back_end_.stash_bytes(stage); }
  std::size_t optimiser_bytes() const { return back_end_.optimiser_bytes(); }

  /// Steps so far.
  std::size_t steps() const { return back_end_.steps(); }
  /// All that the next step depends on, but its samples: a copy, as it is between steps, in the memory of an old one if one is moved here.
  /// Files of them: checkpoints.hpp.
  training_state<number> state(training_state<number> room = {}) const { return back_end_.state(std::move(room)); }
  /// Goes on from a state of this session or of another one: see training_state.hpp. Throws, and changes nothing, if it is of another
  /// network, optimiser or seed.
  void go_on(const training_state<number>& from) {
    throw_if(impl::verify_model(from.learned, impl::layout_of<P>));
    back_end_.go_on(from);
  }

 private:
  friend impl::calls_of<session, P>;

  template <class Columns, class... Argument>
  void step_on(const Columns& columns, std::size_t samples, const impl::result_sink& reader, const Argument&... given) {
    try {
      back_end_.step(impl::columns_of<P, compute>(columns, given...), samples, this->results_, reader);
    } catch (const rejected<loss_fault>& wrong) {
      throw_if(impl::with_name<P>(wrong.found()));
    }
  }

  T timetable_;
  Optimiser optimiser_;
  impl::session_on_threads<Precision> back_end_;
};

/// A session that uses a model: that of a training session in the same precision, or one that was loaded. Behind the
/// options what a session has there.
template <class P, schedule::timetable T, class Shared, class... How>
[[nodiscard]] auto inference(const P& pipeline, const T& timetable, Shared learned, const options& o = {}, How... how) {
  throw_if(impl::verify_inference(timetable.run_for));
  return session<P, T, impl::no_optimiser, impl::back_end_of<How...>, impl::precision_of<How...>>(pipeline, timetable, {}, o,
                                                                                 std::move(learned), std::move(how)...);
}

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
namespace ipuflow::train::impl {
extern template optimiser_code<float> optimiser_code_of<float>(const no_optimiser&);
extern template shared<model<float>> model_from<float>(shared<model<float>>, const network_layout&, initialiser_lists<float>,
                                                      std::uint64_t);
extern template shared<model<float>> model_from<half>(shared<model<float>>, const network_layout&, initialiser_lists<float>,
                                                     std::uint64_t);
extern template shared<model<double>> model_from<double>(shared<model<double>>, const network_layout&, initialiser_lists<double>,
                                                        std::uint64_t);
}
#endif
