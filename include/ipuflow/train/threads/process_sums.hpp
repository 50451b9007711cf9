// SPDX-License-Identifier: BSL-1.0
// Gradients added up over the copies that processes have: a reduce-scatter. Each process adds up some numbers and is sent, of those,
// the sums over the branches of the tree that the others have whole; so the result does not depend on who has which copy.
#pragma once

#include <ipuflow/core/half.hpp>
#include <ipuflow/train/threads/other_processes.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>
#include <ipuflow/train/threads/tree_sum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace ipuflow::train::impl {

/// Neighbouring parameters whose gradients one process adds up.
struct sum_share {
  std::size_t process = 0;
  std::size_t first = 0;  ///< among all parameters
  std::size_t count = 0;
  bool for_all = false;   ///< every process is to have the sums
};

template <class = void>
class basic_process_sums {
 public:
  /// `process_of(copy, seat)`; `values`: where the parameters of each seat begin, and behind them.
  template <class ProcessOf>
  basic_process_sums(const other_processes& others, std::span<const std::size_t> values, std::size_t copies, const ProcessOf& process_of,
                     const std::vector<sum_share>& shares)
      : me_{others.process()}, copies_{copies}, branches_(values.size() - 1), to_(others.processes()), from_(others.processes()) {
    for (std::size_t seat = 0; seat + 1 < values.size(); ++seat)
      cut(seat, 0, copies, [&](std::size_t copy) { return process_of(copy, seat); });
    std::vector<std::size_t> sent(to_.size()), received(to_.size());
    for (const sum_share& s : shares) {
      for (std::size_t seat = 0; seat + 1 < values.size(); ++seat) {
        const std::size_t from = std::max(s.first, values[seat]), end = std::min(s.first + s.count, values[seat + 1]);
        if (from < end) place({s.process, seat, from, from - values[seat], end - from, s.for_all, {}}, sent, received);
      }
    }
    for (std::size_t p = 0; p < to_.size(); ++p) {
      to_[p].resize(sent[p]);
      from_[p].resize(received[p]);
    }
  }

  /// Adds up: afterwards `sums`, in the order of the model, has the shares of this process, and those that are for all. `each_thread`
  /// calls a job once on each of some threads: `each_thread(job)`, `job(thread, threads)`.
  template <class Work, class EachThread>
  void operator()(const Work& work, other_processes& others, std::span<float> sums, const EachThread& each_thread) {
    each_thread([&](std::size_t thread, std::size_t threads) { add_up_for_others(work, thread, threads); });
    const std::vector<std::span<const float>> to(to_.begin(), to_.end());
    const std::vector<std::span<float>> from(from_.begin(), from_.end());
    others.exchange(to, from);
    each_thread([&](std::size_t thread, std::size_t threads) { add_up_here(work, sums, thread, threads); });
    std::vector<owned_bytes> common;
    for (const part& p : parts_) {
      if (p.for_all) common.push_back({p.process, reinterpret_cast<std::byte*>(sums.data() + p.first), p.count * sizeof(float)});
    }
    if (!common.empty()) others.share(common);
  }

 private:
  /// A branch of the tree that one process has whole.
  struct branch {
    std::size_t process = 0;
    std::size_t first = 0;
    std::size_t end = 0;
  };
  /// Parameters of one seat that one process adds up.
  struct part {
    std::size_t process = 0;
    std::size_t seat = 0;
    std::size_t first = 0;    // among all parameters
    std::size_t of_seat = 0;  // the same place, counted from the first of the seat
    std::size_t count = 0;
    bool for_all = false;
    std::vector<std::size_t> offsets{};  // of each branch in its message
  };

  template <class ProcessOf>
  void cut(std::size_t seat, std::size_t first, std::size_t end, const ProcessOf& process_of) {
    const std::size_t process = process_of(first);
    for (std::size_t copy = first + 1; copy < end; ++copy) {
      if (process_of(copy) == process) continue;
      const std::size_t middle = tree_middle(first, end);
      cut(seat, first, middle, process_of);
      return cut(seat, middle, end, process_of);
    }
    branches_[seat].push_back({process, first, end});
  }

  void place(part p, std::vector<std::size_t>& sent, std::vector<std::size_t>& received) {
    for (const branch& b : branches_[p.seat]) {
      const bool goes = b.process == me_ && p.process != me_, comes = b.process != me_ && p.process == me_;
      std::size_t& next = comes ? received[b.process] : sent[p.process];
      p.offsets.push_back(next);
      if (goes || comes) next += p.count;
    }
    parts_.push_back(std::move(p));
  }

  /// Calls `visit(part, at, count)` for the chunks that are a thread's own.
  template <class Visit>
  void each_own_chunk(std::size_t thread, std::size_t threads, const Visit& visit) {
    std::size_t chunk = 0;
    for (const part& p : parts_) {
      for_each_chunk(p.count, [&](std::size_t at, std::size_t count) {
        if (chunk++ % threads == thread) visit(p, at, count);
      });
    }
  }

  template <class Work>
  void add_up_for_others(const Work& work, std::size_t thread, std::size_t threads) {
    each_own_chunk(thread, threads, [&](const part& p, std::size_t at, std::size_t count) {
      if (p.process == me_) return;
      for (std::size_t b = 0; b < branches_[p.seat].size(); ++b) {
        const branch& mine = branches_[p.seat][b];
        if (mine.process != me_) continue;
        work.add_up(p.seat, mine.first, mine.end, p.of_seat + at, std::span{to_[p.process]}.subspan(p.offsets[b] + at, count));
      }
    });
  }
  template <class Work>
  void add_up_here(const Work& work, std::span<float> sums, std::size_t thread, std::size_t threads) {
    each_own_chunk(thread, threads, [&](const part& p, std::size_t at, std::size_t count) {
      if (p.process != me_) return;
      const std::vector<branch>& all = branches_[p.seat];
      std::size_t next = 0;
      tree_sum(0, copies_, sums.subspan(p.first + at, count),
               [&](std::size_t first, std::size_t end) { return all[next].first == first && all[next].end == end; },
               [&](std::size_t first, std::size_t end, std::span<float> to) {
                 const std::size_t b = next++;
                 if (all[b].process == me_) return work.add_up(p.seat, first, end, p.of_seat + at, to);
                 std::memcpy(to.data(), from_[all[b].process].data() + p.offsets[b] + at, to.size_bytes());
               });
    });
  }

  std::size_t me_;
  std::size_t copies_;
  std::vector<std::vector<branch>> branches_;  // of each seat, in the order of the tree
  std::vector<part> parts_;
  std::vector<std::vector<float>> to_;    // each process
  std::vector<std::vector<float>> from_;
};
using process_sums = basic_process_sums<>;

/// Rounds sums to what accumulators can hold.
template <class = void>
void round_sums(const std::vector<accumulator_run>& accumulators, std::span<float> sums) {
  for (const accumulator_run& r : accumulators) {
    if (r.type != accumulator_type::f16) continue;
    for (float& s : sums.subspan(r.first, r.count)) s = static_cast<float>(half{s});
  }
}

}  // namespace ipuflow::train::impl
