// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers as work for the executor: copies of all its stages, one for each replica and for each direction
// in which a schedule runs. Copies share parameters and nothing else; what they learn is added up in their order.
#pragma once

#include <ipuflow/run/executor.hpp>
#include <ipuflow/run/failure.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/train/link.hpp>
#include <ipuflow/train/stage_worker.hpp>
#include <ipuflow/train/stash.hpp>
#include <ipuflow/train/tensors.hpp>

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
  std::vector<std::size_t> owners{};  ///< the IPU that runs each stage, for each direction

  std::size_t copies() const { return replicas * directions; }
};

/// `Host` gives a copy its inputs and takes its outputs: `host.load(copy, program, memory, m)`, `host.store(...)`.
template <class P, class Compute, class Accumulator, class Host>
class pipeline_work {
 public:
  pipeline_work(const work_shape& shape, const std::vector<stash>& keep, Host& host) : shape_{shape}, host_{host} {
    for (std::size_t i = 0; i < shape.copies(); ++i) copies_.push_back(std::make_unique<copy>(shape, keep, stages{}));
  }

  /// Before each run. `parameters` has one view for each copy.
  void begin(const pass_context& context, std::span<const parameter_view<Compute>> parameters) {
    context_ = context;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      copies_[i]->parameters = parameters[i];
      std::apply([](auto&... worker) { (worker.clear(), ...); }, copies_[i]->workers);
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
    static constexpr auto table = []<std::size_t... S>(std::index_sequence<S...>) {
      return std::array<void (*)(const copy&, const pass_context&, std::size_t, std::span<float>), P::stage_count>{
          [](const copy& c, const pass_context& x, std::size_t from, std::span<float> sum) {
            std::get<S>(c.workers).add_gradients(x, from, sum);
          }...};
    }(stages{});
    std::fill(to.begin(), to.end(), 0.0f);
    for (const auto& c : copies_) table[stage](*c, context_, first, to);
  }

  /// What a copy sets aside for activations of a stage.
  std::size_t stash_bytes(std::size_t stage) const {
    std::size_t found = 0;
    for_each_stage<P>([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
      if (S == stage) found = std::get<S>(copies_[0]->workers).stash_bytes();
    });
    return found;
  }

 private:
  using stages = std::make_index_sequence<P::stage_count>;
  using run_stage = run::attempt (*)(pipeline_work&, std::size_t copy, schedule::pass, std::size_t m);

  template <class Stages>
  struct workers_of;
  template <std::size_t... S>
  struct workers_of<std::index_sequence<S...>> {
    using type = std::tuple<stage_worker<P, S, Compute, Accumulator>...>;
  };

  struct copy {
    template <std::size_t... S>
    copy(const work_shape& shape, const std::vector<stash>& keep, std::index_sequence<S...>)
        : workers{stage_worker<P, S, Compute, Accumulator>{shape.samples, shape.micro_batches, keep[S],
                                                           shape.training}...} {
      (add_link<S>(shape, keep), ...);
    }
    template <std::size_t S>
    void add_link(const work_shape& shape, const std::vector<stash>& keep) {
      if constexpr (S + 1 < P::stage_count) {
        const auto& next = std::get<S + 1>(workers);
        links.push_back(std::make_unique<link>(next.outgoing(keep[S], shape.training), keep[S].gradients_in,
                                               shape.training ? next.entry_gradient_bytes() : 0));
      }
    }

    typename workers_of<stages>::type workers;
    std::vector<std::unique_ptr<link>> links;  // links[s] lies between stages s and s + 1
    parameter_view<Compute> parameters{};
  };

  run::attempt one(std::size_t replica, std::size_t ipu, const schedule::op& o) {
    static constexpr auto table = []<std::size_t... S>(std::index_sequence<S...>) {
      return std::array<run_stage, P::stage_count>{&pipeline_work::template perform_stage<S>...};
    }(stages{});
    const std::size_t direction = o.micro_batch / shape_.micro_batches;
    // A stage of concurrent branches runs on the IPU of its first one.
    if (shape_.owners[direction * P::stage_count + o.stage] != ipu) return run::attempt::done;
    return table[o.stage](*this, replica * shape_.directions + direction, o.kind,
                          o.micro_batch - direction * shape_.micro_batches);
  }

  template <std::size_t S>
  static run::attempt perform_stage(pipeline_work& self, std::size_t index, schedule::pass kind, std::size_t m) {
    copy& c = *self.copies_[index];
    auto& worker = std::get<S>(c.workers);
    link* const before = S == 0 ? nullptr : c.links[S - (S == 0 ? 0 : 1)].get();
    link* const after = S + 1 == P::stage_count ? nullptr : c.links[S].get();
    constexpr auto& offsets = offsets_of<P>;
    const nn::parameters<Compute> p{c.parameters.values + offsets.values[S], c.parameters.state + offsets.state[S]};
    pass_context context = self.context_;
    context.first_micro_batch += index * self.shape_.micro_batches;
    switch (kind) {
      case schedule::pass::forward: {
        bound_host host{self.host_, index};
        return worker.forward(m, before, after, p, context, host);
      }
      case schedule::pass::backward:
        return worker.backward(m, before, after, p, context);
      case schedule::pass::backward_inputs:
        return worker.backward_inputs(m, before, after, p, context);
      case schedule::pass::backward_weights:
        return worker.backward_weights(m, p, context);
      case schedule::pass::recompute:
        return worker.recompute(m, p, context);
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
