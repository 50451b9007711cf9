// SPDX-License-Identifier: BSL-1.0
// A stream of items through callables on the cores of this machine: a source, stages, a sink. Beneath is a pipeline with a
// stage for each IPU and the timetable of inference, so what holds for `on_threads` holds here: values move and are
// never copied, order is kept, nothing is lost at the end.
#pragma once

#include <ipuflow/graph/describe.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/run/streams/ends.hpp>
#include <ipuflow/run/streams/item_failed.hpp>
#include <ipuflow/run/streams/lines.hpp>
#include <ipuflow/run/streams/verify_stages.hpp>
#include <ipuflow/schedule/generators/inference.hpp>

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::run {

namespace impl {

/// The function that a stream calls for its items.
template <class Source>
decltype(auto) reader_of(Source& source) {
  if constexpr (gives_items<Source>) {
    return (source);
  } else {
    return run::source_of(source);
  }
}

/// A stage as a stream holds it: one that can change is where its owner has it, any other is copied or moved in.
template <class Stage>
using held_stage = std::conditional_t<std::is_lvalue_reference_v<Stage> && !std::is_const_v<std::remove_reference_t<Stage>> &&
                                          !std::is_function_v<std::remove_reference_t<Stage>>,
                                      Stage, std::decay_t<Stage>>;

/// From the type of the tokens that enter to the ops that carry them through the stages.
template <class Token, class... Stage>
struct token_line {
  static constexpr bool ends = false;
  template <class... Op>
  using ops = std::tuple<Op...>;
};
template <class Token, class Stage, class... Next>
struct token_line<Token, Stage, Next...> {
  using first = token_op<Token, typename stage_parts<Stage>::template work<typename Token::item>>;
  using rest = token_line<typename first::given, Next...>;
  static constexpr bool ends = first::work_type::ends || rest::ends;
  template <class... Op>
  using ops = typename rest::template ops<Op..., first>;
};

/// "stage 3" for the graph, whose blocks all have names.
template <std::size_t Number, class Stage>
constexpr fixed_string<60> stage_name() {
  fixed_string<60> name{stage_parts<Stage>::name};
  if (!name.empty()) return name;
  name += "stage ";
  name += Number;
  return name;
}
template <std::size_t Number, class Stage>
constexpr auto name_as_written = fixed_string<stage_name<Number, Stage>().size()>{stage_name<Number, Stage>().view()};

template <class Token, bool TellsEnd, class Source, class Sink, class... Stage, class... Op, std::size_t... Index>
stream_outcome run_line(Source& source, Sink& sink, const thread_options& options, std::tuple<Op...>*,
                        std::index_sequence<Index...>, Stage&... stages) {
  std::tuple<typename Op::work_type...> works{stage_parts<Stage>::template begin<typename Op::item>(stages)...};
  const auto stages_on_ipus = [&] {
    if constexpr (sizeof...(Stage) == 1) {
      return ipuflow::single_stage(input<Token>,
                                   ipuflow::block<name_as_written<Index + 1, Stage>>(Op{&std::get<Index>(works)})...);
    } else {
      return ipuflow::pipeline(input<Token>,
                               ipuflow::block<name_as_written<Index + 1, Stage>>(Op{&std::get<Index>(works)})
                                   .template ipu<Index>()...);
    }
  }();
  token_source<Token, TellsEnd, Source> from{source, options.stop};
  token_sink<Sink> to{sink};
  thread_options below = options;
  below.stop = {};  // the source is closed behind its last token, which may have to tell of the end
  const schedule::setup lined_up{.ipus = sizeof...(Stage), .micro_batches = schedule::most_micro_batches, .run_for = mode::inference};
  std::size_t before = 0;  // items of earlier timetables
  try {
    for (; !from.ended() && !options.stop_now.stop_requested(); before = from.taken()) {
      run::on_threads(stages_on_ipus, schedule::inference(lined_up), from, to, below);
    }
  } catch (const stage_failed& failed) {
    const std::size_t item = before + failed.micro_batch();
    const bool at_end = from.ended() && item == from.taken();
    if (from.threw()) throw item_failed{"the source", "source", item, at_end, failed.cause()};
    if (to.threw()) throw item_failed{"the sink", "sink", item, at_end, failed.cause()};
    static constexpr bool is_named[] = {!stage_parts<Stage>::name.empty()...};
    static constexpr fixed_string<60> names[] = {stage_name<Index + 1, Stage>()...};
    const std::string_view name = names[failed.stage()];
    throw item_failed{filled(is_named[failed.stage()] ? "block '{name}'" : "{name}", {{"name", name}}), name, item, at_end, failed.cause()};
  }
  return {from.taken(), to.given()};
}

/// The last of `all` is the sink.
template <class Source, class... Stage, std::size_t... Index>
stream_outcome run_stages(const thread_options& options, Source& source, std::tuple<Stage...>& all, std::index_sequence<Index...>) {
  auto&& reader = impl::reader_of(source);
  auto& sink = std::get<sizeof...(Index)>(all);
  constexpr bool ends = token_line<one<item_from<Source>>, std::remove_reference_t<std::tuple_element_t<Index, std::tuple<Stage...>>>...>::ends;
  using token = std::conditional_t<ends, some<item_from<Source>>, one<item_from<Source>>>;
  using ops = typename token_line<token, std::remove_reference_t<std::tuple_element_t<Index, std::tuple<Stage...>>>...>::template ops<>;
  return impl::run_line<token, ends>(reader, sink, options, static_cast<ops*>(nullptr), std::index_sequence<Index...>{},
                                     std::get<Index>(all)...);
}

}  // namespace impl

/// Reads `source` to its end, passes each item through the stages and gives the sink what comes out, in order. The source is
/// a range, or a function that gives a std::optional (a pointer, an infeed). A stage is a callable, `filter`, `flat_map` and the
/// others of streams/stages.hpp, or a `block<"parse">(...)` of them, which has a name; neighbouring stages may run at the same
/// time on `threads`. What throws is named in an `item_failed`.
template <class Source, class... Rest>
stream_outcome stream(const thread_options& options, Source&& source, Rest&&... stages_and_sink) {
  constexpr stream_stage_fault found = impl::verify_stream_of<std::remove_reference_t<Source>, impl::held_stage<Rest>...>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (!found) {
    std::tuple<impl::held_stage<Rest>...> all{std::forward<Rest>(stages_and_sink)...};
    return impl::run_stages(options, source, all, std::make_index_sequence<sizeof...(Rest) - 1>{});
  }
}
template <class Source, class... Rest>
  requires(!std::is_same_v<std::remove_cvref_t<Source>, thread_options>)
stream_outcome stream(Source&& source, Rest&&... stages_and_sink) {
  constexpr stream_stage_fault found = impl::verify_stream_of<std::remove_reference_t<Source>, impl::held_stage<Rest>...>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (!found) {
    return run::stream(thread_options{}, std::forward<Source>(source), std::forward<Rest>(stages_and_sink)...);
  }
}

template <class Item, class... Rest>
stream_outcome stream(const thread_options& options, std::initializer_list<Item> items, Rest&&... stages_and_sink) {
  return run::stream(options, run::source_of(items), std::forward<Rest>(stages_and_sink)...);
}
template <class Item, class... Rest>
stream_outcome stream(std::initializer_list<Item> items, Rest&&... stages_and_sink) {
  return run::stream(thread_options{}, items, std::forward<Rest>(stages_and_sink)...);
}

namespace impl {

template <class Source>
constexpr void refuse_options_behind() {
  constexpr stream_stage_fault behind{.kind = std::is_void_v<Source> ? stream_stage_wrong::nothing : stream_stage_wrong::options_behind};
  [[maybe_unused]] auto none = true ? problem_of<behind>() : nothing_wrong{};
}

}  // namespace impl

// Options in braces behind few stages, which no pack can be deduced from.
template <class Source, class Stage, class Sink>
auto stream(Source&&, Stage&&, Sink&&, const thread_options&) {
  impl::refuse_options_behind<Source>();
}
template <class Source, class First, class Second, class Sink>
auto stream(Source&&, First&&, Second&&, Sink&&, const thread_options&) {
  impl::refuse_options_behind<Source>();
}
template <class Source, class First, class Second, class Third, class Sink>
auto stream(Source&&, First&&, Second&&, Third&&, Sink&&, const thread_options&) {
  impl::refuse_options_behind<Source>();
}

}  // namespace ipuflow::run
