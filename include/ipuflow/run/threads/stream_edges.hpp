// SPDX-License-Identifier: BSL-1.0
// All edges of a pipeline: an inlet before each stage, and behind each branch of a concurrent stage an outlet, where its
// part waits for those of its siblings. A concurrent stage's inlet has one reader more than branches: the joint of the
// parts, for the values that go past them.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/graph/flow/run_branch.hpp>
#include <ipuflow/run/threads/edge.hpp>
#include <ipuflow/run/threads/known_order.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace ipuflow::run {

namespace impl {

template <class P>
class stream_edges {
 public:
  [[nodiscard]] static constexpr std::size_t branches(std::size_t stage) { return P::placement.branches(stage); }

  template <std::size_t S>
  using inlet_of = edge<stage_input<P, S>, branches(S) == 1 ? 1 : branches(S) + 1>;

  stream_edges(const depths& needed, std::size_t capacity)
      : inlets_{make_inlets(needed, capacity, stages{})}, outlets_{make_outlets(needed, capacity, stages{})} {}

  template <std::size_t S>
  inlet_of<S>& inlet() {
    return *std::get<S>(inlets_);
  }
  template <std::size_t S, std::size_t B>
  auto& outlet() {
    return *std::get<B>(std::get<S>(outlets_));
  }

  /// Joins the oldest parts of a concurrent stage and hands `use` the result, if every branch has one.
  template <std::size_t S, class Use>
  bool join_oldest(Use use) {
    return std::apply([&](auto&... out) {
      if (!((out->front(0) != nullptr) && ...)) return false;
      use(ipuflow::join<P, S>(*inlet<S>().front(branches(S)), *out->front(0)...));
      inlet<S>().release(branches(S));
      (out->release(0), ...);
      return true;
    }, std::get<S>(outlets_));
  }
  /// True if a concurrent stage will give nothing more.
  template <std::size_t S>
  bool joined_all() {
    return std::apply([&](auto&... out) { return (out->over(0) || ...); }, std::get<S>(outlets_));
  }

 private:
  using stages = std::make_index_sequence<P::stage_count>;

  static std::size_t room(const depths& needed, std::size_t capacity, std::size_t stage) {
    return algorithms::max(capacity, needed[algorithms::min(stage, P::stage_count - 1)]);
  }

  template <std::size_t... S>
  static auto make_inlets(const depths& needed, std::size_t capacity, std::index_sequence<S...>) {
    return std::tuple{make_owner<inlet_of<S>>(room(needed, capacity, S))...};
  }

  template <std::size_t S>
  static auto outlets_of_stage(std::size_t capacity) {
    if constexpr (branches(S) == 1) {
      return std::tuple<>{};
    } else {
      return [&]<std::size_t... B>(std::index_sequence<B...>) {
        return std::tuple{make_owner<edge<branch_output<P, S, B>, 1>>(capacity)...};
      }(std::make_index_sequence<branches(S)>{});
    }
  }
  template <std::size_t... S>
  static auto make_outlets(const depths& needed, std::size_t capacity, std::index_sequence<S...>) {
    return std::tuple<decltype(outlets_of_stage<S>(1))...>{outlets_of_stage<S>(room(needed, capacity, S + 1))...};
  }

  decltype(make_inlets({}, 1, stages{})) inlets_;
  decltype(make_outlets({}, 1, stages{})) outlets_;
};

}  // namespace impl

}  // namespace ipuflow::run
