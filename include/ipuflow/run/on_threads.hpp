// SPDX-License-Identifier: BSL-1.0
// Runs a pipeline of any callables on the cores of this machine, in the order of a timetable.
#pragma once

#include <ipuflow/core/stop_signal.hpp>
#include <ipuflow/feed/device/sink_run.hpp>
#include <ipuflow/run/threads/argument_source.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/run/threads/stream_work.hpp>
#include <ipuflow/run/threads/stream_fault.hpp>
#include <ipuflow/run/threads/stream_plan.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

namespace ipuflow::run {

/// Options of a run on threads.
struct thread_options {
  std::size_t threads = 0;     ///< 0: one per core, at most one per IPU
  std::size_t capacity = 64;   ///< values between two stages that share no thread; more where the timetable needs them
  stop_signal stop{};      ///< takes no further input once it is requested; what is under way is finished
  stop_signal stop_now{};  ///< leaves the run once it is requested; what is under way is destroyed
  trace* events = nullptr;     ///< records what each thread did, and when
};

/// The numbers of inputs taken and of results delivered. In `on_threads` they are the same, unless `stop_now` ended the run; stages of a
/// stream may drop items, gather them or make several.
struct stream_outcome {
  std::size_t taken = 0;      ///< items from the source
  std::size_t delivered = 0;  ///< results to the sink
};

/// A range as a source: its elements, one after the other. One that is not asked for is not read, so an item of a queue goes on before
/// the next one comes. A consumer of a queue gives each item once, however many sources are made of it.
template <class Range>
  requires impl::walked<Range>
[[nodiscard]] auto source_of(Range& range) {
  constexpr stream_fault found{impl::gives_elements<Range> ? stream_wrong::nothing : stream_wrong::elements, 0, 0, type_name<Range>()};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  using item = std::optional<impl::walked_element<Range>>;
  if constexpr (requires { { range.pop() } -> std::same_as<item>; }) {
    return [&range] { return range.pop(); };
  } else if constexpr (requires { range.peek().front(); range.release(); }) {
    return [&range] {
      item next;
      if (const auto seen = range.peek(); !seen.empty()) {
        next.emplace(seen.front());
        range.release();
      }
      return next;
    };
  } else if constexpr (!found) {
    return [at = std::begin(range), end = std::end(range), given = false]() mutable {
      if (given) ++at;
      given = at != end;
      item next;
      if (given) next.emplace(*at);
      return next;
    };
  }
}
template <class Range>
void source_of(const Range&&) = delete;  // ipuflow: a source walks over its range; give the range a name that outlives the run

namespace impl {

template <class P, class T, class Source, class Sink>
stream_outcome run_stream(const P& pipeline, const T& timetable, Source& source, Sink& sink, const thread_options& options) {
  constexpr stream_fault found = verify_stream<P, T, Source, Sink>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  feed::source_run<Source> items{source};
  feed::sink_run<Sink> results{sink};
  const stream_plan plan = impl::plan_stream(pipeline, timetable, options.threads, options.events == nullptr);
  stream_work<P, Source, Sink> work{pipeline, source, sink, plan.needed, options.capacity, options.stop, plan.joined.last};
  const bool stopped = impl::execute_plan(plan, timetable, P::placement.ipu[0], work,
                                          {.stop = options.stop_now, .events = options.events, .slack = options.capacity / 2});
  if (!stopped) work.flush();
  items.finish();
  results.finish(work.source_ended());
  return {work.taken(), work.delivered()};
}

}  // namespace impl

/// Runs `pipeline` until the source or the timetable ends. `source()` gives an optional of the input (a std::tuple of inputs
/// and values per sample, if there are several); `sink(...)` is called with every output, in order. Behind the options stand
/// the arguments of the run, `with<"limit">(7)`. A timetable that does not fit the pipeline, or could not be run to its end,
/// is thrown before anything starts.
template <class P, class T, class Source, class Sink, class... Argument>
stream_outcome on_threads(const P& pipeline, const T& timetable, Source&& source, Sink&& sink,
                          const thread_options& options = {}, const Argument&... given) {
  if constexpr (impl::takes_no_arguments<P, Argument...>) {
    return impl::run_stream(pipeline, timetable, source, sink, options);
  } else {
    constexpr argument_fault found = verify_arguments<P, Argument...>();
    [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
    throw_if(ipuflow::verify_numbers_of<P>(given...));
    impl::source_with_arguments<P, std::remove_reference_t<Source>, Argument...> whole{source, given...};
    return impl::run_stream(pipeline, timetable, whole, sink, options);
  }
}
template <class P, class T, class Source, class Sink, fixed_string Name, class Value, class... Argument>
stream_outcome on_threads(const P& pipeline, const T& timetable, Source&& source, Sink&& sink, const argument<Name, Value>& first,
                          const Argument&... given) {
  return run::on_threads(pipeline, timetable, source, sink, thread_options{}, first, given...);
}
template <class P, class T, class Source>
void on_threads(const P&, const T&, Source&&) {  // not deleted: its error would list the long signatures above
  static_assert(sizeof(P) == 0, "ipuflow: a run has a source and a sink; give on_threads both");
}

}  // namespace ipuflow::run
