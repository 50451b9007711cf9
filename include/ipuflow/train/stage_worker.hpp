// SPDX-License-Identifier: BSL-1.0
// One stage of one copy of a pipeline of layers: its memory, and what each pass does with it. All memory is set aside
// when the worker is made, as much as the timetable was found to keep; a pass that has to wait for a neighbour says so
// before it has touched anything.
#pragma once

#include <ipuflow/nn/stage_program.hpp>
#include <ipuflow/run/executor.hpp>
#include <ipuflow/train/accumulation.hpp>
#include <ipuflow/train/link.hpp>
#include <ipuflow/train/memory_block.hpp>
#include <ipuflow/train/stash.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

template <class P, std::size_t Stage, class Compute, class Accumulator>
class stage_worker {
 public:
  using program_type = nn::stage_program<P, Stage, Compute>;
  static constexpr bool is_first = Stage == 0;
  static constexpr bool is_last = Stage + 1 == P::stage_count;

  stage_worker(std::size_t samples, std::size_t micro_batches, const stash& keep, bool training)
      : program_{samples},
        training_{training},
        flights_(micro_batches),
        gradient_(training ? program_type::parameter_count : 0),
        total_(training ? program_type::parameter_count : 0),
        passing_{values(nn::area::passing)},
        passing_gradients_{slopes(nn::area::passing)},
        own_gradient_{is_first ? slopes(nn::area::entry) : 0} {
    const std::size_t entries = is_first || training ? keep.in_flight : 0;
    entries_ = {entries, values(nn::area::entry)};
    const bool again = keep.recomputed > 0;
    activations_ = {again ? keep.recomputed : keep.in_flight, values(nn::area::kept) + values(nn::area::exit)};
    if (again || !training) outgoing_ = {outgoing_slots, values(nn::area::kept) + values(nn::area::exit)};
    if (training) slopes_ = {keep.slopes, slopes(nn::area::kept) + slopes(nn::area::exit)};
  }

  const program_type& program() const { return program_; }
  /// Adds to `to` what a run has added up for the parameters from `first` on.
  void add_gradients(const pass_context& c, std::size_t first, std::span<float> to) const {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] += c.one_by_one ? static_cast<float>(total_[first + i]) : static_cast<float>(gradient_[first + i]);
    }
  }

  /// How many activations may be on their way to the next stage.
  static std::size_t outgoing(const stash& keep, bool training) {
    return training && keep.recomputed == 0 ? keep.in_flight : outgoing_slots;
  }
  std::size_t entry_gradient_bytes() const { return slopes(nn::area::entry); }

  /// `host.load(program, memory, m)` fills the entry of the first stage, `host.store(program, memory, m)` reads the
  /// exit of the last one.
  template <class Host>
  run::attempt forward(std::size_t m, link* before, link* after, nn::parameters<Compute> p, const pass_context& c,
                       Host& host) {
    activations* in = nullptr;
    if constexpr (!is_first) {
      const auto seen = before->forward.peek(1);
      if (seen.empty()) return run::attempt::wait;
      in = &seen[0];
    }
    if constexpr (!is_last) {
      if (!after->forward.has_room()) return run::attempt::wait;
    }
    flight& f = flights_[m];
    nn::stage_memory memory = bare();
    const bool in_place = !is_first && !training_;
    if (in_place) {
      memory.value(nn::area::entry) = in->memory;
    } else {
      f.entry = entries_.take();
      memory.value(nn::area::entry) = entries_[f.entry];
      if constexpr (is_first) {
        host.load(program_, memory, m);
      } else {
        std::memcpy(entries_[f.entry], in->memory, values(nn::area::entry));
        before->forward.release(1);
      }
    }
    attach(memory, made_here(f));
    program_.forward(memory, p, context_of(m, c, c.training));
    if constexpr (is_last) host.store(program_, memory, m);
    if constexpr (!is_last) after->forward.try_push({memory.value(nn::area::exit), m});
    if (in_place) before->forward.release(1);
    if (!training_ && is_first) entries_.give(f.entry);
    return run::attempt::done;
  }

  /// Activations again, from the stashed entry.
  run::attempt recompute(std::size_t m, nn::parameters<Compute> p, const pass_context& c) {
    flight& f = flights_[m];
    f.values = activations_.take();
    nn::stage_memory memory = bare();
    memory.value(nn::area::entry) = entries_[f.entry];
    attach(memory, activations_[f.values]);
    program_.forward(memory, p, context_of(m, c, false));
    return run::attempt::done;
  }

  run::attempt backward(std::size_t m, link* before, link* after, nn::parameters<Compute> p, const pass_context& c) {
    const run::attempt result = inputs(m, before, after, c, [&](const nn::stage_memory& memory) {
      program_.backward(memory, p, context_of(m, c, false), gradient_.data());
    });
    if (result == run::attempt::done) let_go(flights_[m], c);
    return result;
  }

  run::attempt backward_inputs(std::size_t m, link* before, link* after, nn::parameters<Compute> p,
                               const pass_context& c) {
    return inputs(m, before, after, c, [&](const nn::stage_memory& memory) {
      program_.backward_inputs(memory, p, context_of(m, c, false));
    });
  }

  run::attempt backward_weights(std::size_t m, nn::parameters<Compute> p, const pass_context& c) {
    flight& f = flights_[m];
    nn::stage_memory memory = stashed(f);
    program_.backward_weights(memory, p, context_of(m, c, false), gradient_.data());
    let_go(f, c);
    return run::attempt::done;
  }

  /// Before a run; forgets what an unfinished one has left.
  void clear() {
    std::fill(gradient_.begin(), gradient_.end(), Compute{});
    std::fill(total_.begin(), total_.end(), Accumulator{});
    finished_ = 0;
    entries_.clear();
    activations_.clear();
    slopes_.clear();
    next_outgoing_ = 0;
  }

  /// What all of it takes.
  std::size_t stash_bytes() const { return entries_.bytes() + activations_.bytes(); }

 private:
  static constexpr std::size_t outgoing_slots = 3;

  /// Which blocks a micro-batch has.
  struct flight {
    std::size_t entry = 0;
    std::size_t values = 0;
    std::size_t slopes = 0;
  };

  std::size_t values(nn::area where) const { return program_.layout().bytes_of_values(where).value; }
  std::size_t slopes(nn::area where) const { return program_.layout().bytes_of_gradients(where).value; }

  nn::context context_of(std::size_t m, const pass_context& c, bool updates_state) const {
    return {
        .seed = c.seed, .micro_batch = c.first_micro_batch + m, .training = c.training, .updates_state = updates_state};
  }
  nn::stage_memory bare() const {
    nn::stage_memory memory;
    memory.value(nn::area::passing) = passing_.data();
    memory.gradient(nn::area::passing) = passing_gradients_.data();
    return memory;
  }
  void attach(nn::stage_memory& memory, std::byte* block) const {
    memory.value(nn::area::kept) = block;
    memory.value(nn::area::exit) = block + values(nn::area::kept);
  }
  nn::stage_memory stashed(const flight& f) const {
    nn::stage_memory memory = bare();
    memory.value(nn::area::entry) = entries_[f.entry];
    attach(memory, activations_[f.values]);
    memory.gradient(nn::area::kept) = slopes_[f.slopes];
    memory.gradient(nn::area::exit) = slopes_[f.slopes] + slopes(nn::area::kept);
    return memory;
  }
  /// Where the forward pass writes: into the stash, or where it lasts only until the next stage has read it.
  std::byte* made_here(flight& f) {
    if (outgoing_.size() > 0) return outgoing_[next_outgoing_++ % outgoing_.size()];
    f.values = activations_.take();
    return activations_[f.values];
  }

  template <class Backward>
  run::attempt inputs(std::size_t m, link* before, link* after, const pass_context& c, Backward pass) {
    const gradients* in = nullptr;
    if constexpr (!is_last) {
      const auto seen = after->backward.peek(1);
      if (seen.empty()) return run::attempt::wait;
      in = &seen[0];
    }
    gradients* out = nullptr;
    if constexpr (!is_first) {
      const auto room = before->backward.reserve(1);
      if (room.empty()) return run::attempt::wait;
      out = &room[0];
    }
    flight& f = flights_[m];
    f.slopes = slopes_.take();
    nn::stage_memory memory = stashed(f);
    memory.gradient(nn::area::entry) = is_first ? own_gradient_.data() : out->memory.data();
    if constexpr (is_last) {
      program_.seed_gradients(memory, static_cast<Compute>(c.loss_gradient));
    } else {
      std::memcpy(memory.gradient(nn::area::exit), in->memory.data(), slopes(nn::area::exit));
      after->backward.release(1);
    }
    pass(memory);
    if constexpr (!is_first) {
      out->micro_batch = m;
      before->backward.commit(1);
    }
    return run::attempt::done;
  }

  void let_go(const flight& f, const pass_context& c) {
    entries_.give(f.entry);
    activations_.give(f.values);
    slopes_.give(f.slopes);
    if (!c.one_by_one) return;
    accumulate(scales_of(c.how, finished_++, c.micro_batches), std::span{total_}, std::span<const Compute>{gradient_});
    std::fill(gradient_.begin(), gradient_.end(), Compute{});
  }

  program_type program_;
  bool training_;
  std::vector<flight> flights_;
  std::vector<Compute> gradient_;
  std::vector<Accumulator> total_;
  std::size_t finished_ = 0;
  memory_block passing_;
  memory_block passing_gradients_;
  memory_block own_gradient_;
  memory_pool entries_;
  memory_pool activations_;
  memory_pool outgoing_;
  memory_pool slopes_;
  std::size_t next_outgoing_ = 0;
};

}  // namespace ipuflow::train
