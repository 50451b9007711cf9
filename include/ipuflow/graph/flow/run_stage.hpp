// SPDX-License-Identifier: BSL-1.0
// Runs the ops of one stage. Its arguments are the inputs of the stage, its result is the outputs, both in the same
// form: the values that flow, then the named values that are carried. Executors call it for each micro-batch; it is
// constexpr. Inside, each op is called with the rest of the stage as its continuation, so that its result is not moved
// before the next op sees it.
#pragma once

#include <ipuflow/graph/flow/walk.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace flow {

/// A named value on its way; an environment is all of them.
template <fixed_string Name, class T>
struct bound {
  T& value;
};
template <class... Bound>
struct environment : Bound... {};

template <fixed_string Name, class T>
constexpr T& value_of(const bound<Name, T>& here) {
  return here.value;
}

/// The values that enter a stage of pipeline `P`, and those that leave it.
template <class P, std::size_t Stage>
struct entry {
  using type = typename entry<P, Stage - 1>::exit;
  using exit = typename element_of<Stage, typename P::ends>::type;
};
template <class P>
struct entry<P, 0> {
  using type = typename P::start;
  using exit = typename element_of<0, typename P::ends>::type;
};

/// The form in which a point travels from stage to stage.
template <class Point>
struct message;
template <class... T, fixed_string... Name, class... N>
struct message<point<values<T...>, named<Name, N>...>> {
  using type = std::tuple<T..., N...>;

  template <class... X>
  static constexpr bool takes = [] {
    if constexpr (sizeof...(X) == sizeof...(T) + sizeof...(N)) return std::is_constructible_v<type, X...>;
    return false;
  }();

  template <class Env, class Finished, class... Here>
  static constexpr type from(const Env& env, Finished&& finished, Here&&... here) {
    if constexpr (std::is_same_v<std::decay_t<Finished>, std::tuple<>>) {
      return type{std::forward<Here>(here)..., std::move(flow::value_of<Name>(env))...};
    } else {
      return std::tuple_cat(std::forward<Finished>(finished),
                            std::tuple<std::remove_cvref_t<Here>..., N...>{std::forward<Here>(here)...,
                                                                           std::move(flow::value_of<Name>(env))...});
    }
  }
};

/// Ops are checked with values, so what an op only refers to is copied for the next one.
template <class T>
constexpr decltype(auto) as_value(T&& result) {
  if constexpr (std::is_lvalue_reference_v<T>) {
    return std::remove_cvref_t<T>(result);
  } else {
    return static_cast<T&&>(result);
  }
}

template <class Result, class Next>
constexpr decltype(auto) hand_on(Result&& result, Next&& next) {
  if constexpr (std::is_same_v<spread_t<Result>, values<std::remove_cvref_t<Result>>>) {
    return next(flow::as_value<Result>(static_cast<Result&&>(result)));
  } else {
    const auto each = [&]<class... T>(T&&... one) -> decltype(auto) {
      return next(flow::as_value<T>(static_cast<T&&>(one))...);
    };
    return std::apply(each, std::forward<Result>(result));
  }
}

template <class Op, class Next, class... T>
constexpr decltype(auto) call_then(const Op& op, Next&& next, T&&... in) {
  if constexpr (std::is_void_v<decltype(ipuflow::call(op, std::forward<T>(in)...))>) {
    ipuflow::call(op, std::forward<T>(in)...);
    return next();
  } else {
    return flow::hand_on(ipuflow::call(op, std::forward<T>(in)...), next);
  }
}

/// `next(environment, values...)` with what an op makes of `here`.
template <class Op, class Env, class Next, class... T>
constexpr decltype(auto) apply_op(const Op& op, const Env& env, Next&& next, T&&... here) {
  const auto on = [&](auto&&... out) -> decltype(auto) { return next(env, std::forward<decltype(out)>(out)...); };
  return flow::call_then(op, on, std::forward<T>(here)...);
}
template <class Op, fixed_string... Name, class Env, class Next, class... T>
constexpr decltype(auto) apply_op(const use_t<Op, Name...>& use, const Env& env, Next&& next, T&&... here) {
  const auto on = [&](auto&&... out) -> decltype(auto) { return next(env, std::forward<decltype(out)>(out)...); };
  return flow::call_then(use.op, on, std::forward<T>(here)..., std::as_const(flow::value_of<Name>(env))...);
}

template <class Bound, fixed_string... Name>
inline constexpr bool binds = false;
template <fixed_string Known, class T, fixed_string... Name>
inline constexpr bool binds<bound<Known, T>, Name...> = ((Known == Name) || ...);

/// The values of an environment that have other names than these, which are about to be kept again.
template <fixed_string... Name, class... Bound>
constexpr auto bound_to_others(const environment<Bound...>& env) {
  [[maybe_unused]] const auto unless = []<class B>(const B& one) {
    if constexpr (binds<B, Name...>) {
      return std::tuple<>{};
    } else {
      return std::tuple<B>{one};
    }
  };
  return std::tuple_cat(unless(static_cast<const Bound&>(env))...);
}

template <fixed_string... Name, class... Bound, class Next, class... T>
constexpr decltype(auto) apply_op(const keep_t<Name...>&, const environment<Bound...>& env, Next&& next, T&&... here) {
  const auto others = flow::bound_to_others<Name...>(env);
  std::tuple<std::remove_cvref_t<T>...> kept{std::as_const(here)...};
  return [&]<class... Other, std::size_t... I>(const std::tuple<Other...>&, std::index_sequence<I...>) -> decltype(auto) {
    const environment<Other..., bound<Name, std::remove_cvref_t<T>>...> with{
        std::get<Other>(others)..., bound<Name, std::remove_cvref_t<T>>{std::get<I>(kept)}...};
    return next(with, std::forward<T>(here)...);
  }(others, std::index_sequence_for<T...>{});
}

template <fixed_string... Name, class Env, class Next, class... T>
constexpr decltype(auto) apply_op(const set_aside_t<Name...>&, const Env& env, Next&& next, T&&... here) {
  const auto without_them = [&](const auto& with, auto&&...) -> decltype(auto) { return next(with); };
  return flow::apply_op(keep<Name...>, env, without_them, std::forward<T>(here)...);
}

/// Ops of block `Block` from `Op` on, then the blocks after it up to the end of the branch, then `end(environment,
/// values...)`.
template <std::size_t Block, std::size_t Op, class P, class Env, class End, class... T>
constexpr auto run_branch(const P& p, const Env& env, const End& end, T&&... here) {
  const auto& block = hana::at_c<Block>(p.blocks);
  if constexpr (Op < std::remove_cvref_t<decltype(block)>::op_count) {
    const auto next = [&](const auto& with, auto&&... out) {
      return flow::run_branch<Block, Op + 1>(p, with, end, std::forward<decltype(out)>(out)...);
    };
    return flow::apply_op(hana::at_c<Op>(block.ops), env, next, std::forward<T>(here)...);
  } else if constexpr (P::placement.ends_branch(Block)) {
    return end(env, std::forward<T>(here)...);
  } else {
    return flow::run_branch<Block + 1, 0>(p, env, end, std::forward<T>(here)...);
  }
}

/// The branches of a stage from `Branch` on, one after the other. `entered` are the values that every branch starts
/// from, `finished` those that came out of the branches before this one.
template <std::size_t Stage, std::size_t Branch, class P, class Env, class Entered, class Finished, class... T>
constexpr auto run_branches(const P& p, const Env& env, const Entered& entered, Finished&& finished, T&&... here) {
  const auto end = [&](const auto& with, auto&&... out) {
    if constexpr (Branch + 1 == P::placement.branches(Stage)) {
      return message<typename entry<P, Stage>::exit>::from(with, std::forward<Finished>(finished),
                                                           std::forward<decltype(out)>(out)...);
    } else {
      auto more =
          std::tuple_cat(std::forward<Finished>(finished),
                         std::tuple<std::remove_cvref_t<decltype(out)>...>{std::forward<decltype(out)>(out)...});
      const auto again = [&](const auto&... in) {
        return flow::run_branches<Stage, Branch + 1>(p, with, entered, std::move(more), in...);
      };
      return std::apply(again, entered);
    }
  };
  return run_branch<P::placement.first_block(Stage, Branch), 0>(p, env, end, std::forward<T>(here)...);
}

template <std::size_t Stage, class P, class Entry>
struct stage_run;
template <std::size_t Stage, class P, class... T, fixed_string... Name, class... N>
struct stage_run<Stage, P, point<values<T...>, named<Name, N>...>> {
  static constexpr auto from(const P& p, T&&... here, N&&... value) {
    const environment<bound<Name, N>...> env{bound<Name, N>{value}...};
    const std::tuple<const T&...> entered{here...};
    if constexpr (P::placement.branches(Stage) > 1) {
      return flow::run_branches<Stage, 0>(p, env, entered, std::tuple<>{}, std::as_const(here)...);
    } else {
      return flow::run_branches<Stage, 0>(p, env, entered, std::tuple<>{}, std::move(here)...);
    }
  }
};

}  // namespace flow

/// The input and the output of a stage, each a std::tuple: the values that flow, then the named values carried along.
template <class P, std::size_t Stage>
using stage_input = typename flow::message<typename flow::entry<std::remove_cvref_t<P>, Stage>::type>::type;
template <class P, std::size_t Stage>
using stage_output = typename flow::message<typename flow::entry<std::remove_cvref_t<P>, Stage>::exit>::type;

/// Runs one stage on what enters it; returns a `stage_output`.
template <std::size_t Stage, class P, class... X>
  requires(flow::message<typename flow::entry<P, Stage>::type>::template takes<X...>)
[[nodiscard]] constexpr stage_output<P, Stage> call_stage(const P& p, X&&... x) {
  return flow::stage_run<Stage, P, typename flow::entry<P, Stage>::type>::from(p, flow::as_value<X>(static_cast<X&&>(x))...);
}

}  // namespace ipuflow
