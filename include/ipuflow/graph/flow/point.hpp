// SPDX-License-Identifier: BSL-1.0
// The type-level result of each op: `point >> op_at<...>` is the point behind the op. A point is the values that flow
// and the named values that are visible. If a type does not fit, the result is `stuck<fault>`, and stays so.
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/graph/graph_fault.hpp>
#include <ipuflow/graph/input.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace ipuflow::flow {

template <class Flow, class... Named>
struct point {};

template <graph_fault Found>
struct stuck {};

/// The start of a pipeline some of whose named values are arguments of a run: those of `per_run`.
template <class Point, fixed_string... Name>
struct given_arguments {};

template <class Start>
struct start_of {
  using point = Start;
  using arguments = given_arguments<Start>;
};
template <class Point, fixed_string... Name>
struct start_of<given_arguments<Point, Name...>> {
  using point = Point;
  using arguments = given_arguments<Point, Name...>;
};

/// The place of an op; `index` counts the ops of its block.
struct op_site {
  std::size_t stage = 0;
  std::size_t branch = 0;
  fixed_string<60> block{};
  std::size_t index = 0;
};

/// The step through one op.
template <op_site At, class Op>
struct op_at {};

/// The type of a named value among those visible; void if there is none.
template <fixed_string Name, class... Named>
struct type_of_value {
  using type = void;
};
template <fixed_string Name, class T, class... Rest>
struct type_of_value<Name, named<Name, T>, Rest...> {
  using type = T;
};
template <fixed_string Name, class First, class... Rest>
struct type_of_value<Name, First, Rest...> : type_of_value<Name, Rest...> {};

template <fixed_string Name, class... Named>
using value_type_t = typename type_of_value<Name, Named...>::type;

template <fixed_string Name, class... Named>
inline constexpr bool is_visible = !std::is_void_v<value_type_t<Name, Named...>>;

template <graph_fault Found, class Anything>
constexpr stuck<Found> operator>>(stuck<Found>, Anything) {
  return {};
}

/// The fault of a value's name: as for blocks, there has to be one, and short enough for sentences.
constexpr graph_fault verify_value_name(std::string_view name) {
  return impl::verify_length(name, graph_wrong::unnamed_value, graph_wrong::long_value_name);
}
template <fixed_string... Name>
inline constexpr graph_fault fault_in_names = [] {
  graph_fault found{};
  ((found = found ? found : verify_value_name(Name.view())), ...);
  return found;
}();

/// Makes a value visible under a name that is free.
template <class Flow, class... N, fixed_string Name, class T>
constexpr auto operator>>(point<Flow, N...>, named<Name, T>) {
  if constexpr (fault_in_names<Name>) {
    return stuck<fault_in_names<Name>>{};
  } else if constexpr (is_visible<Name, N...>) {
    return stuck<graph_fault{.kind = graph_wrong::repeated_value, .where = {.name = fixed_string<60>{Name.view()}}}>{};
  } else {
    return point<Flow, N..., named<Name, T>>{};
  }
}

template <bool Condition, class Named>
struct only_if {};

template <class Flow, class... N, bool Condition, class Named>
constexpr auto operator>>(point<Flow, N...> here, only_if<Condition, Named>) {
  if constexpr (Condition) {
    return here >> Named{};
  } else {
    return here;
  }
}

/// The declarations in front of the stages. Until an input is declared nothing is known to flow: `point<void, ...>`.
template <class... N, class T>
constexpr auto operator>>(point<void, N...>, input_t<T>) {
  return point<spread_t<T>, N...>{};
}
template <class... T, class... N, class... U>
constexpr auto operator>>(point<values<T...>, N...>, point<values<U...>>) {
  return point<values<T..., U...>, N...>{};
}
template <class... T, class... N, class U>
constexpr auto operator>>(point<values<T...>, N...> here, input_t<U>) {
  return here >> point<spread_t<U>>{};
}
template <class Flow, class... N, fixed_string Name, class T>
constexpr auto operator>>(point<Flow, N...> here, per_sample_t<Name, T>) {
  return here >> named<Name, T>{};
}
template <class Flow, class... N, fixed_string Name, class T>
constexpr auto operator>>(point<Flow, N...> here, per_run_t<Name, T>) {
  return here >> named<Name, T>{};
}

/// A tensor of real numbers in place of one of whole numbers; any other type as it is.
template <class Given, class Type = std::remove_cvref_t<Given>>
struct made_real {
  using type = Given;
};
template <class Given, element E, std::size_t... Extent>
  requires(!real_element<E>)
struct made_real<Given, tensor<E, Extent...>> {
  using type = tensor<float, Extent...>;
};

namespace detail {

/// `fork`: nothing stands before the op in its concurrent branch, so it is given what all branches are.
template <class Op, class... T>
constexpr graph_fault refusal(const op_site& at, bool fork) {
  constexpr bool wants_real = op_for<Op, typename made_real<T>::type...>;
  const graph_wrong kind = wants_real ? graph_wrong::wants_real : fork ? graph_wrong::branches_differ : graph_wrong::cannot_take;
  return {kind, kind == graph_wrong::branches_differ ? at.branch : 0, 0,
          {at.stage, at.index, at.block, impl::signature_text<Op>(), impl::names_of(values<T...>{})}};
}

template <fixed_string... Name, class... N>
constexpr fixed_string<60> first_unknown(values<N...>) {
  fixed_string<60> unknown;
  ((unknown += unknown.empty() && !is_visible<Name, N...> ? Name.view() : std::string_view{}), ...);
  return unknown;
}

/// `Extra` are named values. Only what reaches a concurrent branch flows as a reference.
template <class... T, class... N, op_site At, class Op, class... Extra>
constexpr auto after(point<values<T...>, N...>, op_at<At, Op>, values<Extra...>) {
  if constexpr (!op_for<Op, T..., const Extra&...>) {
    return stuck<refusal<Op, T..., const Extra&...>(At, (std::is_reference_v<T> || ...))>{};
  } else if constexpr (!impl::is_given<impl::given_by<Op, T..., const Extra&...>>) {
    constexpr graph_site where{At.stage, At.index, At.block, type_name<Op>(), {}};
    return stuck<graph_fault{.kind = graph_wrong::immovable, .where = where}>{};
  } else {
    return point<result_of<Op, T..., const Extra&...>, N...>{};
  }
}

}  // namespace detail

template <class Flow, class... N, op_site At, class Op>
constexpr auto operator>>(point<Flow, N...> here, op_at<At, Op> step) {
  return detail::after(here, step, values<>{});
}

template <class Flow, class... N, op_site At, class Op, fixed_string... Name>
constexpr auto operator>>(point<Flow, N...> here, op_at<At, use_t<Op, Name...>>) {
  if constexpr (fault_in_names<Name...>) {
    return stuck<fault_in_names<Name...>>{};
  } else if constexpr ((is_visible<Name, N...> && ...)) {
    return detail::after(here, op_at<At, Op>{}, values<value_type_t<Name, N...>...>{});
  } else {
    constexpr auto unknown = detail::first_unknown<Name...>(values<N...>{});
    constexpr graph_site where{At.stage, At.index, unknown, {}, type_text{At.block.view()}};
    return stuck<graph_fault{.kind = graph_wrong::unknown_value, .where = where}>{};
  }
}

template <class... T, class... N, op_site At, fixed_string... Name>
constexpr auto operator>>(point<values<T...>, N...> here, op_at<At, keep_t<Name...>>) {
  constexpr graph_site where{At.stage, At.index, At.block, {}, impl::names_of(values<std::remove_cvref_t<T>...>{})};
  if constexpr (sizeof...(Name) != sizeof...(T)) {
    return stuck<graph_fault{graph_wrong::kept_count, sizeof...(Name), sizeof...(T), where}>{};
  } else if constexpr (!(std::is_copy_constructible_v<std::remove_cvref_t<T>> && ...)) {
    return stuck<graph_fault{.kind = graph_wrong::kept_move_only, .where = where}>{};
  } else {
    return (here >> ... >> named<Name, std::remove_cvref_t<T>>{});
  }
}

/// The point at which nothing flows.
template <class Flow, class... N>
constexpr point<values<>, N...> without_flow(point<Flow, N...>) {
  return {};
}
template <graph_fault Found>
constexpr stuck<Found> without_flow(stuck<Found> here) {
  return here;
}

template <class... T, class... N, op_site At, fixed_string... Name>
constexpr auto operator>>(point<values<T...>, N...> here, op_at<At, set_aside_t<Name...>>) {
  return flow::without_flow(here >> op_at<At, keep_t<Name...>>{});
}

}  // namespace ipuflow::flow
