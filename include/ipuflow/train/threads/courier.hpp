// SPDX-License-Identifier: BSL-1.0
// A courier carries what links bring to their ends in other processes and back. Its messages are those of the program that `lower`
// makes of the timetable, in their order; as many may be under way as a link has room for, so what cannot hang where all IPUs are
// in one process cannot hang here. Whichever thread waits for something carries what there is.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/other_processes.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <utility>

namespace ipuflow::train::impl {

/// The bytes of one message in each direction.
struct message_sizes {
  std::size_t forward = 0;
  std::size_t backward = 0;
};

/// Those behind a seat.
template <class T>
message_sizes message_sizes_of(const network_code<T>& code, std::size_t sender, std::size_t samples) {
  const nn::host_layout layout = nn::layout_of(code.code[sender].plan, samples);
  return {layout.bytes_of_values(nn::area::exit).value, layout.bytes_of_gradients(nn::area::exit).value};
}

template <class = void>
class basic_courier {
 public:
  explicit basic_courier(other_processes& others) : others_{others} {}

  /// One end of the link is here: that of the seat which sends forward, or the other one. `other`: the process of that.
  void serve(const crossing& at, bool sends_forward, std::size_t other, message_sizes bytes, bool training) {
    link& way = *at.way;
    const std::size_t forward = 2 * at.number, backward = forward + 1;
    const std::size_t ahead = way.forward.capacity(), back = way.backward.capacity();
    if (sends_forward) {
      values_out_.push_back({way, others_.sender(other, forward, bytes.forward, ahead), bytes.forward});
      if (training) gradients_in_.push_back({way, others_.receiver(other, backward, bytes.backward, back), bytes.backward});
    } else {
      values_in_.push_back({way, others_.receiver(other, forward, bytes.forward, ahead)});
      if (training) gradients_out_.push_back({way, others_.sender(other, backward, bytes.backward, back), bytes.backward});
    }
  }
  [[nodiscard]] bool idle() const { return values_out_.empty() && values_in_.empty(); }

  /// Before a run in which each link carries that number of messages each way: what a process that is ahead sends for its next run waits for that.
  void begin(std::size_t messages) {
    for (auto& c : values_in_) c.left = messages;
    for (auto& c : gradients_in_) c.left = messages;
  }
  /// Carries what can be carried now, unless another thread does so.
  void carry() {
    if (!idle()) carry_and([] {});
  }
  /// The same, and then calls something that must not exchange messages at the same time.
  template <class Job>
  void carry_and(const Job& job) {
    if (busy_.exchange(true, std::memory_order_acquire)) return;  // partner: the release in turn
    const turn mine{busy_};
    if (!idle()) others_.waiting(carry_all());
    job();
  }
  /// After a run: returns when all that links have taken is on its way.
  void finish() {
    while (!all_sent()) carry();
  }

 private:
  struct turn {
    std::atomic<bool>& busy;
    explicit turn(std::atomic<bool>& b) : busy{b} {}
    turn(const turn&) = delete;
    ~turn() { busy.store(false, std::memory_order_release); }  // partner: the acquire in carry()
  };
  struct values_out {
    link& way;
    owner<message_sender> to;
    std::size_t bytes;
  };
  struct gradients_out {
    link& way;
    owner<message_sender> to;
    std::size_t bytes;
  };
  struct values_in {
    link& way;
    owner<message_receiver> from;
    std::size_t left = 0;  // messages of the run that have not come
    std::size_t lent = 0;  // messages that the link refers to
  };
  struct gradients_in {
    link& way;
    owner<message_receiver> from;
    std::size_t bytes;
    std::size_t left = 0;
  };

  bool carry_all() {
    bool moved = false;
    for (auto& c : values_out_) moved = carry(c) || moved;
    for (auto& c : gradients_out_) moved = carry(c) || moved;
    for (auto& c : values_in_) moved = carry(c) || moved;
    for (auto& c : gradients_in_) moved = carry(c) || moved;
    return moved;
  }
  bool all_sent() {
    for (auto& c : values_out_) {
      if (!c.way.forward.peek(1).empty()) return false;
    }
    for (auto& c : gradients_out_) {
      if (!c.way.backward.peek(1).empty()) return false;
    }
    return true;
  }

  /// Gives a message its bytes; there may be none to give, as no gradients flow into whole numbers.
  static bool send(message_sender& to, const std::byte* from, std::size_t bytes) {
    std::byte* const room = to.room();
    if (room == nullptr) return false;
    if (bytes > 0) std::memcpy(room, from, bytes);
    to.send();
    return true;
  }
  static bool carry(values_out& c) {
    const auto made = c.way.forward.peek(1);
    if (made.empty() || !send(*c.to, made[0].memory, c.bytes)) return false;
    c.way.forward.release(1);
    return true;
  }
  static bool carry(gradients_out& c) {
    const auto made = c.way.backward.peek(1);
    if (made.empty() || !send(*c.to, made[0].memory.data(), c.bytes)) return false;
    c.way.backward.release(1);
    return true;
  }
  /// The link reads a message where it came, so its place is given back when the link has released it.
  static bool carry(values_in& c) {
    bool moved = false;
    for (const std::size_t held = c.way.forward.capacity() - c.way.forward.writable(); c.lent > held; --c.lent) c.from->release();
    while (c.left > 0 && c.way.forward.has_room()) {
      std::byte* const came = c.from->message(c.lent);
      if (came == nullptr) break;
      (void)c.way.forward.try_push({came, 0});
      --c.left;
      ++c.lent;
      moved = true;
    }
    return moved;
  }
  static bool carry(gradients_in& c) {
    if (c.left == 0) return false;
    const auto room = c.way.backward.reserve(1);
    const std::byte* const came = room.empty() ? nullptr : c.from->message(0);
    if (came == nullptr) return false;
    --c.left;
    if (c.bytes > 0) std::memcpy(room[0].memory.data(), came, c.bytes);
    c.way.backward.commit(1);
    c.from->release();
    return true;
  }

  other_processes& others_;
  std::atomic<bool> busy_{false};
  light_vector<values_out> values_out_;
  light_vector<gradients_out> gradients_out_;
  light_vector<values_in> values_in_;
  light_vector<gradients_in> gradients_in_;
};
using courier = basic_courier<>;

}  // namespace ipuflow::train::impl
