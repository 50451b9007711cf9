// SPDX-License-Identifier: BSL-1.0
// One stage of one copy of a pipeline of layers, or one of its concurrent branches: what each pass does. A pass that
// has to wait for a neighbour says so before it has touched anything.
#pragma once

#include <ipuflow/run/threads/itinerary.hpp>
#include <ipuflow/train/threads/accumulation.hpp>
#include <ipuflow/train/threads/exchange.hpp>
#include <ipuflow/train/threads/stage_stash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ipuflow::train {

/// What changes from run to run, the same for all stages of a copy.
struct pass_context {
  std::uint64_t seed = 0;
  std::uint64_t first_micro_batch = 0;  ///< of the run, counted over the whole training
  float loss_gradient = 1;              ///< of every sample
  bool training = true;
  bool one_by_one = false;  ///< add up gradients micro-batch by micro-batch, as `how` says
  reduction how = reduction::sum;
  std::size_t micro_batches = 1;  ///< that a copy adds up
};

template <class P, std::size_t Seat, class Compute, class Accumulator>
class stage_worker {
 public:
  using program_type = seat_program<P, Seat, Compute>;
  using exchange_type = exchange<P, Seat, Compute>;
  static constexpr bool is_first = exchange_type::senders == 0;
  static constexpr bool is_last = exchange_type::receivers == 0;

  stage_worker(std::size_t samples, std::size_t micro_batches, const stash& keep, bool training)
      : keeps_{what_to_keep(keep, training)},
        program_{samples, keeps_ == keeping::checkpoints},
        exchange_{program_, training},
        stash_{
            program_.layout(), keep, {micro_batches, keeps_, reads_in_place(), program_type::plan.exit_is_read_later}},
        gradient_(training ? program_type::parameter_count : 0),
        total_(training ? program_type::parameter_count : 0) {}

  void connect(const std::array<link*, exchange_type::senders>& before,
               const std::array<link*, exchange_type::receivers>& after) {
    exchange_.connect(before, after);
  }
  /// A link behind this stage: as many activations and gradients as may be under way.
  [[nodiscard]] std::unique_ptr<link> make_link(const stash& keep, bool training) const {
    return std::make_unique<link>(stage_stash::room_for_outgoing(keep, what_to_keep(keep, training)), keep.gradients_in,
                                  training ? exchange_.exit_gradient_bytes() : 0);
  }

  [[nodiscard]] const program_type& program() const { return program_; }
  /// Adds to `to` what a run has added up for the parameters of this stage from `first` on.
  void add_gradients(const pass_context& c, std::size_t first, std::span<float> to) const {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] += c.one_by_one ? static_cast<float>(total_[first + i]) : static_cast<float>(gradient_[first + i]);
    }
  }

  /// `host.load(program, memory, m)` fills the entry of the first stage, `host.store(program, memory, m)` reads the
  /// exit of the last one.
  template <class Host>
  run::attempt forward(std::size_t m, nn::parameters<Compute> p, const pass_context& c, Host& host) {
    if (!exchange_.has_come() || !exchange_.has_room()) return run::attempt::wait;
    nn::stage_memory memory = stash_.forward(m);
    if constexpr (is_first) {
      host.load(program_, memory, m);
    } else if (reads_in_place()) {
      if constexpr (exchange_type::in_place) memory.value(nn::area::entry) = exchange_.received();
    } else {
      exchange_.receive(memory.value(nn::area::entry));
    }
    program_.forward(memory, p, context_of(m, c, c.training));
    if constexpr (is_last) host.store(program_, memory, m);
    exchange_.send(memory.value(nn::area::exit), m);
    if (reads_in_place()) exchange_.release();
    return run::attempt::done;
  }

  /// Activations again, from what was kept.
  run::attempt recompute(std::size_t m, nn::parameters<Compute> p, const pass_context& c) {
    program_.recompute(stash_.recompute(m), p, context_of(m, c, false));
    return run::attempt::done;
  }

  run::attempt backward(std::size_t m, nn::parameters<Compute> p, const pass_context& c) {
    const run::attempt result = inputs(m, c, [&](const nn::stage_memory& memory) {
      if (keeps_ == keeping::checkpoints) {
        program_.backward_by_segment(memory, p, context_of(m, c, false), gradient_.data());
      } else {
        program_.backward(memory, p, context_of(m, c, false), gradient_.data());
      }
    });
    if (result == run::attempt::done) let_go(m, c);
    return result;
  }

  run::attempt backward_inputs(std::size_t m, nn::parameters<Compute> p, const pass_context& c) {
    return inputs(
        m, c, [&](const nn::stage_memory& memory) { program_.backward_inputs(memory, p, context_of(m, c, false)); });
  }

  run::attempt backward_weights(std::size_t m, nn::parameters<Compute> p, const pass_context& c) {
    program_.backward_weights(stash_.backward(m), p, context_of(m, c, false), gradient_.data());
    let_go(m, c);
    return run::attempt::done;
  }

  /// Before a run; forgets what an unfinished one has left.
  void clear() {
    std::fill(gradient_.begin(), gradient_.end(), Compute{});
    std::fill(total_.begin(), total_.end(), Accumulator{});
    finished_ = 0;
    stash_.clear();
  }

  [[nodiscard]] std::size_t stash_bytes() const { return stash_.bytes(); }

 private:
  /// The last stage has what it made at hand when its backward pass begins; without checkpoints it keeps that.
  static keeping what_to_keep(const stash& keep, bool training) {
    if (!training) return keeping::nothing;
    if (keep.recomputed > 0) return keeping::entries;
    const bool within = keep.within && (!is_last || program_type::plan.segments > 1);
    return within ? keeping::checkpoints : keeping::activations;
  }
  bool reads_in_place() const { return exchange_type::in_place && keeps_ == keeping::nothing; }

  nn::context context_of(std::size_t m, const pass_context& c, bool updates_state) const {
    return {
        .seed = c.seed, .micro_batch = c.first_micro_batch + m, .training = c.training, .updates_state = updates_state};
  }

  template <class Backward>
  run::attempt inputs(std::size_t m, const pass_context& c, Backward pass) {
    if (!exchange_.gradients_have_come() || !exchange_.gradients_have_room()) return run::attempt::wait;
    nn::stage_memory memory = stash_.begin_backward(m);
    memory.gradient(nn::area::entry) = exchange_.gradients_to_send();
    if constexpr (is_last) {
      program_.seed_gradients(memory, static_cast<Compute>(c.loss_gradient));
    } else {
      exchange_.receive_gradients(memory.gradient(nn::area::exit));
    }
    pass(memory);
    exchange_.send_gradients(m);
    return run::attempt::done;
  }

  void let_go(std::size_t m, const pass_context& c) {
    stash_.let_go(m);
    if (!c.one_by_one) return;
    accumulate(scales_of(c.how, finished_++, c.micro_batches), std::span{total_}, std::span<const Compute>{gradient_});
    std::fill(gradient_.begin(), gradient_.end(), Compute{});
  }

  keeping keeps_;
  program_type program_;
  exchange_type exchange_;
  stage_stash stash_;
  std::vector<Compute> gradient_;
  std::vector<Accumulator> total_;
  std::size_t finished_ = 0;
};

}  // namespace ipuflow::train
