// SPDX-License-Identifier: BSL-1.0
// A step assembler turns a source of steps into filled slots, in order, whatever the dataset. The loader's thread is the
// only one that decides: it opens steps one after the other, each in a free slot, sends their parts to the workers, and
// takes finished steps from the front. So a step that is wanted always has its slot, and workers never wait for one
// another.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/interval.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/slot_pool.hpp>
#include <ipuflow/feed/loading/step_source.hpp>
#include <ipuflow/feed/loading/worker_team.hpp>
#include <ipuflow/queue/waiting.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace ipuflow::feed::impl {

/// A template so that only files that load instantiate it.
template <class Source = step_source>
class step_assembler {
 public:
  /// Steps of at most `step` samples, with these fields.
  step_assembler(owner<Source> source, light_span<const element_kind* const> fields, std::size_t step,
         const loader_options& o)
      : source_{std::move(source)},
        options_{o},
        worker_batch_{o.worker_batch},
        pool_{share<slot_pool>(fields)} {
    const bool sync = o.mode == loading::sync;
    threads_ = sync ? o.workers : algorithms::max<std::size_t>(o.workers, 1);
    ahead_ = !sync ? o.async.buffer_size : algorithms::max<std::size_t>(2 * threads_, 1);
    parts_ = divides() ? (step - 1) / worker_batch_ + 1 : 1;
    in_flight_ = dynamic_array<slot*>(ahead_);
    if (!sync) {
      start_workers();
      deal_ahead(o.async.early_preload ? ahead_ : 1);
    }
  }
  step_assembler(const step_assembler&) = delete;
  step_assembler& operator=(const step_assembler&) = delete;
  ~step_assembler() { abandoned_.store(true, std::memory_order_relaxed); }  // no partner: makes workers end sooner

  const Source& source() const { return *source_; }
  const shared<slot_pool>& pool() const { return pool_; }

  /// Steps that wait to be taken.
  [[nodiscard]] std::size_t ready() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < flying_; ++i) {
      if (in_flight_[(front_ + i) % ahead_]->missing.none()) ++count;
    }
    return count;
  }

  /// Begins a pass; one that was not finished is abandoned.
  void begin() {
    if (inside_) {
      discard();
      ++epoch_;
      opening_epoch_ = epoch_;
      opening_step_ = 0;
    }
    inside_ = true;
    taken_ = 0;
    start_workers();
    if (threads_ > 0) deal_ahead(ahead_);
  }

  /// The pass that is taken from, or will be next, and the samples of it that were taken, or left to others who went before.
  [[nodiscard]] loader_place place() const { return {epoch_, source_->taken(epoch_, inside_ ? taken_ : 0)}; }
  /// The next pass is number `epoch`, behind its first `samples` samples; false if the source cannot begin there.
  bool start_at(std::size_t epoch, std::size_t samples) {
    discard();
    if (!source_->begin_at(epoch, samples)) return false;
    inside_ = false;
    epoch_ = opening_epoch_ = epoch;
    opening_step_ = 0;
    return true;
  }

  /// The next step of the pass, nothing at its end. Throws what made a step impossible; the next call goes on after it.
  [[nodiscard]] leased_slot next() {
    while (inside_) {
      deal(ahead_);
      if (flying_ == 0 || in_flight_[front_]->epoch != epoch_) {
        end();
        break;
      }
      slot& s = *in_flight_[front_];
      filled_.wait([&] { return s.missing.none(); });
      front_ = (front_ + 1) % ahead_;
      --flying_;
      ++taken_;
      source_->close(s);
      lease held = lend(pool_, s);
      if (threads_ > 0) deal_ahead(ahead_);
      if (std::exception_ptr error = s.take_error()) std::rethrow_exception(std::move(error));
      if (s.size > 0) return {&s, std::move(held)};
    }
    return {};
  }

 private:
  struct order {
    slot* into = nullptr;
    interval part{};
  };

  bool divides() const { return source_->has_index() && worker_batch_ > 0; }

  void start_workers() {
    if (threads_ == 0 || team_) return;
    // Room for all orders of the steps in flight, or for many; where that is too little, the sender waits.
    const std::size_t room = (ahead_ + 1) * algorithms::min<std::size_t>(parts_, 1024);
    team_.emplace(threads_, room, options_.async.miss_sleep, [this](const order& o) { fill(o); });
  }

  /// Opens steps until `wanted` are in flight or there are no more to open. Throws what the source threw once all steps
  /// before it are taken.
  void deal(std::size_t wanted) {
    deal_ahead(wanted);
    if (!not_opened_ || flying_ > 0 || opening_epoch_ != epoch_) return;
    std::rethrow_exception(algorithms::exchange(not_opened_, nullptr));
  }

  /// The same for steps that are not waited for yet: what the source throws is kept until they are. It is not asked again
  /// before that, since it may be past what it could not give.
  void deal_ahead(std::size_t wanted) {
    try {
      while (!not_opened_ && flying_ < wanted && may_open()) {
        if (!open_one()) return;
      }
    } catch (...) {
      not_opened_ = std::current_exception();
    }
  }

  /// Opens a step, of the next epoch if this one has no more; false if there is none at all.
  bool open_one() {
    slot& s = pool_->take();
    try {
      if (!open_into(s)) {
        pool_->give_back(s);
        return false;
      }
    } catch (...) {
      pool_->give_back(s);
      throw;
    }
    ++opening_step_;
    in_flight_[(front_ + flying_++) % ahead_] = &s;
    hand_out(s);
    return true;
  }

  bool open_into(slot& s) {
    for (;;) {
      s.epoch = opening_epoch_;
      if (source_->open(s, opening_step_)) return true;
      if (opening_step_ == 0) return false;
      ++opening_epoch_;
      opening_step_ = 0;
      if (!may_open()) return false;
    }
  }

  /// Into the epoch after this one only if that is wanted.
  bool may_open() const { return opening_epoch_ == epoch_ || (indefinitely() && opening_epoch_ == epoch_ + 1); }

  bool indefinitely() const {
    return options_.mode != loading::sync && options_.async.load_indefinitely && options_.persistent_workers &&
           source_->repeatable();
  }

  void hand_out(slot& s) {
    if (!divides() || worker_batch_ >= s.size) {
      s.missing.expect(1);
      return hand_out_part({&s, {0, s.size}});
    }
    s.missing.expect((s.size + worker_batch_ - 1) / worker_batch_);
    for (std::size_t first = 0; first < s.size; first += worker_batch_) {
      hand_out_part({&s, {first, algorithms::min(worker_batch_, s.size - first)}});
    }
  }

  void hand_out_part(const order& o) {
    if (!team_) return fill(o);
    team_->send(source_->has_index() ? team_->least_busy() : o.into->share % team_->size(), o);
  }

  void fill(const order& o) {
    source_->fill(*o.into, o.part, abandoned_);
    if (o.into->missing.filled_one()) filled_.wake();
  }

  /// Waits until no worker holds a slot, and takes all back.
  void discard() {
    abandoned_.store(true, std::memory_order_relaxed);  // no partner: missing.none() orders what counts
    for (; flying_ > 0; --flying_, front_ = (front_ + 1) % ahead_) {
      slot& s = *in_flight_[front_];
      filled_.wait([&] { return s.missing.none(); });
      s.take_error();
      pool_->give_back(s);
    }
    abandoned_.store(false, std::memory_order_relaxed);  // as above
    not_opened_ = nullptr;
  }

  void end() {
    inside_ = false;
    ++epoch_;
    if (opening_epoch_ < epoch_) {
      opening_epoch_ = epoch_;
      opening_step_ = 0;
    }
    if (!options_.persistent_workers) team_.reset();
    if (indefinitely()) deal_ahead(ahead_);
  }

  owner<Source> source_;
  loader_options options_;
  std::size_t worker_batch_;
  std::size_t threads_ = 0;
  std::size_t ahead_ = 1;  // most steps in flight
  std::size_t parts_ = 1;  // most orders of a step
  shared<slot_pool> pool_;
  dynamic_array<slot*> in_flight_;  // a ring: opened and not taken, in order
  std::size_t front_ = 0;
  std::size_t flying_ = 0;
  std::exception_ptr not_opened_{};  // of a step behind those in flight
  bool inside_ = false;    // of a pass
  std::size_t taken_ = 0;  // steps of the pass, those that could not be produced too
  std::size_t epoch_ = 0;  // that is taken from, or will be next
  std::size_t opening_epoch_ = 0;
  std::size_t opening_step_ = 0;
  std::atomic<bool> abandoned_{false};
  queue::block filled_;
  std::optional<worker_team<order>> team_;  // the last member: its threads use all others
};

}  // namespace ipuflow::feed::impl
