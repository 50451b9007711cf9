// SPDX-License-Identifier: BSL-1.0
// Several ops under one name, for those that recur: `constexpr auto seen = ops(nn::conv2d<8, 3>, nn::relu)`. A block that is
// given them has each of them as an op of its own, as if they had been written there.
#pragma once

#include <ipuflow/graph/op.hpp>

#include <boost/hana/flatten.hpp>
#include <boost/hana/tuple.hpp>

#include <type_traits>
#include <utility>

namespace ipuflow {

namespace impl {

/// Ops that follow each other, of a block that is still to be written.
template <class... Op>
struct op_list {
  boost::hana::tuple<Op...> all;
};

template <class T>
inline constexpr bool is_op_list = false;
template <class... Op>
inline constexpr bool is_op_list<op_list<Op...>> = true;

template <class Op>
constexpr boost::hana::tuple<Op> ops_in(Op op) {
  return boost::hana::tuple<Op>{std::move(op)};
}
template <class... Op>
constexpr boost::hana::tuple<Op...> ops_in(op_list<Op...> list) {
  return std::move(list.all);
}

/// All ops one after another, those of lists too.
template <class... Op>
constexpr auto joined_ops(Op&&... op) {
  if constexpr ((is_op_list<std::decay_t<Op>> || ...)) {
    return boost::hana::flatten(boost::hana::make_tuple(impl::ops_in(std::decay_t<Op>(std::forward<Op>(op)))...));
  } else {
    return boost::hana::tuple<std::decay_t<Op>...>{std::forward<Op>(op)...};
  }
}

template <class... Op>
constexpr op_list<Op...> listed_ops(boost::hana::tuple<Op...> all) {
  return {std::move(all)};
}

}  // namespace impl

/// Ops that a block takes as one argument: `block<"B1">(seen, seen, nn::flatten)`.
template <class... Op>
[[nodiscard]] constexpr auto ops(Op&&... op) {
  return impl::listed_ops(impl::joined_ops(std::forward<Op>(op)...));
}

}  // namespace ipuflow
