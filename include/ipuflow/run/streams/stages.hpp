// SPDX-License-Identifier: BSL-1.0
// Stages of `run::stream` that do not make one value of one: they drop items, give several for one, or hold some back.
// A callable is a stage as it is. State lives in the callable, or in the run for `batch`; a stage is called by one thread
// at a time.
#pragma once

#include <ipuflow/run/streams/stage_fault.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::run {

namespace impl {

template <class F>
struct filter_t {
  F keeps;
};
template <class F>
struct filter_map_t {
  F what;
};
template <class F>
struct flat_map_t {
  F what;
};
template <class Out, class F, class AtEnd>
struct expand_t {
  F what;
  AtEnd at_end;
};
struct batch_t {
  std::size_t size;
};

}  // namespace impl

/// Drops the items for which `keeps` says false.
template <class F>
[[nodiscard]] constexpr impl::filter_t<std::decay_t<F>> filter(F&& keeps) {
  return {std::forward<F>(keeps)};
}

/// `what` gives a std::optional, or a pointer: its value goes on, and where it is empty nothing does.
template <class F>
[[nodiscard]] constexpr impl::filter_map_t<std::decay_t<F>> filter_map(F&& what) {
  return {std::forward<F>(what)};
}

/// `what` gives a range, whose elements go on one by one.
template <class F>
[[nodiscard]] constexpr impl::flat_map_t<std::decay_t<F>> flat_map(F&& what) {
  return {std::forward<F>(what)};
}

/// `what(item, give)` calls `give(Out)` as often as it likes, and `at_end(give)` does so once behind the last item.
template <class Out, class F, class AtEnd>
[[nodiscard]] constexpr impl::expand_t<Out, std::decay_t<F>, std::decay_t<AtEnd>> expand(F&& what, AtEnd&& at_end) {
  return {std::forward<F>(what), std::forward<AtEnd>(at_end)};
}
template <class Out, class F>
[[nodiscard]] constexpr auto expand(F&& what) {
  return impl::expand_t<Out, std::decay_t<F>, std::nullptr_t>{std::forward<F>(what), nullptr};
}
template <class F, class... AtEnd>
void expand(F&&, AtEnd&&...) = delete;  // ipuflow: the type that a stage makes is not in its call; say it, expand<int>(what)

/// Makes a std::vector of every `size` items; the last one has what is left.
[[nodiscard]] constexpr impl::batch_t batch(std::size_t size) {
  throw_if(stream_stage_fault{.kind = size == 0 ? stream_stage_wrong::empty_batch : stream_stage_wrong::nothing});
  return {size};
}
template <std::size_t Size>
void batch() = delete;  // ipuflow: the size of a batch is an argument; batch(3)

}  // namespace ipuflow::run
