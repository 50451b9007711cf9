// SPDX-License-Identifier: BSL-1.0
// The check of a stream's parts against each other, from the source to the sink: the first one that does not fit.
#pragma once

#include <ipuflow/run/streams/stage.hpp>
#include <ipuflow/run/streams/stage_fault.hpp>
#include <ipuflow/run/threads/stream_fault.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::run {

struct thread_options;

namespace impl {

/// The items of a source: a function's, or the elements of a range.
template <class Source>
struct items_of {
  using type = std::remove_cvref_t<decltype(*std::declval<Source&>()())>;
};
template <class Source>
  requires(!gives_items<Source>)
struct items_of<Source> {
  using type = walked_element<Source>;
};
template <class Source>
using item_from = typename items_of<Source>::type;

template <class Op>
inline constexpr stream_stage_wrong misfit_kind = stream_stage_wrong::cannot_take;
template <class F>
inline constexpr stream_stage_wrong misfit_kind<filter_t<F>> = stream_stage_wrong::filter;
template <class F>
inline constexpr stream_stage_wrong misfit_kind<filter_map_t<F>> = stream_stage_wrong::filter_map;
template <class F>
inline constexpr stream_stage_wrong misfit_kind<flat_map_t<F>> = stream_stage_wrong::flat_map;
template <class Out, class F, class AtEnd>
inline constexpr stream_stage_wrong misfit_kind<expand_t<Out, F, AtEnd>> = stream_stage_wrong::expand;

template <class Op, class In>
constexpr stream_stage_wrong kind_of_misfit() {
  if constexpr (lends<Op, In>) {
    return stream_stage_wrong::lends;
  } else if constexpr (applies<Op, In>) {
    return stream_stage_wrong::gives_nothing;
  } else {
    return misfit_kind<Op>;
  }
}

/// Stages from number `Index` on, and the sink behind them, given items of type `In`.
template <std::size_t Index, class In, class Sink>
constexpr stream_stage_fault verify_stages() {
  if constexpr (applies<Sink, In>) {
    return {};
  } else {
    return {.kind = stream_stage_wrong::sink, .where = {.stage = type_name<Sink>(), .item = type_name<In>()}};
  }
}
template <std::size_t Index, class In, class Sink, class Stage, class... Next>
constexpr stream_stage_fault verify_stages() {
  using parts = stage_parts<Stage>;
  using work = typename parts::template work<In>;
  if constexpr (work::fits) {
    return verify_stages<Index + 1, typename work::out, Sink, Next...>();
  } else {
    using wrong = typename misfit<work>::type;
    return {.kind = kind_of_misfit<typename wrong::op, typename wrong::item>(),
            .got = Index,
            .where = {.block = fixed_string<60>{parts::name},
                      .stage = type_name<typename wrong::op>(),
                      .item = type_name<typename wrong::item>()}};
  }
}

/// The stages in front of the sink, which is the last of `All`.
template <class Item, class... All, std::size_t... Index>
constexpr stream_stage_fault verify_before_sink(std::index_sequence<Index...>) {
  using all = std::tuple<std::remove_reference_t<All>...>;
  return verify_stages<1, Item, std::tuple_element_t<sizeof...(Index), all>, std::tuple_element_t<Index, all>...>();
}

/// A whole stream: its source, and its stages and sink as they are held.
template <class Source, class... All>
constexpr stream_stage_fault verify_stream_of() {
  if constexpr (sizeof...(All) < 2) {
    return {.kind = stream_stage_wrong::no_stage};
  } else if constexpr ((std::is_same_v<std::remove_cvref_t<All>, thread_options> || ...)) {
    return {.kind = stream_stage_wrong::options_behind};
  } else if constexpr (!gives_items<Source> && !gives_elements<Source>) {
    return {.kind = stream_stage_wrong::no_source, .where = {.item = type_name<Source>()}};
  } else {
    return verify_before_sink<item_from<Source>, All...>(std::make_index_sequence<sizeof...(All) - 1>{});
  }
}

}  // namespace impl

}  // namespace ipuflow::run
