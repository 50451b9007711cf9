// SPDX-License-Identifier: BSL-1.0
// Results of a session: after a step a column for each value that leaves the pipeline; or, while it runs, the values of one
// micro-batch after the other, for a thread that reads along.
#pragma once

#include <ipuflow/feed/device/sink_run.hpp>
#include <ipuflow/graph/flow/run_stage.hpp>
#include <ipuflow/nn/stage/slot_types.hpp>
#include <ipuflow/run/feeds_fault.hpp>
#include <ipuflow/train/step_data.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::train {

/// Every step that a source gives.
inline constexpr std::size_t all_steps = static_cast<std::size_t>(-1);

namespace impl {

/// The values that leave a pipeline; none of what is no pipeline, since sessions refuse that in words of their own.
template <class P>
struct values_that_leave {
  using type = std::tuple<>;
};
template <class P>
  requires requires { P::stage_count; }
struct values_that_leave<P> {
  using type = stage_output<P, P::stage_count - 1>;
};
template <class P>
using leaving = typename values_that_leave<P>::type;

/// One column for each value that leaves the pipeline: `auto& [predictions, loss] = session(step)`.
template <class P>
using results_of = std::array<result_column, std::tuple_size_v<leaving<P>>>;

template <class... Type>
auto micro_batch_values(const std::tuple<Type...>&) -> std::tuple<std::conditional_t<is_loss<Type>, float, std::vector<float>>...>;
template <class Type>
auto micro_batch_values(const std::tuple<Type>&) -> std::conditional_t<is_loss<Type>, float, std::vector<float>>;

/// The results that leave the pipeline with one micro-batch: of a loss its mean, of anything else the numbers of its samples; a
/// std::tuple of several.
template <class P>
using micro_batch_result = decltype(micro_batch_values(std::declval<const leaving<P>&>()));

/// Gives a sink each row of the results of a step, as values.
template <class P, class Out>
struct row_reader {
  const results_of<P>& columns;
  Out& out;

  static void put(void* self, std::size_t row, std::size_t samples) {
    const row_reader& me = *static_cast<const row_reader*>(self);
    [&]<std::size_t... I>(std::index_sequence<I...>) { me.out(me.template value<I>(row, samples)...); }(
        std::make_index_sequence<std::tuple_size_v<results_of<P>>>{});
  }

  template <std::size_t I>
  auto value(std::size_t row, std::size_t samples) const {
    using type = std::tuple_element_t<I, leaving<P>>;
    const float* const first = columns[I].values.data() + row * columns[I].width;
    if constexpr (is_loss<type>) {
      return *first;
    } else {
      return std::vector<float>(first, first + samples * nn::computed<type, float>::view::elements);
    }
  }
};

/// The fault of a session that cannot be run on what `In` gives, with its results to `Out`.
template <class P, class In, class Out>
constexpr run::feeds_fault verify_ends() {
  constexpr bool is_source = requires(In& in) { *in(); };
  constexpr bool is_range = requires(In& in) { *in.begin(); };
  if constexpr (!is_source && !is_range) {
    return {.kind = run::feeds_wrong::steps, .where = type_name<In>()};
  } else if constexpr (![]<std::size_t... I>(std::index_sequence<I...>) {
                         using reader = row_reader<P, Out>;
                         return std::is_invocable_v<Out&, decltype(std::declval<const reader&>().template value<I>(0, 0))...>;
                       }(std::make_index_sequence<std::tuple_size_v<results_of<P>>>{})) {
    return {.kind = run::feeds_wrong::sink, .where = type_name<Out>()};
  } else {
    return {};
  }
}

/// Runs `step` on what a source or a range gives.
template <class In, class Step>
bool each_step(In& in, std::size_t most, std::size_t& done, Step step) {
  if constexpr (requires { *in(); }) {
    while (done < most) {
      auto batch = in();
      if (!batch) return true;
      step(*batch);
      ++done;
    }
    return false;
  } else {
    if (done == most) return false;  // or a loader would begin a pass of which nothing is run
    auto at = in.begin();
    const auto end = in.end();
    while (done < most) {
      if (!(at != end)) return true;
      step(*at);
      if (++done < most) ++at;  // no step is taken that is not run
    }
    return false;
  }
}

template <class P, class In, class Out, class Step>
std::size_t run_steps(In& in, Out& out, const results_of<P>& columns, std::size_t most, Step step) {
  constexpr run::feeds_fault found = verify_ends<P, std::remove_cvref_t<In>, std::remove_cvref_t<Out>>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (found) {
    return 0;
  } else {
    std::size_t done = 0;
    feed::source_run<In> steps{in};
    feed::sink_run<Out> run{out};
    row_reader<P, Out> reader{columns, out};
    const bool ended = each_step(in, most, done, [&](const auto& batch) { step(batch, result_sink{&reader, &row_reader<P, Out>::put}); });
    steps.finish();
    run.finish(ended);
    return done;
  }
}

}  // namespace impl

}  // namespace ipuflow::train
