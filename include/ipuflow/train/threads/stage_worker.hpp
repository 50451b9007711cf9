// SPDX-License-Identifier: BSL-1.0
// One stage of one copy of a pipeline of layers, or one of its concurrent branches: what each pass does. A pass that
// has to wait for a neighbour says so before it has touched anything.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/run/threads/itinerary.hpp>
#include <ipuflow/train/threads/accumulation.hpp>
#include <ipuflow/train/threads/exchange.hpp>
#include <ipuflow/train/threads/gradient_sums.hpp>
#include <ipuflow/train/threads/not_a_number.hpp>
#include <ipuflow/train/threads/stage_stash.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ipuflow::train::impl {

/// Settings that change from run to run, the same for all stages of a copy.
struct pass_context {
  std::uint64_t seed = 0;
  std::uint64_t first_micro_batch = 0;  ///< of the run, counted over the whole training
  float loss_gradient = 1;              ///< of every sample
  bool training = true;
  bool one_by_one = false;  ///< add up gradients micro-batch by micro-batch, as `how` says, and in types of their own
  reduction how = reduction::sum;
  std::size_t micro_batches = 1;  ///< that a copy adds up
  bool looks_at_losses = false;
  bool looks_at_everything = false;
};

/// The host of a run: it gives the copies of a pipeline their inputs and takes their outputs.
template <class T>
struct pass_host {
  /// Fills the entry of the first stage, or of one of its branches.
  virtual void load(std::size_t copy, const nn::host_stage<T>& stage, const nn::stage_memory& memory,
                    std::size_t m) = 0;
  /// Reads the exit of the last one.
  virtual void store(std::size_t copy, const nn::host_stage<T>& stage, const nn::stage_memory& memory,
                     std::size_t m) = 0;

 protected:
  ~pass_host() = default;
};

template <class T>
class stage_worker {
 public:
  /// `accumulators`: of all parameters of the model.
  [[gnu::cold]] stage_worker(const network_code<T>& code, std::size_t seat, std::size_t samples, std::size_t micro_batches,
               const stash& keep, bool training, const light_vector<accumulator_run>& accumulators = {})
      : is_last_{code.seats.stage[seat] + 1 == code.seats.stages()},
        keeps_{what_to_keep(code.code[seat].plan, keep, training)},
        stage_{code.code[seat], samples, keeps_ == keeping::checkpoints},
        exchange_{code, seat, stage_.layout(), training},
        stash_{stage_.layout(), keep, {micro_batches, keeps_, reads_in_place(), plan().exit_is_read_later}},
        gradient_(training ? plan().parameters : 0),
        total_{runs_within(accumulators, code.seats.values[seat], training ? plan().parameters : 0)} {}

  /// Branches before and behind.
  std::size_t senders() const { return exchange_.senders(); }
  std::size_t receivers() const { return exchange_.receivers(); }
  void connect(light_vector<link*> before, light_vector<link*> after) {
    exchange_.connect(std::move(before), std::move(after));
  }
  /// A link behind this stage: as many activations and gradients as may be under way.
  owner<link> make_link(const stash& keep, bool training) const {
    return make_owner<link>(stage_stash::room_for_outgoing(keep, keeps_), keep.gradients_in,
                                  training ? exchange_.exit_gradient_bytes() : 0);
  }

  /// Gradients of the parameters of this stage from `first` on, as a run has added them up.
  void gradients(const pass_context& c, std::size_t first, light_span<float> to) const {
    if (c.one_by_one) return total_.read(first, to);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(gradient_[first + i]);
  }
  /// The same where they lie, if they are floats that nothing else adds up.
  [[nodiscard]] const float* gradients_at_hand(const pass_context& c, std::size_t first) const {
    if constexpr (std::is_same_v<T, float>) return c.one_by_one ? nullptr : gradient_.data() + first;
    return nullptr;
  }
  /// Rounds what was added up over copies to what accumulators can hold.
  void round_gradients(std::size_t first, light_span<float> sums) const { total_.round(first, sums); }

  /// `copy`: of the pipeline, for the host.
  run::attempt forward(std::size_t m, nn::parameters<T> p, const pass_context& c, pass_host<T>& host,
                       std::size_t copy) {
    if (!exchange_.has_come() || !exchange_.has_room()) return run::attempt::wait;
    nn::stage_memory memory = stash_.forward(m);
    if (exchange_.senders() == 0) {
      host.load(copy, stage_, memory, m);
    } else if (reads_in_place()) {
      memory.value(nn::area::entry) = exchange_.received();
    } else {
      exchange_.receive(memory.value(nn::area::entry));
    }
    stage_.forward(memory, p, context_of(m, c, c.training));
    if (c.looks_at_everything) look_at_everything(stage_, memory, light_span{p.values, plan().parameters}, exchange_.senders() == 0);
    if (c.looks_at_losses && is_last_) look_at_losses(stage_, memory);
    if (is_last_) host.store(copy, stage_, memory, m);
    exchange_.send(memory.value(nn::area::exit), m);
    if (reads_in_place()) exchange_.release();
    return run::attempt::done;
  }

  /// Activations again, from what was kept.
  run::attempt recompute(std::size_t m, nn::parameters<T> p, const pass_context& c) {
    stage_.recompute(stash_.recompute(m), p, context_of(m, c, false));
    return run::attempt::done;
  }

  run::attempt backward(std::size_t m, nn::parameters<T> p, const pass_context& c) {
    const run::attempt result = inputs(m, c, [&](const nn::stage_memory& memory) {
      if (keeps_ == keeping::checkpoints) {
        stage_.backward_by_segment(memory, p, context_of(m, c, false), gradient_.data());
      } else {
        stage_.backward(memory, p, context_of(m, c, false), gradient_.data());
      }
    });
    if (result == run::attempt::done) let_go(m, c);
    return result;
  }

  run::attempt backward_inputs(std::size_t m, nn::parameters<T> p, const pass_context& c) {
    return inputs(
        m, c, [&](const nn::stage_memory& memory) { stage_.backward_inputs(memory, p, context_of(m, c, false)); });
  }

  run::attempt backward_weights(std::size_t m, nn::parameters<T> p, const pass_context& c) {
    stage_.backward_weights(stash_.backward(m), p, context_of(m, c, false), gradient_.data());
    let_go(m, c);
    return run::attempt::done;
  }

  /// Before a run; forgets what an unfinished one has left.
  void clear() {
    algorithms::fill(gradient_.begin(), gradient_.end(), T{});
    total_.clear();
    finished_ = 0;
    stash_.clear();
  }

  [[nodiscard]] std::size_t stash_bytes() const { return stash_.bytes(); }

 private:
  /// A last stage of which no other micro-batch waits has what it made at hand when its backward pass begins; without checkpoints it
  /// keeps that.
  keeping what_to_keep(const nn::plan_view& plan, const stash& keep, bool training) const {
    if (!training) return keeping::nothing;
    if (keep.recomputed > 0) return keeping::entries;
    const bool within = keep.within && (!is_last_ || plan.segments > 1 || keep.in_flight > 1);
    return within ? keeping::checkpoints : keeping::activations;
  }
  bool reads_in_place() const { return exchange_.in_place() && keeps_ == keeping::nothing; }
  const nn::plan_view& plan() const { return stage_.code().plan; }

  nn::context context_of(std::size_t m, const pass_context& c, bool updates_state) const {
    return {
        .seed = c.seed, .micro_batch = c.first_micro_batch + m, .training = c.training, .updates_state = updates_state};
  }

  template <class Backward>
  run::attempt inputs(std::size_t m, const pass_context& c, Backward pass) {
    if (!exchange_.gradients_have_come() || !exchange_.gradients_have_room()) return run::attempt::wait;
    nn::stage_memory memory = stash_.begin_backward(m);
    memory.gradient(nn::area::entry) = exchange_.gradients_to_send();
    if (is_last_) {
      stage_.seed_gradients(memory, static_cast<T>(c.loss_gradient));
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
    total_.add(scales_of(c.how, finished_++, c.micro_batches), light_span<const T>{gradient_});
    algorithms::fill(gradient_.begin(), gradient_.end(), T{});
  }

  bool is_last_;
  keeping keeps_;
  nn::host_stage<T> stage_;
  exchange<T> exchange_;
  stage_stash stash_;
  light_vector<T> gradient_;
  gradient_sums total_;
  std::size_t finished_ = 0;
};

}  // namespace ipuflow::train::impl
