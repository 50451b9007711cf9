// SPDX-License-Identifier: BSL-1.0
// The actions of a stage's ops on items of a type: what each gives, how many of them, and whether it has something left at
// the end. Ops of one stage follow each other item by item, without anything between them.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/graph/op.hpp>
#include <ipuflow/run/streams/stages.hpp>
#include <ipuflow/run/threads/stream_fault.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::run::impl {

/// Calls what a user gave: a function, or a member of the item. A std::tuple may be taken as its values.
template <class Op, class Item>
constexpr decltype(auto) apply_op(Op& op, Item&& item)
  requires std::is_invocable_v<Op&, Item>
{
  if constexpr (std::is_member_pointer_v<Op>) {
    return ipuflow::call(op, std::forward<Item>(item));
  } else {
    return op(std::forward<Item>(item));
  }
}
template <class Op, class... T>
constexpr auto apply_values(Op& op, std::tuple<T...>&& item) -> std::invoke_result_t<Op&, T...> {
  return std::apply(op, std::move(item));
}
template <class Op, class... T>
constexpr auto apply_values(Op& op, const std::tuple<T...>& item) -> std::invoke_result_t<Op&, const T&...> {
  return std::apply(op, item);
}
/// The item is asked for as it is, and not as the tuple that it may derive from: a batch of samples is taken whole.
template <class Op, class Item>
  requires(!std::is_invocable_v<Op&, Item> &&
           requires(Op& op, Item&& item) { impl::apply_values(op, std::forward<Item>(item)); })
constexpr decltype(auto) apply_op(Op& op, Item&& item) {
  return impl::apply_values(op, std::forward<Item>(item));
}

template <class Op, class Item>
concept applies = requires(Op& op, Item&& item) { impl::apply_op(op, std::forward<Item>(item)); };
template <class Op, class Item>
using applied = decltype(impl::apply_op(std::declval<Op&>(), std::declval<Item>()));

/// A reference into what stays elsewhere, of which no value can be made.
template <class Given>
inline constexpr bool is_lent = std::is_reference_v<Given> && !std::is_constructible_v<std::remove_cvref_t<Given>, Given>;

/// The elements of what was made for this item, or is a part of it, are to be moved; those of a view belong to another.
template <class Made>
inline constexpr bool owns_elements = requires(Made all) { all.push_back(std::declval<walked_element<Made>>()); };
template <class T, std::size_t N>
inline constexpr bool owns_elements<std::array<T, N>> = true;
template <class Made>
inline constexpr bool is_owned = !std::is_lvalue_reference_v<Made> && owns_elements<std::remove_reference_t<Made>>;

/// True for an op that makes what it should, but only lends it.
template <class Op, class In>
inline constexpr bool lends = false;
template <class Op, class In>
  requires applies<Op, In>
inline constexpr bool lends<Op, In> = is_lent<applied<Op, In>>;
template <class F, class In>
  requires requires(applied<F, In>&& made) { *std::move(made); }
inline constexpr bool lends<filter_map_t<F>, In> = is_lent<decltype(*std::declval<applied<F, In>>())>;
template <class F, class In>
  requires walked<std::remove_reference_t<applied<F, In>>>
inline constexpr bool lends<flat_map_t<F>, In> =
    !is_owned<applied<F, In>> && is_lent<decltype(*std::begin(std::declval<std::remove_reference_t<applied<F, In>>&>()))>;

/// Of most ops. `fits` says whether the op takes such items.
template <class Op, class In>
struct op_action {
  static constexpr bool fits = false;
};

/// A callable: one value for one.
template <class Op, class In>
  requires(applies<Op, In> && !std::is_void_v<applied<Op, In>> && !lends<Op, In>)
struct op_action<Op, In> {
  using out = std::remove_cvref_t<applied<Op, In>>;
  static constexpr bool fits = true, gives_one = true, ends = false;
  Op& op;

  out made_of(In&& item) { return out(impl::apply_op(op, std::move(item))); }
  template <class Give>
  void take(In&& item, Give give) {
    give(made_of(std::move(item)));
  }
};

template <class F, class In>
  requires(applies<F, const In&> && std::is_constructible_v<bool, applied<F, const In&>>)
struct op_action<filter_t<F>, In> {
  using out = In;
  static constexpr bool fits = true, gives_one = false, ends = false;
  filter_t<F>& op;

  template <class Give>
  void take(In&& item, Give give) {
    if (impl::apply_op(op.keeps, std::as_const(item))) give(std::move(item));
  }
};

template <class F, class In>
  requires(applies<F, In> && requires(applied<F, In>&& made) {
    static_cast<bool>(made);
    *std::move(made);
  } && !lends<filter_map_t<F>, In>)
struct op_action<filter_map_t<F>, In> {
  using out = std::remove_cvref_t<decltype(*std::declval<applied<F, In>>())>;
  static constexpr bool fits = true, gives_one = false, ends = false;
  filter_map_t<F>& op;

  template <class Give>
  void take(In&& item, Give give) {
    if (auto&& made = impl::apply_op(op.what, std::move(item))) give(out(*std::forward<applied<F, In>>(made)));
  }
};

template <class F, class In>
  requires(applies<F, In> && walked<std::remove_reference_t<applied<F, In>>> && !lends<flat_map_t<F>, In>)
struct op_action<flat_map_t<F>, In> {
  using made = applied<F, In>;
  using out = walked_element<std::remove_reference_t<made>>;
  static constexpr bool fits = true, gives_one = false, ends = false;
  flat_map_t<F>& op;

  template <class Give>
  void take(In&& item, Give give) {
    auto&& all = impl::apply_op(op.what, std::move(item));
    for (auto&& one : all) {
      if constexpr (is_owned<made>) {
        give(out(std::move(one)));
      } else {
        give(out(std::forward<decltype(one)>(one)));
      }
    }
  }
};

/// A function that an op of `expand` may call.
template <class Out>
struct any_give {
  void operator()(Out) const {}
};

template <class Out, class F, class AtEnd, class In>
  requires(std::is_invocable_v<F&, In, any_give<Out>&> && (std::is_null_pointer_v<AtEnd> || std::is_invocable_v<AtEnd&, any_give<Out>&>))
struct op_action<expand_t<Out, F, AtEnd>, In> {
  using out = Out;
  static constexpr bool fits = true, gives_one = false, ends = !std::is_null_pointer_v<AtEnd>;
  expand_t<Out, F, AtEnd>& op;

  template <class Give>
  void take(In&& item, Give give) {
    const auto each = [&](out value) { give(std::move(value)); };
    op.what(std::move(item), each);
  }
  template <class Give>
  void finish(Give give) {
    const auto each = [&](out value) { give(std::move(value)); };
    op.at_end(each);
  }
};

template <class In>
struct op_action<batch_t, In> {
  using out = std::vector<In>;
  static constexpr bool fits = true, gives_one = false, ends = true;
  batch_t& op;
  out held{};

  template <class Give>
  void take(In&& item, Give give) {
    held.push_back(std::move(item));
    if (held.size() == op.size) give(algorithms::exchange(held, {}));
  }
  template <class Give>
  void finish(Give give) {
    if (!held.empty()) give(algorithms::exchange(held, {}));
  }
};

}  // namespace ipuflow::run::impl
