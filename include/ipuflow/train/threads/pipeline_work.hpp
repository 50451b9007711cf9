// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers as work for the executor: copies of all its stages, one for each replica and for each direction
// in which a schedule runs. Copies share parameters and nothing else; what they learn is added up in their order.
// Concurrent branches are workers of their own, so IPUs run them at the same time.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/run/stage_failed.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/train/threads/lanes.hpp>
#include <ipuflow/train/threads/link.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/stage_worker.hpp>
#include <ipuflow/train/threads/stash.hpp>
#include <ipuflow/train/threads/tree_sum.hpp>

#include <cstddef>
#include <exception>
#include <utility>

namespace ipuflow::train::impl {

/// Parameters of all stages, one after the other, and the state that layers keep, of which each copy has its own.
template <class T>
struct parameter_view {
  const T* values = nullptr;
  T* state = nullptr;
};

/// A link of which another process has one end.
struct crossing {
  link* way = nullptr;
  std::size_t copy = 0;
  std::size_t sender = 0;  ///< seat
  std::size_t receiver = 0;
  std::size_t number = 0;  ///< among all links of all copies
};

/// Sizes of the work of a step, and its division among threads.
struct work_shape {
  std::size_t samples = 1;
  std::size_t micro_batches = 1;  ///< of one copy
  std::size_t replicas = 1;
  std::size_t directions = 1;
  std::size_t ipus = 1;  ///< of a replica
  bool training = true;
  light_vector<std::size_t> owners{};  ///< the IPU that runs each seat, for each direction
  light_vector<accumulator_run> accumulators{};  ///< of all parameters
  lane_range here{};  ///< lanes of this process

  [[nodiscard]] std::size_t copies() const { return replicas * directions; }
  [[nodiscard]] std::size_t lanes_here() const { return algorithms::min(here.end, replicas * ipus) - here.first; }
  /// The lane that has a seat of a copy.
  [[nodiscard]] std::size_t lane_of(std::size_t copy, std::size_t seat) const {
    return copy / directions * ipus + owners[copy % directions * (owners.size() / directions) + seat];
  }
};

template <class T>
class pipeline_work {
 public:
  /// The network's tables and the host have to last as long.
  [[gnu::cold]] pipeline_work(const network_code<T>& code, const work_shape& shape, const dynamic_array<stash>& keep,
                pass_host<T>& host)
      : network_{code}, shape_{shape}, host_{host} {
    for (std::size_t i = 0; i < shape.copies(); ++i) {
      copies_.push_back(has_a_seat(i) ? make_owner<copy>(code, shape, keep, i, crossings_) : nullptr);
    }
  }

  /// Before each run. `parameters` has one view for each copy.
  void begin(const pass_context& context, light_span<const parameter_view<T>> parameters) {
    context_ = context;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      if (!copies_[i]) continue;
      copy& c = *copies_[i];
      c.parameters = parameters[i];
      for (auto& worker : c.workers) {
        if (worker) worker->clear();
      }
      algorithms::fill(c.next_branch.begin(), c.next_branch.end(), std::size_t{0});
      for (auto& l : c.links) {
        if (l) l->clear();
      }
    }
  }

  run::progress perform(std::size_t lane, const schedule::op& o, std::size_t count) {
    run::progress made;
    try {
      for (schedule::op now = o; made.done < count; ++made.done, ++now.micro_batch) {
        made.next = one(lane / shape_.ipus, lane % shape_.ipus, now);
        if (made.next != run::attempt::done) break;
      }
    } catch (...) {
      throw run::failed_after{std::current_exception(), made.done};
    }
    return made;
  }

  /// The gradients of the parameters of a stage from `first` on, added up over the copies.
  void gradients(std::size_t stage, std::size_t first, light_span<float> to) const {
    const seat_table& seats = network_.seats;
    const std::size_t begin = seats.values[seats.first[stage]] + first;
    for (std::size_t seat = seats.first[stage]; seat < seats.first[stage + 1]; ++seat) {
      const std::size_t from = algorithms::max(begin, seats.values[seat]);
      const std::size_t end = algorithms::min(begin + to.size(), seats.values[seat + 1]);
      if (from >= end) continue;
      const std::size_t of_seat = from - seats.values[seat];
      const light_span<float> some = to.subspan(from - begin, end - from);
      for_each_chunk(some.size(), [&](std::size_t at, std::size_t count) {
        const light_span<float> chunk = some.subspan(at, count);
        const float* const sum = add_up(seat, 0, copies_.size(), of_seat + at, chunk);
        if (sum != chunk.data()) algorithms::copy_n(sum, count, chunk.data());
      });
      copies_[0]->workers[seat]->round_gradients(of_seat, some);
    }
  }
  /// A chunk of those of a seat, added up over copies from `first_copy` to before `end`: a branch of the tree of all. They are here. Returns
  /// where the sum lies: in `room`, or in a copy.
  const float* add_up(std::size_t seat, std::size_t first_copy, std::size_t end, std::size_t first, light_span<float> room) const {
    return tree_sum(first_copy, end, room, [](std::size_t a, std::size_t b) { return b - a == 1; },
                    [&](std::size_t a, std::size_t, light_span<float> one) {
                      if (const float* const here = at_hand(seat, a, first)) return here;
                      copies_[a]->workers[seat]->gradients(context_, first, one);
                      return static_cast<const float*>(one.data());
                    });
  }
  /// Those of a copy, which is here, where they lie as floats; none if they are kept otherwise.
  [[nodiscard]] const float* at_hand(std::size_t seat, std::size_t of_copy, std::size_t first) const {
    return copies_[of_copy]->workers[seat]->gradients_at_hand(context_, first);
  }

  /// The links to other processes.
  [[nodiscard]] const dynamic_array<crossing>& crossings() const { return crossings_; }

  /// The bytes that a copy sets aside for activations of a stage, on all its IPUs.
  [[nodiscard]] std::size_t stash_bytes(std::size_t stage) const {
    std::size_t found = 0;
    for (std::size_t seat = network_.seats.first[stage]; seat < network_.seats.first[stage + 1]; ++seat) {
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        if (!copies_[i] || !copies_[i]->workers[seat]) continue;
        found += copies_[i]->workers[seat]->stash_bytes();
        break;
      }
    }
    return found;
  }

 private:
  /// The work at hand: on which IPU, of which micro-batch, for which copy.
  struct task {
    std::size_t copy = 0;
    std::size_t direction = 0;
    std::size_t ipu = 0;
    schedule::pass kind{};
    std::size_t m = 0;
  };

  struct copy {
    [[gnu::cold]] copy(const network_code<T>& code, const work_shape& shape, const dynamic_array<stash>& keep, std::size_t index,
                       dynamic_array<crossing>& crossings)
        : next_branch(code.seats.stages() * shape.ipus) {
      const seat_table& seats = code.seats;
      const auto here = [&](std::size_t seat) { return shape.here.has(shape.lane_of(index, seat)); };
      light_vector<std::size_t> first_link(seats.count());
      for (std::size_t seat = 0; seat < seats.count(); ++seat) {
        const stash& mine = keep[seats.stage[seat]];
        workers.push_back(make_owner<stage_worker<T>>(code, seat, shape.samples, shape.micro_batches, mine, shape.training, shape.accumulators));
        first_link[seat] = links.size();  // one to each branch behind it
        for (std::size_t c = 0; c < workers[seat]->receivers(); ++c) {
          const bool needed = here(seat) || here(seats.first[seats.stage[seat] + 1] + c);
          links.push_back(needed ? workers[seat]->make_link(mine, shape.training) : nullptr);
        }
        if (!here(seat)) workers[seat] = nullptr;  // its memory is in another process
      }
      for (std::size_t seat = 0; seat < seats.count(); ++seat) {
        const std::size_t stage = seats.stage[seat];
        light_vector<link*> before(stage == 0 ? 0 : seats.branches(stage - 1));
        light_vector<link*> after(stage + 1 == seats.stages() ? 0 : seats.branches(stage + 1));
        for (std::size_t b = 0; b < before.size(); ++b) before[b] = links[first_link[seats.first[stage - 1] + b] + seats.branch[seat]].get();
        for (std::size_t c = 0; c < after.size(); ++c) {
          after[c] = links[first_link[seat] + c].get();
          const std::size_t receiver = seats.first[stage + 1] + c;
          if (here(seat) != here(receiver)) crossings.push_back({after[c], index, seat, receiver, index * seats.count() * seats.count() + first_link[seat] + c});
        }
        if (workers[seat]) workers[seat]->connect(std::move(before), std::move(after));
      }
    }

    dynamic_array<owner<stage_worker<T>>> workers;  // of each seat of this process
    dynamic_array<owner<link>> links;
    light_vector<std::size_t> next_branch;  // of each stage on each IPU, where an operation had to wait between branches
    parameter_view<T> parameters{};
  };

  bool has_a_seat(std::size_t index) const {
    for (std::size_t seat = 0; seat < network_.seats.count(); ++seat) {
      if (shape_.here.has(shape_.lane_of(index, seat))) return true;
    }
    return false;
  }

  /// Those branches of a stage that are on an IPU: the operation is done when all of them have done theirs.
  run::attempt one(std::size_t replica, std::size_t ipu, const schedule::op& o) {
    const std::size_t direction = o.micro_batch / shape_.micro_batches;
    const task what{replica * shape_.directions + direction, direction, ipu, o.kind,
                    o.micro_batch - direction * shape_.micro_batches};
    const seat_table& seats = network_.seats;
    const std::size_t first = seats.first[o.stage];
    const std::size_t branches = seats.branches(o.stage);
    if (branches == 1) return perform_seat(first, what);
    const std::size_t* owners = &shape_.owners[direction * seats.count() + first];
    std::size_t& next = copies_[what.copy]->next_branch[o.stage * shape_.ipus + ipu];
    for (; next < branches; ++next) {
      if (owners[next] == ipu && perform_seat(first + next, what) == run::attempt::wait) return run::attempt::wait;
    }
    next = 0;
    return run::attempt::done;
  }

  run::attempt perform_seat(std::size_t seat, const task& what) {
    copy& c = *copies_[what.copy];
    stage_worker<T>& worker = *c.workers[seat];
    const nn::parameters<T> p{c.parameters.values + network_.seats.values[seat],
                              c.parameters.state + network_.seats.state[seat]};
    pass_context context = context_;
    context.first_micro_batch += what.copy * shape_.micro_batches;
    switch (what.kind) {
      case schedule::pass::forward:
        return worker.forward(what.m, p, context, host_, what.copy);
      case schedule::pass::backward:
        return worker.backward(what.m, p, context);
      case schedule::pass::backward_inputs:
        return worker.backward_inputs(what.m, p, context);
      case schedule::pass::backward_weights:
        return worker.backward_weights(what.m, p, context);
      case schedule::pass::recompute:
        return worker.recompute(what.m, p, context);
      default:
        return run::attempt::done;  // infeed and outfeed are part of the first and last stage; updates follow a run
    }
  }

  network_code<T> network_;
  work_shape shape_;
  pass_host<T>& host_;
  dynamic_array<crossing> crossings_;
  dynamic_array<owner<copy>> copies_;  // of which any seat is here
  pass_context context_{};
};

}  // namespace ipuflow::train::impl
