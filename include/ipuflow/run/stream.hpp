// SPDX-License-Identifier: BSL-1.0
// A pipeline of any callables as work for the executor: each stage takes what the one before it made, concurrent branches
// run at the same time, values move from stage to stage through rings and are never copied.
#pragma once

#include <ipuflow/graph/call_branch.hpp>
#include <ipuflow/run/edge.hpp>
#include <ipuflow/run/executor.hpp>
#include <ipuflow/schedule/op.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::run {

namespace detail {

/// What lies behind the branches of a stage; nothing behind a stage without branches.
template <class P, std::size_t S, class Branches>
struct outlets_of;
template <class P, std::size_t S>
struct outlets_of<P, S, std::index_sequence<0>> {
  using type = std::tuple<>;
  static type make(std::size_t) { return {}; }
};
template <class P, std::size_t S, std::size_t... B>
struct outlets_of<P, S, std::index_sequence<B...>> {
  using type = std::tuple<std::unique_ptr<edge<branch_output<P, S, B>, 1>>...>;
  static type make(std::size_t capacity) { return {std::make_unique<edge<branch_output<P, S, B>, 1>>(capacity)...}; }
};
template <class P, std::size_t S>
using outlets = outlets_of<P, S, std::make_index_sequence<P::placement.branches(S)>>;

}  // namespace detail

/// `Source` gives an optional of what enters the pipeline each time it is called, empty at its end. `Sink` is called with
/// what leaves it, in order. The source is called by the thread of the first stage, the sink by that of the last one.
template <class P, class Source, class Sink>
class stream {
 public:
  stream(const P& pipeline, Source& source, Sink& sink, std::size_t capacity, std::stop_token stop)
      : pipeline_{pipeline}, source_{source}, sink_{sink}, stop_{std::move(stop)}, inlets_{make_inlets(capacity, stages{})},
        outlets_{make_outlets(capacity, stages{})}, turns_(P::stage_count * ipu_count()) {
    add_steps(stages{});
  }

  progress perform(std::size_t ipu, const schedule::op& o, std::size_t count) {
    turn& here = turns_[o.stage * ipu_count() + ipu];
    if (here.count == 1) return here.steps[0](*this, count);
    while (here.next < here.count) {
      const progress made = here.steps[here.next](*this, 1);
      if (made.done == 0) return made;
      ++here.next;
    }
    here.next = 0;
    return {1, attempt::done};
  }

  /// After the run: hands out what a concurrent last stage has finished meanwhile.
  void flush() { deliver<P::stage_count - 1>(); }

  std::size_t taken() const { return taken_; }
  std::size_t delivered() const { return delivered_; }

 private:
  using stages = std::make_index_sequence<P::stage_count>;
  using step = progress (*)(stream&, std::size_t count);
  static constexpr std::size_t branches(std::size_t stage) { return P::placement.branches(stage); }
  static constexpr std::size_t ipu_count() {
    std::size_t most = 0;
    for (const std::size_t ipu : P::placement.ipu) most = most < ipu + 1 ? ipu + 1 : most;
    return most;
  }

  /// The branches of a stage that are on one IPU: mostly one.
  struct turn {
    step steps[P::block_count]{};
    std::size_t count = 0;
    std::size_t next = 0;
  };

  /// A concurrent stage's inlet has one reader more: the join, for the values that go past the branches.
  template <std::size_t S>
  using inlet = edge<stage_input<P, S>, branches(S) == 1 ? 1 : branches(S) + 1>;

  template <std::size_t... S>
  static auto make_inlets(std::size_t capacity, std::index_sequence<S...>) {
    return std::tuple{std::make_unique<inlet<S>>(capacity)...};
  }
  template <std::size_t... S>
  static auto make_outlets(std::size_t capacity, std::index_sequence<S...>) {
    return std::tuple<typename detail::outlets<P, S>::type...>{detail::outlets<P, S>::make(capacity)...};
  }

  template <std::size_t... S>
  void add_steps(std::index_sequence<S...>) {
    (add_branches<S>(std::make_index_sequence<branches(S)>{}), ...);
  }
  template <std::size_t S, std::size_t... B>
  void add_branches(std::index_sequence<B...>) {
    const auto add = [&](std::size_t branch, step what) {
      const std::size_t ipu = P::placement.ipu[P::placement.first_block(S, branch)];
      turn& here = turns_[S * ipu_count() + ipu];
      here.steps[here.count++] = what;
    };
    (add(B, [](stream& s, std::size_t count) { return s.template run_some<S, B>(count); }), ...);
  }

  template <std::size_t S>
  inlet<S>& into() {
    return *std::get<S>(inlets_);
  }

  template <std::size_t S, std::size_t B>
  progress run_some(std::size_t count) {
    std::size_t done = 0;
    attempt next = attempt::done;
    try {
      while (done < count && (next = run_branch<S, B>()) == attempt::done) ++done;
    } catch (...) {
      throw failed_after{std::current_exception(), done};
    }
    return {done, next};
  }

  /// One operation of a branch; of the whole stage, if it has only one.
  template <std::size_t S, std::size_t B>
  attempt run_branch() {
    if constexpr (B == 0) supply<S>();
    if constexpr (branches(S) == 1) {
      if constexpr (S + 1 < P::stage_count) {
        if (!into<S + 1>().has_room()) return attempt::wait;
      }
      return run_whole<S>();
    } else {
      auto& out = *std::get<B>(std::get<S>(outlets_));
      const auto* in = into<S>().front(B);
      if (in == nullptr && into<S>().over(B)) return out.close(), attempt::over;
      if (in == nullptr || !out.has_room()) return attempt::wait;
      out.push(call_branch<S, B>(pipeline_, *in));
      into<S>().release(B);
      if constexpr (S + 1 == P::stage_count && B == 0) deliver<S>();
      return attempt::done;
    }
  }

  template <std::size_t S>
  attempt run_whole() {
    if constexpr (S == 0) return run_first();
    auto* in = into<S>().front(0);
    if (in == nullptr) {
      if (!into<S>().over(0)) return attempt::wait;
      close_after<S>();
      return attempt::over;
    }
    hand_over<S>(std::apply([&](auto&... x) { return call_stage<S>(pipeline_, std::move(x)...); }, *in));
    into<S>().release(0);
    return attempt::done;
  }

  /// The first stage reads the source itself.
  attempt run_first() {
    if (!ended_) {
      auto item = stop_.stop_requested() ? decltype(source_()){} : source_();
      if (item) {
        ++taken_;
        auto in = as_input(*std::move(item));
        hand_over<0>(std::apply([&](auto&... x) { return call_stage<0>(pipeline_, std::move(x)...); }, in));
        return attempt::done;
      }
      ended_ = true;
    }
    close_after<0>();
    return attempt::over;
  }

  template <std::size_t S>
  void hand_over(stage_output<P, S>&& out) {
    if constexpr (S + 1 < P::stage_count) {
      into<S + 1>().push(std::move(out));
    } else {
      ++delivered_;
      std::apply([&](auto&... x) { sink_(std::move(x)...); }, out);
    }
  }

  template <std::size_t S>
  void close_after() {
    if constexpr (S + 1 < P::stage_count) into<S + 1>().close();
  }

  /// Fills the inlet of a stage where no other stage does: from the source, or from the branches of the stage before.
  template <std::size_t S>
  void supply() {
    if constexpr (S == 0 && branches(0) > 1) {
      if (ended_ || !into<0>().has_room()) return;
      auto item = stop_.stop_requested() ? decltype(source_()){} : source_();
      if (item) {
        ++taken_;
        into<0>().push(as_input(*std::move(item)));
      } else {
        ended_ = true;
        into<0>().close();
      }
    } else if constexpr (S > 0 && branches(S == 0 ? 0 : S - 1) > 1) {
      if (into<S>().has_room()) join_from<S - 1>([&](auto&& joined) { into<S>().push(std::move(joined)); },
                                                 [&] { into<S>().close(); });
    }
  }

  template <class Item>
  static stage_input<P, 0> as_input(Item&& item) {
    if constexpr (std::is_constructible_v<stage_input<P, 0>, Item>) {
      return stage_input<P, 0>(std::forward<Item>(item));
    } else {
      return stage_input<P, 0>{std::forward<Item>(item)};
    }
  }

  /// Joins the oldest results of a concurrent stage, if every branch has one.
  template <std::size_t S, class Use, class End>
  bool join_from(Use use, End end) {
    return std::apply([&](auto&... out) {
      const bool all = ((out->front(0) != nullptr) && ...);
      if (!all) {
        if ((out->over(0) || ...)) end();
        return false;
      }
      use(join<P, S>(*into<S>().front(branches(S)), *out->front(0)...));
      into<S>().release(branches(S));
      (out->release(0), ...);
      return true;
    }, std::get<S>(outlets_));
  }

  template <std::size_t S>
  void deliver() {
    if constexpr (branches(S) > 1) {
      while (join_from<S>([&](auto&& out) { hand_over<S>(std::move(out)); }, [] {})) {
      }
    }
  }

  const P& pipeline_;
  Source& source_;
  Sink& sink_;
  std::stop_token stop_;
  decltype(make_inlets(1, stages{})) inlets_;
  decltype(make_outlets(1, stages{})) outlets_;
  std::vector<turn> turns_;
  bool ended_ = false;
  std::size_t taken_ = 0;
  std::size_t delivered_ = 0;
};

}  // namespace ipuflow::run
