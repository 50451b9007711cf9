// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers as work for the executor: copies of all its stages, one for each replica and for each direction
// in which a schedule runs. Copies share parameters and nothing else; what they learn is added up in their order.
// Concurrent branches are workers of their own, so IPUs run them at the same time.
#pragma once

#include <ipuflow/run/failure.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/train/threads/link.hpp>
#include <ipuflow/train/threads/seats.hpp>
#include <ipuflow/train/threads/stage_worker.hpp>
#include <ipuflow/train/threads/stash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace ipuflow::train {

/// Parameters of all stages, one after the other, and the state that layers keep, of which each copy has its own.
template <class Compute>
struct parameter_view {
  const Compute* values = nullptr;
  Compute* state = nullptr;
};

/// How much work there is, and who does it.
struct work_shape {
  std::size_t samples = 1;
  std::size_t micro_batches = 1;  ///< of one copy
  std::size_t replicas = 1;
  std::size_t directions = 1;
  std::size_t ipus = 1;  ///< of a replica
  bool training = true;
  std::vector<std::size_t> owners{};  ///< the IPU that runs each seat, for each direction

  [[nodiscard]] std::size_t copies() const { return replicas * directions; }
};

/// `Host` gives a copy its inputs and takes its outputs: `host.load(copy, program, memory, m)`, `host.store(...)`.
template <class P, class Compute, class Accumulator, class Host>
class pipeline_work {
 public:
  pipeline_work(const work_shape& shape, const std::vector<stash>& keep, Host& host) : shape_{shape}, host_{host} {
    for (std::size_t i = 0; i < shape.copies(); ++i)
      copies_.push_back(std::make_unique<copy>(shape, keep, every_seat{}));
  }

  /// Before each run. `parameters` has one view for each copy.
  void begin(const pass_context& context, std::span<const parameter_view<Compute>> parameters) {
    context_ = context;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      copies_[i]->parameters = parameters[i];
      std::apply([](auto&... worker) { (worker.clear(), ...); }, copies_[i]->workers);
      std::fill(copies_[i]->next_branch.begin(), copies_[i]->next_branch.end(), std::size_t{0});
      for (auto& l : copies_[i]->links) l->clear();
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
  void gradients(std::size_t stage, std::size_t first, std::span<float> to) const {
    std::fill(to.begin(), to.end(), 0.0f);
    const std::size_t begin = offsets.values[seats.first[stage]] + first;
    for (const auto& c : copies_) {
      for_each_worker(*c, [&](std::size_t seat, const auto& worker) {
        const std::size_t from = std::max(begin, offsets.values[seat]);
        const std::size_t end = std::min(begin + to.size(), offsets.values[seat + 1]);
        if (from < end)
          worker.add_gradients(context_, from - offsets.values[seat], to.subspan(from - begin, end - from));
      });
    }
  }

  /// What a copy sets aside for activations of a stage, on all its IPUs.
  [[nodiscard]] std::size_t stash_bytes(std::size_t stage) const {
    std::size_t found = 0;
    for_each_worker(*copies_[0], [&](std::size_t seat, const auto& worker) {
      if (seats.stage[seat] == stage) found += worker.stash_bytes();
    });
    return found;
  }

 private:
  static constexpr const auto& seats = seats_of<P>;
  static constexpr const auto& offsets = seat_offsets_of<P>;
  using stages = std::make_index_sequence<P::stage_count>;
  using every_seat = std::make_index_sequence<seats.count()>;
  /// What to do of which micro-batch, on which IPU, for which copy.
  struct task {
    std::size_t copy = 0;
    std::size_t direction = 0;
    std::size_t ipu = 0;
    schedule::pass kind{};
    std::size_t m = 0;
  };
  using run_task = run::attempt (*)(pipeline_work&, const task&);

  template <class Seats>
  struct workers_of;
  template <std::size_t... Seat>
  struct workers_of<std::index_sequence<Seat...>> {
    using type = std::tuple<stage_worker<P, Seat, Compute, Accumulator>...>;
  };

  struct copy {
    template <std::size_t... Seat>
    copy(const work_shape& shape, const std::vector<stash>& keep, std::index_sequence<Seat...>)
        : workers{stage_worker<P, Seat, Compute, Accumulator>{shape.samples, shape.micro_batches,
                                                              keep[seats.stage[Seat]], shape.training}...},
          next_branch(P::stage_count * shape.ipus) {
      (make_links<Seat>(shape, keep), ...);
      (connect<Seat>(), ...);
    }
    /// A link from each branch to each one behind it.
    template <std::size_t Seat>
    void make_links(const work_shape& shape, const std::vector<stash>& keep) {
      auto& worker = std::get<Seat>(workers);
      first_link[Seat] = links.size();
      for (std::size_t c = 0; c < worker_type<Seat>::exchange_type::receivers; ++c) {
        links.push_back(worker.make_link(keep[seats.stage[Seat]], shape.training));
      }
    }
    template <std::size_t Seat>
    void connect() {
      using ends = typename worker_type<Seat>::exchange_type;
      std::array<link*, ends::senders> before{};
      std::array<link*, ends::receivers> after{};
      if constexpr (ends::senders > 0) {
        constexpr std::size_t sender = seats.first[seats.stage[Seat] - 1];
        for (std::size_t b = 0; b < before.size(); ++b) {
          before[b] = links[first_link[sender + b] + seats.branch[Seat]].get();
        }
      }
      for (std::size_t c = 0; c < after.size(); ++c) after[c] = links[first_link[Seat] + c].get();
      std::get<Seat>(workers).connect(before, after);
    }
    template <std::size_t Seat>
    using worker_type = stage_worker<P, Seat, Compute, Accumulator>;

    typename workers_of<every_seat>::type workers;
    std::array<std::size_t, seats.count()> first_link{};  // of each seat
    std::vector<std::unique_ptr<link>> links;
    std::vector<std::size_t> next_branch;  // of each stage on each IPU, where an operation had to wait between branches
    parameter_view<Compute> parameters{};
  };

  template <class Visit>
  static void for_each_worker(const copy& c, Visit visit) {
    [&]<std::size_t... Seat>(std::index_sequence<Seat...>) {
      (visit(Seat, std::get<Seat>(c.workers)), ...);
    }(every_seat{});
  }

  run::attempt one(std::size_t replica, std::size_t ipu, const schedule::op& o) {
    static constexpr auto table = []<std::size_t... S>(std::index_sequence<S...>) {
      return std::array<run_task, P::stage_count>{&pipeline_work::template perform_stage<S>...};
    }(stages{});
    const std::size_t direction = o.micro_batch / shape_.micro_batches;
    return table[o.stage](*this, {replica * shape_.directions + direction, direction, ipu, o.kind,
                                  o.micro_batch - direction * shape_.micro_batches});
  }

  /// Those branches of a stage that are on an IPU: the operation is done when all of them have done theirs.
  template <std::size_t S>
  static run::attempt perform_stage(pipeline_work& self, const task& what) {
    if constexpr (seats.branches(S) == 1) {
      return perform_seat<seats.first[S]>(self, what);
    } else {
      static constexpr auto table = []<std::size_t... B>(std::index_sequence<B...>) {
        return std::array<run_task, sizeof...(B)>{&pipeline_work::template perform_seat<seats.first[S] + B>...};
      }(std::make_index_sequence<seats.branches(S)>{});
      const std::size_t* owners = &self.shape_.owners[what.direction * seats.count() + seats.first[S]];
      std::size_t& next = self.copies_[what.copy]->next_branch[S * self.shape_.ipus + what.ipu];
      for (; next < table.size(); ++next) {
        if (owners[next] == what.ipu && table[next](self, what) == run::attempt::wait) return run::attempt::wait;
      }
      next = 0;
      return run::attempt::done;
    }
  }

  template <std::size_t Seat>
  static run::attempt perform_seat(pipeline_work& self, const task& what) {
    copy& c = *self.copies_[what.copy];
    auto& worker = std::get<Seat>(c.workers);
    const nn::parameters<Compute> p{c.parameters.values + offsets.values[Seat],
                                    c.parameters.state + offsets.state[Seat]};
    pass_context context = self.context_;
    context.first_micro_batch += what.copy * self.shape_.micro_batches;
    switch (what.kind) {
      case schedule::pass::forward: {
        bound_host host{self.host_, what.copy};
        return worker.forward(what.m, p, context, host);
      }
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

  struct bound_host {
    Host& host;
    std::size_t copy;

    template <class Program>
    void load(const Program& program, const nn::stage_memory& memory, std::size_t m) {
      host.load(copy, program, memory, m);
    }
    template <class Program>
    void store(const Program& program, const nn::stage_memory& memory, std::size_t m) {
      host.store(copy, program, memory, m);
    }
  };

  work_shape shape_;
  Host& host_;
  std::vector<std::unique_ptr<copy>> copies_;
  pass_context context_{};
};

}  // namespace ipuflow::train
