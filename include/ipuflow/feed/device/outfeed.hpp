// SPDX-License-Identifier: BSL-1.0
// Results from the device to the host: the device enqueues one for each micro-batch and replica, the host gets those
// that the mode asks for, in order, after a run or during it.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/device/add_up.hpp>
#include <ipuflow/feed/device/outfeed_buffer.hpp>
#include <ipuflow/feed/device/outfeed_reader.hpp>
#include <ipuflow/feed/device/outfeed_fault.hpp>
#include <ipuflow/feed/device/outputs.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

/// Options of an outfeed.
struct outfeed_options {
  feed::outputs outputs{};                        ///< which results come back
  batch_sizes sizes{.run_for = mode::inference};  ///< of a step
  std::size_t buffer_depth = 3;                   ///< results that wait for a reader who reads along
};

namespace impl {

/// In place of the results that are not said.
struct unsaid_result {};

}  // namespace impl

template <class T>
class outfeed {
  static_assert(!std::is_same_v<T, impl::unsaid_result>, "ipuflow: an outfeed does not know the type of its results; say it, outfeed<T>");

 public:
  using result_type = T;

  explicit outfeed(const outfeed_options& options = {})
      : outputs_{checked(options)},
        sizes_{options.sizes},
        arrived_(sizes_.replicas),
        sums_(sizes_.replicas),
        buffer_{options.buffer_depth} {}
  outfeed(const outfeed&) = delete;
  outfeed& operator=(const outfeed&) = delete;

  // --- the device's side, one thread ---

  /// Says that a micro-batch begins, in which every replica is to enqueue once. Without it one is over as soon as they
  /// have.
  void begin_micro_batch() {
    if (count_ % sizes_.replicas != 0) wrong(outfeed_wrong::missed, count_ % sizes_.replicas, sizes_.replicas);
    if (announced_ && count_ == begun_at_) wrong(outfeed_wrong::missed, 0, sizes_.replicas);
    announced_ = true;
    begun_at_ = count_;
  }
  /// Says that it is over, so that what is missing in the last one of a run is noticed in that run.
  void end_micro_batch() const {
    if (count_ - begun_at_ != sizes_.replicas) wrong(outfeed_wrong::missed, count_ - begun_at_, sizes_.replicas);
  }

  /// Takes the result of one replica in one micro-batch. Waits for the reader, if there is one and the buffer is full.
  void enqueue(T result, std::size_t replica = 0) {
    if (buffer_.closed()) wrong(outfeed_wrong::closed, replica, sizes_.replicas);
    if (replica >= sizes_.replicas) wrong(outfeed_wrong::no_such_replica, replica, sizes_.replicas);
    if (arrived_[replica] || (announced_ && count_ - begun_at_ == sizes_.replicas)) {
      wrong(outfeed_wrong::twice, replica, sizes_.replicas);
    }
    used_.store(true, std::memory_order_relaxed);  // no partner: results come through the buffer
    arrived_[replica].emplace(std::move(result));
    if (++count_ % sizes_.replicas == 0) finish_micro_batch();
  }

  /// As the sink of a run: the result, or what it is made of.
  template <class... Value>
  void operator()(Value&&... value) {
    if constexpr (sizeof...(Value) == 1 && (std::is_same_v<std::remove_cvref_t<Value>, T> && ...)) {
      enqueue(std::forward<Value>(value)...);  // in braces it might be an item of a result
    } else {
      enqueue(T{std::forward<Value>(value)...});
    }
  }

  /// Says that no result comes any more, so that a reader comes to an end.
  void close() { buffer_.close(); }

  /// A run was broken off: what it left of a step is dropped. The next result is the first one of a step.
  void abandon_step() {
    for (std::size_t replica = 0; replica < sizes_.replicas; ++replica) {
      arrived_[replica].reset();
      sums_[replica].reset();
    }
    count_ -= count_ % (sizes_.replicas * micro_batches_per_step(sizes_));
    announced_ = false;
  }
  /// The same, and a reader comes to an end.
  void abandon() {
    abandon_step();
    close();
  }

  /// A run begins: results come again, also after the outfeed was closed.
  void open() { buffer_.open(); }

  // --- the host's side, one thread ---

  /// All results that are there, in order; none the second time. Throws if nothing was ever enqueued. If memory runs out, or a result throws
  /// when it is moved, none is lost: the next dequeue begins with those before it.
  [[nodiscard]] std::vector<T> dequeue() {
    check_used();
    while (buffer_.try_give([this](T&& result) { dequeued_.push_back(std::move(result)); })) {
    }
    return std::exchange(dequeued_, {});
  }

  /// The same one by one: `for (auto&& result : outfeed)`.
  result_iterator<T> begin() {
    check_used();
    return {buffer_, false};
  }
  range_end end() const { return {}; }

  /// For another thread, while the device runs: a reader gets results until the outfeed is closed, and as long as there
  /// is a reader the device waits for it rather than have more than the buffer's depth wait.
  [[nodiscard]] outfeed_reader<T> follow() {
    if (buffer_.followed()) throw_if(outfeed_fault{outfeed_wrong::two_readers, 2, 1});
    return outfeed_reader<T>{buffer_};
  }

  [[nodiscard]] const feed::outputs& asked_for() const { return outputs_; }
  [[nodiscard]] const batch_sizes& sizes() const { return sizes_; }

 private:
  static constexpr std::size_t most_replicas = 1 << 20;  // more are a mistake, not a wish

  static const feed::outputs& checked(const outfeed_options& options) {
    throw_if(verify(options.outputs, options.sizes));
    throw_if(verify(options.sizes));
    if (options.sizes.replicas > most_replicas) throw_if(outfeed_fault{outfeed_wrong::too_many_replicas, options.sizes.replicas, most_replicas});
    if (options.buffer_depth == 0)
      throw_if(outfeed_fault{outfeed_wrong::no_depth, 0, 1});
    if (!impl::summable<T> && mode_of(options.outputs, options.sizes.run_for) == output_mode::sum) {
      throw_if(outfeed_fault{outfeed_wrong::no_sum});
    }
    return options.outputs;
  }

  /// The device's: the host's thread may not read `count_`.
  void wrong(outfeed_wrong kind, std::size_t got, std::size_t limit) const {
    throw_if(outfeed_fault{kind, got, limit, count_ / sizes_.replicas});
  }
  void check_used() const {
    const bool used = used_.load(std::memory_order_relaxed);  // no partner: as in enqueue
    if (!used) throw_if(outfeed_fault{outfeed_wrong::never_enqueued, 0, 1});
  }

  void finish_micro_batch() {
    const std::size_t in_step = (count_ / sizes_.replicas - 1) % micro_batches_per_step(sizes_);
    const bool summing = mode_of(outputs_, sizes_.run_for) == output_mode::sum;
    for (std::size_t replica = 0; replica < sizes_.replicas; ++replica) {
      if (summing) add(replica, in_step == 0);
      std::optional<T>& result = summing ? sums_[replica] : arrived_[replica];
      if (returned_after(outputs_, sizes_, in_step)) buffer_.put(std::move(*result));
      arrived_[replica].reset();
    }
  }

  void add(std::size_t replica, bool first) {
    if constexpr (impl::summable<T>) {
      if (first) {
        sums_[replica].emplace(std::move(*arrived_[replica]));
      } else {
        impl::add_up(*sums_[replica], *arrived_[replica]);
      }
    }
  }

  feed::outputs outputs_;
  batch_sizes sizes_;
  std::vector<std::optional<T>> arrived_;  // of each replica, in this micro-batch
  std::vector<std::optional<T>> sums_;     // of each replica, in this step
  std::size_t count_ = 0;                  // enqueued in all
  std::size_t begun_at_ = 0;
  bool announced_ = false;
  std::atomic<bool> used_{false};
  outfeed_buffer<T> buffer_;
  std::vector<T> dequeued_;  // more than none only after a dequeue that threw
};
outfeed(const outfeed_options& = {}) -> outfeed<impl::unsaid_result>;

}  // namespace ipuflow::feed
