// SPDX-License-Identifier: BSL-1.0
// The contract between a run on threads and its pipeline, timetable, source and sink, so that something else is refused
// with a sentence where it is handed over and not with the compiler's words from deep inside.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/graph/flow/run_branch.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::run {

enum class stream_wrong : unsigned char { nothing, pipeline, timetable, source, elements, item, sink };

/// `where` is the name of the type that was handed over.
using stream_fault = fault<stream_wrong, type_text>;

constexpr const char* wording(stream_wrong wrong) {
  switch (wrong) {
    case stream_wrong::nothing:
      return "";
    case stream_wrong::pipeline:
      return "ipuflow: {where} is no pipeline that can be run; make one of it with pipeline() or single_stage()";
    case stream_wrong::timetable:
      return "ipuflow: a run follows a timetable, which {where} is not; make one, as schedule::inference(pipeline, micro_batches<8>) does";
    case stream_wrong::source:
      return "ipuflow: {where} is no source; give a function without arguments that returns a std::optional, or source_of(range)";
    case stream_wrong::elements:
      return "ipuflow: a source copies the elements of {where}, which cannot be copied; give a function that moves them out";
    case stream_wrong::item:
      return "ipuflow: a source gives {where}, which is no input of the pipeline; give its type, or a std::tuple of all inputs and values per sample";
    case stream_wrong::sink:
      return "ipuflow: {where} is no sink of this pipeline; give a function whose parameters are what leaves the last stage";
  }
  return "";
}

constexpr message_text sentence(const stream_fault& f) {
  return filled(wording(f.kind), {{"where", f.where}});
}

namespace impl {

template <class P>
concept runnable_pipeline = requires { P::placement, P::stage_count; };

/// An optional, or a pointer: whether there is an item, and the item.
template <class Source>
concept gives_items = requires(Source& source) {
  static_cast<bool>(source());
  *source();
};

/// A range or an array, and the type of its elements as values: not what stands for one, as in a vector of bool.
template <class Range>
concept walked = requires(Range& r) { std::begin(r) != std::end(r); };
template <walked Range>
using walked_element = std::iter_value_t<decltype(std::begin(std::declval<Range&>()))>;
/// A queue gives its items away, any other range copies of its elements.
template <class Range>
concept gives_elements = walked<Range> && (std::is_constructible_v<walked_element<Range>, decltype(*std::begin(std::declval<Range&>()))> ||
                                           requires(Range& r) { { r.pop() } -> std::same_as<std::optional<walked_element<Range>>>; });

template <class Item, class Input>
constexpr bool enters = std::is_constructible_v<Input, Item>;
template <class Item, class... Value>
constexpr bool enters<Item, std::tuple<Value...>> =
    std::is_constructible_v<std::tuple<Value...>, Item> || requires(Item item) { std::tuple<Value...>{std::forward<Item>(item)}; };

template <class Sink, class Output>
constexpr bool accepts = false;
template <class Sink, class... Value>
constexpr bool accepts<Sink, std::tuple<Value...>> = std::is_invocable_v<Sink&, Value...>;

/// The fault of a source that does not give items of these values.
template <class P, class Source, class Values>
constexpr stream_fault verify_source() {
  if constexpr (!impl::gives_items<Source>) {
    return {.kind = stream_wrong::source, .where = type_name<Source>()};
  } else if constexpr (!impl::enters<decltype(*std::declval<Source&>()()), Values>) {
    return {.kind = stream_wrong::item, .where = type_name<std::remove_cvref_t<decltype(*std::declval<Source&>()())>>()};
  } else {
    return {};
  }
}

}  // namespace impl

/// The first argument of a run that is not what it has to be.
template <class P, class Timetable, class Source, class Sink>
constexpr stream_fault verify_stream() {
  if constexpr (!impl::runnable_pipeline<P>) {
    return {.kind = stream_wrong::pipeline, .where = type_name<P>()};
  } else if constexpr (!schedule::timetable<Timetable>) {
    return {.kind = stream_wrong::timetable, .where = type_name<Timetable>()};
  } else if constexpr (constexpr stream_fault found = impl::verify_source<P, Source, stage_input<P, 0>>(); found.kind != stream_wrong::nothing) {
    return found;
  } else if constexpr (!impl::accepts<Sink, stage_output<P, P::stage_count - 1>>) {
    return {.kind = stream_wrong::sink, .where = type_name<Sink>()};
  } else {
    return {};
  }
}

}  // namespace ipuflow::run
