// SPDX-License-Identifier: BSL-1.0
// The two ends of a run, made from the types of its pipeline: `auto [in, out] = run::feeds(pipeline, source, options)`. The
// infeed is a source and the outfeed a sink, so `on_threads(pipeline, timetable, in, out)` takes them, and other threads
// enqueue items and read results while it runs.
#pragma once

#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/device/outfeed.hpp>
#include <ipuflow/graph/arguments.hpp>
#include <ipuflow/run/feeds_fault.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::run {

/// Options of the ends of a run.
struct feed_options {
  std::size_t prefetch_depth = 3;  ///< items that wait for the pipeline
  feed::outputs outputs{};         ///< the results that come back
  feed::batch_sizes sizes{.run_for = mode::inference};  ///< of a step, for outputs that are not all
  std::size_t buffer_depth = 3;    ///< results that wait for a reader who reads along
};

/// An infeed and an outfeed.
template <class In, class Out>
struct feed_ends {
  In in;
  Out out;
};

namespace impl {

template <class Values>
struct one_value {
  using type = Values;
};
template <class Value>
struct one_value<std::tuple<Value>> {
  using type = Value;
};

}  // namespace impl

/// The type of items in an infeed of pipeline `P`: its input or, with values per sample, a std::tuple of all.
template <class P>
using fed_item = typename impl::one_value<item_of<P>>::type;
/// The type of items in an outfeed of pipeline `P`: its output, or a std::tuple of several.
template <class P>
using result_item = typename impl::one_value<stage_output<P, P::stage_count - 1>>::type;

namespace impl {

template <class Item, class Wanted>
constexpr feeds_fault verify_item() {
  if constexpr (std::is_constructible_v<Wanted, Item>) {
    return {};
  } else {
    return {.kind = feeds_wrong::item, .where = type_name<std::remove_cvref_t<Item>>()};
  }
}

/// The fault of a range or dataset that an infeed of a pipeline cannot read.
template <class P, class Source>
constexpr feeds_fault verify_data() {
  if constexpr (feed::map_style<Source>) {
    return verify_item<feed::sample_t<Source>, fed_item<P>>();
  } else if constexpr (feed::iterable_style<Source>) {
    return verify_item<std::ranges::range_reference_t<Source>, fed_item<P>>();
  } else {
    return {.kind = feeds_wrong::data, .where = type_name<Source>()};
  }
}

}  // namespace impl

/// Ends whose infeed reads a range or dataset of items, on a thread of its own. What has a name has to outlive the infeed.
template <class P, class Source>
  requires(!std::is_same_v<std::remove_cvref_t<Source>, feed_options>)
[[nodiscard]] auto feeds(const P&, Source&& source, const feed_options& o = {}) {
  constexpr feeds_fault found = impl::verify_data<P, std::remove_cvref_t<Source>>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  using in = feed::infeed<fed_item<P>>;
  using out = feed::outfeed<result_item<P>>;
  if constexpr (!found) {
    return feed_ends<in, out>{in{std::forward<Source>(source), {.prefetch_depth = o.prefetch_depth, .one_shape = false}},
                              out{{o.outputs, o.sizes, o.buffer_depth}}};
  } else {
    return feed_ends<in, out>{in{feed::infeed_options{}}, out{}};
  }
}

/// Ends whose infeed a thread of yours fills: `in.enqueue(item)`, and at the end `in.close()`.
template <class P>
[[nodiscard]] auto feeds(const P&, const feed_options& o = {}) {
  return feed_ends<feed::infeed<fed_item<P>>, feed::outfeed<result_item<P>>>{
      feed::infeed<fed_item<P>>{feed::infeed_options{.prefetch_depth = o.prefetch_depth, .one_shape = false}},
      feed::outfeed<result_item<P>>{{o.outputs, o.sizes, o.buffer_depth}}};
}

}  // namespace ipuflow::run
