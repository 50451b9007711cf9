// SPDX-License-Identifier: BSL-1.0
// A pipeline of any callables as work for the executor: each stage takes what the one before it made, concurrent branches
// run at the same time, values move from stage to stage and are never copied: directly within a chain of stages, otherwise
// through rings. Callables have no gradients, so of a timetable only the forwards mean anything here.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/stop_signal.hpp>
#include <ipuflow/graph/flow/run_branch.hpp>
#include <ipuflow/queue/atomics.hpp>
#include <ipuflow/run/stage_failed.hpp>
#include <ipuflow/run/threads/attempt.hpp>
#include <ipuflow/run/threads/intake.hpp>
#include <ipuflow/run/threads/known_order.hpp>
#include <ipuflow/run/threads/stream_edges.hpp>
#include <ipuflow/schedule/op.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::run::impl {

/// `Source` gives an optional of what enters the pipeline each time it is called, empty at its end. `Sink` is called with
/// what leaves it, in order. Each is called by one thread at a time; the sink by the thread of the last stage, and for what is
/// left of a concurrent one by the thread that started the run.
template <class P, class Source, class Sink>
class stream_work {
 public:
  /// Without `last`, each stage is a chain of its own.
  stream_work(const P& pipeline, Source& source, Sink& sink, const depths& needed, std::size_t capacity, stop_signal stop,
         const light_vector<std::size_t>& last = {})
      : pipeline_{pipeline}, intake_{source, std::move(stop)}, outlook_{sink}, edges_{needed, capacity},
        turns_(P::stage_count * ipu_count()), open_(ipu_count()) {
    for (std::size_t s = 0; s < P::stage_count; ++s) last_[s] = last.empty() ? s : last[s];
    add_steps(stages{});
  }

  progress perform(std::size_t ipu, const schedule::op& o, std::size_t count) {
    turn& here = turns_[o.stage * ipu_count() + ipu];
    if (o.kind != schedule::pass::forward || here.ended) return {count, attempt::done};
    const progress made = here.count == 1 ? here.steps[0](*this, o.micro_batch, count) : once(here, o.micro_batch);
    if (made.next != attempt::over) return made;
    here.ended = true;
    return {made.done, --open_[ipu] == 0 ? attempt::over : attempt::done};  // another stage may have values under way
  }

  /// After the run: hands out what a concurrent last stage has finished meanwhile.
  void flush() {
    try {
      deliver<P::stage_count - 1>();
    } catch (const failed_at& failed) {
      throw stage_failed{failed.where, failed.cause};
    }
  }

  [[nodiscard]] std::size_t taken() const { return intake_.taken(); }
  [[nodiscard]] bool source_ended() const { return intake_.ended(); }
  [[nodiscard]] std::size_t delivered() const { return outlook_.delivered; }

 private:
  using stages = std::make_index_sequence<P::stage_count>;
  using step = progress (*)(stream_work&, std::size_t micro_batch, std::size_t count);
  static constexpr std::size_t branches(std::size_t stage) { return P::placement.branches(stage); }
  static constexpr std::size_t ipu_count() {
    std::size_t most = 0;
    for (const std::size_t ipu : P::placement.ipu) most = most < ipu + 1 ? ipu + 1 : most;
    return most;
  }

  /// The branches of a stage that are on one IPU: mostly one.
  struct alignas(queue::cache_line) turn {
    step steps[P::block_count]{};
    std::size_t count = 0;
    std::size_t next = 0;
    bool ended = false;
  };
  struct alignas(queue::cache_line) outlook {
    Sink& sink;
    std::size_t delivered = 0;
  };

  struct alignas(queue::cache_line) filling {
    std::atomic<bool> claimed{false};
  };
  /// The claim of a branch on the inlet that it shares, while it fills it.
  struct claim {
    filling& what;
    bool got;
    explicit claim(filling& f) : what{f}, got{!f.claimed.exchange(true, std::memory_order_acquire)} {}  // partner: release below
    claim(const claim&) = delete;
    ~claim() {
      if (got) what.claimed.store(false, std::memory_order_release);  // partner: the acquire above
    }
  };

  template <std::size_t... S>
  void add_steps(std::index_sequence<S...>) {
    (add_branches<S>(std::make_index_sequence<branches(S)>{}), ...);
  }
  template <std::size_t S, std::size_t... B>
  void add_branches(std::index_sequence<B...>) {
    if (last_[S] == schedule::nowhere) return;  // the chain does it
    const auto add = [&](std::size_t branch, step what) {
      const std::size_t ipu = P::placement.ipu[P::placement.first_block(S, branch)];
      turn& here = turns_[S * ipu_count() + ipu];
      if (here.count == 0) ++open_[ipu];
      here.steps[here.count++] = what;
    };
    (add(B, [](stream_work& s, std::size_t micro_batch, std::size_t count) {
       if constexpr (branches(S) == 1) {
         return s.template run_chain<S>(micro_batch, count);
       } else {
         return s.template run_branches<S, B>(count);
       }
     }), ...);
  }

  /// One operation of an IPU that has several branches of a stage; they end with the same value.
  progress once(turn& here, std::size_t micro_batch) {
    attempt last = attempt::done;
    for (; here.next < here.count; ++here.next) {
      last = here.steps[here.next](*this, micro_batch, 1).next;
      if (last == attempt::wait) return {0, last};
    }
    here.next = 0;
    return {last == attempt::done ? 1u : 0u, last};
  }

  /// A value on its way through a chain. In a function that has all stages of it, this costs nothing.
  struct passage {
    std::size_t last = 0;  ///< stage of the chain
    std::size_t at = 0;    ///< the stage that is at work, in case it throws
  };

  /// Operations of the chain that begins with `S`. What is behind it says once how much room there is, not for each value.
  template <std::size_t S>
  progress run_chain(std::size_t micro_batch, std::size_t count) {
    passage way{last_[S], S};
    progress made;
    try {
      while (made.next == attempt::done && made.done < count) {
        const std::size_t room = algorithms::min(count - made.done, room_behind<S>(way.last));
        if (room == 0) made.next = attempt::wait;
        for (const std::size_t end = made.done + room; made.done < end; ++made.done) {
          way.at = S;
          made.next = take<S>([&](auto& in) { pass<S>(in, way); });
          if (made.next != attempt::done) break;
        }
      }
    } catch (...) {
      fail_at({schedule::pass::forward, way.at, micro_batch + made.done});
    }
    if (S == 0) intake_.count(made.done);
    if (way.last + 1 == P::stage_count) outlook_.delivered += made.done;
    if (made.next == attempt::over) close_behind<S>(way.last);
    return made;
  }

  /// Runs a stage and those after it up to the last one of the chain.
  template <std::size_t S>
  void pass(stage_input<P, S>& in, passage& way) {
    way.at = S;
    pass_on<S>(std::apply([&](auto&... x) { return ipuflow::call_stage<S>(pipeline_, std::move(x)...); }, in), way);
  }
  template <std::size_t S>
  void pass_on(stage_output<P, S>&& out, passage& way) {
    if constexpr (S + 1 == P::stage_count) {
      give_out(out);
    } else {
      if constexpr (branches(S + 1) == 1) {
        if (way.last != S) return pass<S + 1>(out, way);
      }
      edges_.template inlet<S + 1>().push(std::move(out));
    }
  }

  /// The number of values that are known to fit behind the chain that ends with stage `last`, which is `S` or comes after it.
  template <std::size_t S>
  std::size_t room_behind(std::size_t last) {
    if constexpr (S + 1 == P::stage_count) {
      return schedule::nowhere;
    } else {
      return last == S ? edges_.template inlet<S + 1>().room() : room_behind<S + 1>(last);
    }
  }
  template <std::size_t S>
  void close_behind(std::size_t last) {
    if constexpr (S + 1 < P::stage_count) {
      last == S ? edges_.template inlet<S + 1>().close() : close_behind<S + 1>(last);
    }
  }

  /// Operations of one of several branches.
  template <std::size_t S, std::size_t B>
  progress run_branches(std::size_t count) {
    progress made;
    try {
      for (; made.done < count; ++made.done) {
        made.next = run_branch<S, B>();
        if (made.next != attempt::done) return made;
      }
    } catch (const failed_at&) {
      throw;
    } catch (...) {
      throw failed_after{std::current_exception(), made.done};
    }
    return made;
  }

  /// One operation of one of several branches. At the end of the pipeline the first one hands out what all have done.
  template <std::size_t S, std::size_t B>
  attempt run_branch() {
    auto& in = edges_.template inlet<S>();
    auto& out = edges_.template outlet<S, B>();
    if constexpr (B == 0 && S + 1 == P::stage_count) deliver<S>();
    if (!out.has_room()) return attempt::wait;
    if (in.front(B) == nullptr) fill<S>();
    const auto* const value = in.front(B);
    if (value == nullptr) {
      if (!in.over(B)) return attempt::wait;
      out.close();
      return attempt::over;
    }
    out.push(ipuflow::call_branch<S, B>(pipeline_, *value));
    in.release(B);
    if constexpr (B == 0 && S + 1 == P::stage_count) deliver<S>();
    return attempt::done;
  }

  template <std::size_t S>
  static constexpr bool has_inlet = S > 0 && branches(S == 0 ? 0 : S - 1) == 1;

  /// Gives `use` what enters a stage next: from the source, from the stage before, or joined from its branches.
  template <std::size_t S, class Use>
  attempt take(Use use) {
    if constexpr (S == 0) {
      return intake_.take(use) ? attempt::done : attempt::over;
    } else if constexpr (has_inlet<S>) {
      auto& inlet = edges_.template inlet<S>();
      if (auto* const in = inlet.front(0)) {
        use(*in);
        inlet.release(0);
        return attempt::done;
      }
      return inlet.over(0) ? attempt::over : attempt::wait;
    } else {
      if (edges_.template join_oldest<S - 1>([&](auto&& in) { use(in); })) return attempt::done;
      return edges_.template joined_all<S - 1>() ? attempt::over : attempt::wait;
    }
  }

  /// Fills the inlet of a concurrent stage where no stage does. Whichever branch needs it does so: one that were left to
  /// do it might itself wait for a sibling.
  template <std::size_t S>
  void fill() {
    if constexpr (!has_inlet<S>) {
      const claim mine{filling_[S]};
      if (!mine.got) return;
      auto& inlet = edges_.template inlet<S>();
      if (!inlet.has_room()) return;
      const attempt got = take<S>([&](auto& in) { inlet.push(std::move(in)); });
      if (S == 0 && got == attempt::done) intake_.count(1);
      if (got == attempt::over) inlet.close();
    }
  }

  template <class Out>
  void give_out(Out& out) {
    std::apply([&](auto&... x) { outlook_.sink(std::move(x)...); }, out);
  }

  template <std::size_t S>
  void deliver() {
    if constexpr (branches(S) > 1) {
      try {
        while (edges_.template join_oldest<S>([&](auto&& out) { give_out(out); })) ++outlook_.delivered;
      } catch (...) {
        fail_at({schedule::pass::forward, S, outlook_.delivered});
      }
    }
  }

  const P& pipeline_;
  intake<stage_input<P, 0>, Source> intake_;
  outlook outlook_;
  stream_edges<P> edges_;
  std::array<filling, P::stage_count> filling_{};
  std::array<std::size_t, P::stage_count> last_{};  // of the chain that each stage begins
  dynamic_array<turn> turns_;
  dynamic_array<std::size_t> open_;  // of each IPU, how many stages may get more values
};

}  // namespace ipuflow::run::impl
