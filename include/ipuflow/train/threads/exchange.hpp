// SPDX-License-Identifier: BSL-1.0
// An exchange hands values and gradients between one branch of a stage and the stages beside it. Every branch has a link with every
// branch of a neighbouring stage. What enters is put together from what the branches before it give; gradients that
// come back from several branches are added up in the order of the branches, whichever came first, so that no order of
// threads shows.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/stage/host_stage.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/train/threads/link.hpp>
#include <ipuflow/train/threads/memory_block.hpp>
#include <ipuflow/train/threads/network_code.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace ipuflow::train::impl {

/// A part of one message in another one.
struct message_part {
  std::size_t inner = 0;
  std::size_t outer = 0;
  std::size_t bytes = 0;
};

/// The places in the entry of the next stage at which values, or gradients, of a branch lie.
template <class T>
[[gnu::cold]] dynamic_array<message_part> parts_of(const nn::stage_code<T>& sender, const nn::host_layout& sent,
                                   const nn::host_layout& received, bool gradients) {
  dynamic_array<message_part> parts;
  for (std::size_t i = 0; i < sender.plan.leaving.size(); ++i) {
    const nn::slot_plan& slot = sender.plan.slots[sender.plan.leaving[i]];
    const std::size_t to = sender.leaves_at[i];
    const std::size_t bytes = nn::bytes_for(slot, sent.samples);
    if (!gradients) {
      parts.push_back({sent.value_offset[slot.root], received.value_offset[to], bytes});
    } else if (slot.travels_back) {
      parts.push_back({sent.gradient_offset[slot.gradient_root], received.gradient_offset[to], bytes});
    }
  }
  return parts;
}

template <class T>
class exchange {
 public:
  [[gnu::cold]] exchange(const network_code<T>& code, std::size_t seat, const nn::host_layout& layout, bool training)
      : entry_bytes_{layout.bytes_of_values(nn::area::entry).value},
        exit_gradient_bytes_{layout.bytes_of_gradients(nn::area::exit).value} {
    const seat_table& seats = code.seats;
    const std::size_t stage = seats.stage[seat];
    const nn::plan_view& plan = code.code[seat].plan;
    for (const std::size_t out : plan.leaving) {
      const nn::slot_plan& slot = plan.slots[out];
      if (!slot.travels_back) continue;
      exit_gradients_.push_back({&slot, layout.gradient_offset[slot.gradient_root], nn::bytes_for(slot, layout.samples)});
    }
    before_ = light_vector<link*>(stage == 0 ? 0 : seats.branches(stage - 1));
    after_ = light_vector<link*>(stage + 1 == seats.stages() ? 0 : seats.branches(stage + 1));
    if (training && !in_place()) own_gradient_ = memory_block{layout.bytes_of_gradients(nn::area::entry).value};
    for (std::size_t b = 0; before_.size() > 1 && b < before_.size(); ++b) {
      const nn::stage_code<T>& sender = code.code[seats.first[stage - 1] + b];
      const nn::host_layout sent = nn::layout_of(sender.plan, layout.samples);
      values_.push_back(parts_of(sender, sent, layout, false));
      gradients_.push_back(parts_of(sender, sent, layout, true));
    }
  }

  std::size_t senders() const { return before_.size(); }
  std::size_t receivers() const { return after_.size(); }
  /// The values of a single branch may be read where they are.
  bool in_place() const { return before_.size() == 1; }

  /// One link for each branch before and behind, in their order.
  void connect(light_vector<link*> before, light_vector<link*> after) {
    before_ = std::move(before);
    after_ = std::move(after);
  }
  [[nodiscard]] std::size_t exit_gradient_bytes() const { return exit_gradient_bytes_; }

  bool has_come() {
    for (link* l : before_) {
      if (l->forward.peek(1).empty()) return false;
    }
    return true;
  }
  bool has_room() {
    for (link* l : after_) {
      if (!l->forward.has_room()) return false;
    }
    return true;
  }
  /// The values that have come, where the one sender has them, until `release`.
  std::byte* received() { return before_[0]->forward.peek(1)[0].memory; }
  void release() {
    for (link* l : before_) l->forward.release(1);
  }
  /// Copies the values that have come into memory of the receiver.
  void receive(std::byte* entry) {
    if (in_place()) {
      std::memcpy(entry, received(), entry_bytes_);
    } else {
      for (std::size_t b = 0; b < before_.size(); ++b) {
        const std::byte* from = before_[b]->forward.peek(1)[0].memory;
        for (const message_part& p : values_[b]) std::memcpy(entry + p.outer, from + p.inner, p.bytes);
      }
    }
    release();
  }
  void send(std::byte* exit, std::size_t micro_batch) {
    for (link* l : after_) (void)l->forward.try_push({exit, micro_batch});
  }

  bool gradients_have_come() {
    for (link* l : after_) {
      if (l->backward.peek(1).empty()) return false;
    }
    return true;
  }
  bool gradients_have_room() {
    for (link* l : before_) {
      if (l->backward.reserve(1).empty()) return false;
    }
    return true;
  }
  void receive_gradients(std::byte* exit) {
    for (std::size_t c = 0; c < after_.size(); ++c) {
      const std::byte* from = after_[c]->backward.peek(1)[0].memory.data();
      if (c > 0) {
        for (const exit_gradient& g : exit_gradients_) nn::add_gradient<T>(*g.slot, exit + g.offset, from + g.offset, g.bytes);
      } else if (exit_gradient_bytes_ > 0) {  // none flow into whole numbers
        std::memcpy(exit, from, exit_gradient_bytes_);
      }
      after_[c]->backward.release(1);
    }
  }
  /// The place at which the gradients that go back are written, before `send_gradients`.
  std::byte* gradients_to_send() {
    if (in_place()) {
      return before_[0]->backward.reserve(1)[0].memory.data();
    } else {
      return own_gradient_.data();
    }
  }
  void send_gradients(std::size_t micro_batch) {
    for (std::size_t b = 0; b < before_.size(); ++b) {
      gradients& slot = before_[b]->backward.reserve(1)[0];
      if (!in_place()) {
        for (const message_part& p : gradients_[b]) {
          std::memcpy(slot.memory.data() + p.inner, own_gradient_.data() + p.outer, p.bytes);
        }
      }
      slot.micro_batch = micro_batch;
      before_[b]->backward.commit(1);
    }
  }

 private:
  /// The place of a gradient that comes back.
  struct exit_gradient {
    const nn::slot_plan* slot = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  std::size_t entry_bytes_;
  std::size_t exit_gradient_bytes_;
  light_vector<exit_gradient> exit_gradients_;
  memory_block own_gradient_;
  dynamic_array<dynamic_array<message_part>> values_;  // of each branch before, if there are several
  dynamic_array<dynamic_array<message_part>> gradients_;
  light_vector<link*> before_;
  light_vector<link*> after_;
};

}  // namespace ipuflow::train::impl
