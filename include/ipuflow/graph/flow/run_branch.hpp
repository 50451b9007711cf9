// SPDX-License-Identifier: BSL-1.0
// Concurrent branches one at a time, for executors that run them at the same time: each branch looks at what entered
// the stage and gives its part of what leaves it; `join` puts the parts together, in the order of the branches.
#pragma once

#include <ipuflow/graph/flow/run_stage.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace flow {

/// A named value that a branch kept.
template <class Bound>
struct kept;
template <fixed_string Name, class T>
struct kept<bound<Name, T>> {
  T value;

  constexpr bound<Name, T> bind() { return {value}; }
};

/// The values that leave a branch: those that flow, and the named ones that it keeps.
template <class Flow, class Kept>
struct branch_result {
  Flow flow;
  Kept kept;
};

/// The values of an environment beyond its first `Old`.
template <std::size_t Old, class... Bound, std::size_t... I>
constexpr auto kept_since(const environment<Bound...>& env, std::index_sequence<I...>) {
  using all = std::tuple<Bound...>;
  return std::tuple<kept<std::tuple_element_t<Old + I, all>>...>{
      {std::move(static_cast<const std::tuple_element_t<Old + I, all>&>(env).value)}...};
}

template <std::size_t Stage, std::size_t Branch, class P, class Entry>
struct branch_run;
template <std::size_t Stage, std::size_t Branch, class P, class... T, fixed_string... Name, class... N>
struct branch_run<Stage, Branch, P, point<values<T...>, named<Name, N>...>> {
  static constexpr auto from(const P& p, const T&... here, const N&... value) {
    const environment<bound<Name, const N>...> env{bound<Name, const N>{value}...};
    const auto end = []<class... Bound, class... Out>(const environment<Bound...>& with, Out&&... out) {
      auto flow = std::tuple<std::remove_cvref_t<Out>...>{std::forward<Out>(out)...};
      auto names = kept_since<sizeof...(N)>(with, std::make_index_sequence<sizeof...(Bound) - sizeof...(N)>{});
      return branch_result<decltype(flow), decltype(names)>{std::move(flow), std::move(names)};
    };
    return run_branch<P::placement.first_block(Stage, Branch), 0>(p, env, end, here...);
  }

  /// The entry's named values and those of the branches, then what leaves the stage.
  template <class... Result>
  static constexpr auto joined(std::tuple<T..., N...>& in, Result&... result) {
    const auto names =
        std::apply([](auto&... value) { return std::tuple_cat(bind_all(value.kept)...); }, std::tie(result...));
    return [&]<std::size_t... I, class... Kept>(std::index_sequence<I...>, const std::tuple<Kept...>& more) {
      const environment<bound<Name, N>..., Kept...> env{bound<Name, N>{std::get<sizeof...(T) + I>(in)}...,
                                                        std::get<Kept>(more)...};
      return message<typename entry<P, Stage>::exit>::from(env, std::tuple_cat(std::move(result.flow)...));
    }(std::index_sequence_for<N...>{}, names);
  }

 private:
  template <class... Kept>
  static constexpr auto bind_all(std::tuple<Kept...>& all) {
    return std::apply([](auto&... one) { return std::tuple{one.bind()...}; }, all);
  }
};

}  // namespace flow

/// Runs one branch of a concurrent stage on what enters it; `join` takes the results.
template <std::size_t Stage, std::size_t Branch, class P>
[[nodiscard]] constexpr auto call_branch(const P& p, const stage_input<P, Stage>& in) {
  using run = flow::branch_run<Stage, Branch, P, typename flow::entry<P, Stage>::type>;
  return std::apply([&](const auto&... x) { return run::from(p, x...); }, in);
}

template <class P, std::size_t Stage, std::size_t Branch>
using branch_output =
    decltype(call_branch<Stage, Branch>(std::declval<const P&>(), std::declval<const stage_input<P, Stage>&>()));

/// The values that leave a stage once all its branches have run; moves out of its arguments.
template <class P, std::size_t Stage, class... Result>
constexpr stage_output<P, Stage> join(stage_input<P, Stage>& in, Result&... result) {
  return flow::branch_run<Stage, 0, P, typename flow::entry<P, Stage>::type>::joined(in, result...);
}

}  // namespace ipuflow
