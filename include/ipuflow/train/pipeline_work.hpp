// SPDX-License-Identifier: BSL-1.0
// A pipeline of layers as work for the executor: copies of all its stages, one for each replica and for each direction in
// which a schedule runs. Copies share parameters and nothing else; what they learn is added up in their order.
#pragma once

#include <ipuflow/run/executor.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/train/link.hpp>
#include <ipuflow/train/stage_worker.hpp>
#include <ipuflow/train/stash.hpp>

#include <cstddef>
#include <memory>
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

template <class P>
struct stage_offsets {
  std::size_t values[P::stage_count + 1]{};
  std::size_t state[P::stage_count + 1]{};
};

/// Where the parameters of each stage begin. Stages follow the order of the blocks, so the numbers of a model lie in the
/// same order however it is grouped.
template <class P, class Compute>
inline constexpr stage_offsets<P> offsets_of = [] {
  stage_offsets<P> offsets;
  [&]<std::size_t... S>(std::index_sequence<S...>) {
    ((offsets.values[S + 1] = offsets.values[S] + nn::stage_program<P, S, Compute>::parameter_count,
      offsets.state[S + 1] = offsets.state[S] + nn::stage_program<P, S, Compute>::state_count),
     ...);
  }(std::make_index_sequence<P::stage_count>{});
  return offsets;
}();

/// `Host` gives a copy its inputs and takes its outputs: `host.load(copy, program, memory, m)`, `host.store(...)`.
template <class P, class Compute, class Accumulator, class Host>
class pipeline_work {
 public:
  struct sizes {
    std::size_t samples = 1;
    std::size_t micro_batches = 1;  ///< of one copy
    std::size_t copies = 1;
    std::size_t directions = 1;
    std::size_t ipus = 1;
    bool training = true;
  };

  pipeline_work(const sizes& size, const std::vector<stash>& keep, Host& host) : size_{size}, host_{host} {
    for (std::size_t i = 0; i < size.copies; ++i) copies_.push_back(std::make_unique<copy>(size, keep, stages{}));
  }

  /// Before each run.
  void begin(const pass_context& context, const std::vector<parameter_view<Compute>>& parameters) {
    context_ = context;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      copies_[i]->parameters = parameters[i];
      std::apply([](auto&... worker) { (worker.clear(), ...); }, copies_[i]->workers);
      for (auto& l : copies_[i]->links) l->clear();
    }
  }

  run::progress perform(std::size_t ipu, const schedule::op& o, std::size_t count) {
    run::progress made;
    for (schedule::op now = o; made.done < count; ++made.done, ++now.micro_batch) {
      made.next = one(ipu / size_.ipus, now);
      if (made.next != run::attempt::done) break;
    }
    return made;
  }

  /// The gradient of parameter `i` of a stage, added up over the copies.
  template <std::size_t S>
  float gradient(std::size_t i) const {
    float sum = 0;
    for (const auto& c : copies_) sum += std::get<S>(c->workers).gradient(i, context_);
    return sum;
  }

  std::size_t stash_bytes(std::size_t stage) const {
    std::size_t found = 0;
    each_worker(*copies_[0], [&](std::size_t s, const auto& worker) { found = s == stage ? worker.stash_bytes() : found; });
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
    copy(const sizes& size, const std::vector<stash>& keep, std::index_sequence<S...>)
        : workers{stage_worker<P, S, Compute, Accumulator>{size.samples, size.micro_batches, keep[S], size.training}...} {
      (add_link<S>(size, keep), ...);
    }
    template <std::size_t S>
    void add_link(const sizes& size, const std::vector<stash>& keep) {
      if constexpr (S + 1 < P::stage_count) {
        const auto& next = std::get<S + 1>(workers);
        links.push_back(std::make_unique<link>(next.outgoing(keep[S], size.training), keep[S].gradients_in,
                                               size.training ? next.entry_gradient_bytes() : 0));
      }
    }

    typename workers_of<stages>::type workers;
    std::vector<std::unique_ptr<link>> links;  // links[s] lies between stages s and s + 1
    parameter_view<Compute> parameters{};
  };

  run::attempt one(std::size_t replica, const schedule::op& o) {
    static constexpr auto table = []<std::size_t... S>(std::index_sequence<S...>) {
      return std::array<run_stage, P::stage_count>{&pipeline_work::template perform_stage<S>...};
    }(stages{});
    const std::size_t half = size_.micro_batches;
    const std::size_t direction = size_.directions == 2 && o.micro_batch >= half ? 1 : 0;
    return table[o.stage](*this, replica * size_.directions + direction, o.kind, o.micro_batch - direction * half);
  }

  template <std::size_t S>
  static run::attempt perform_stage(pipeline_work& self, std::size_t index, schedule::pass kind, std::size_t m) {
    copy& c = *self.copies_[index];
    auto& worker = std::get<S>(c.workers);
    link* const before = S == 0 ? nullptr : c.links[S - (S == 0 ? 0 : 1)].get();
    link* const after = S + 1 == P::stage_count ? nullptr : c.links[S].get();
    constexpr auto& offsets = offsets_of<P, Compute>;
    const nn::parameters<Compute> p{c.parameters.values + offsets.values[S], c.parameters.state + offsets.state[S]};
    pass_context context = self.context_;
    context.first_micro_batch += index * self.size_.micro_batches;
    switch (kind) {
      case schedule::pass::forward: {
        bound_host host{self.host_, index};
        return worker.forward(m, before, after, p, context, host);
      }
      case schedule::pass::backward: return worker.backward(m, before, after, p, context);
      case schedule::pass::backward_inputs: return worker.backward_inputs(m, before, after, p, context);
      case schedule::pass::backward_weights: return worker.backward_weights(m, p, context);
      case schedule::pass::recompute: return worker.recompute(m, p, context);
      default: return run::attempt::done;  // infeed and outfeed are part of the first and last stage; updates follow a run
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

  template <class Visit>
  static void each_worker(const copy& c, Visit visit) {
    [&]<std::size_t... S>(std::index_sequence<S...>) { (visit(S, std::get<S>(c.workers)), ...); }(stages{});
  }

  sizes size_;
  Host& host_;
  std::vector<std::unique_ptr<copy>> copies_;
  pass_context context_{};
};

}  // namespace ipuflow::train
