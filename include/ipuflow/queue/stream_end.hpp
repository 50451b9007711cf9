// SPDX-License-Identifier: BSL-1.0
// The end of a stream. Either side may end it, in its own way and once; both sides read one word per item, which stays
// in their caches until it changes.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace ipuflow::queue {

/// Each is one bit of what `stream_end::seen` returns.
enum class how_ended : unsigned {
  closed = 1,            // by the producer, after its last item
  failed = 2,            // by the producer, after its last item, with an exception
  producer_stopped = 4,  // at once
  consumer_stopped = 8,  // at once
  consumer_failed = 16,  // at once, with an exception
};

constexpr unsigned operator|(how_ended a, how_ended b) { return static_cast<unsigned>(a) | static_cast<unsigned>(b); }
constexpr unsigned operator|(unsigned a, how_ended b) { return a | static_cast<unsigned>(b); }
constexpr unsigned operator&(unsigned a, how_ended b) { return a & static_cast<unsigned>(b); }

class stream_end {
 public:
  static constexpr unsigned by_producer = how_ended::closed | how_ended::failed | how_ended::producer_stopped;
  static constexpr unsigned by_consumer = how_ended::consumer_stopped | how_ended::consumer_failed;
  static constexpr unsigned at_once = by_consumer | how_ended::producer_stopped;

  /// The ways in which the stream was ended so far, as bits.
  [[nodiscard]] unsigned seen() const {
    return bits_.load(std::memory_order_acquire);
  }  // partner: the release in set() and fail()

  void set(how_ended how) {
    bits_.fetch_or(static_cast<unsigned>(how), std::memory_order_release);  // partner: the acquire in seen()
  }

  /// Leaves an exception for the other side; each side calls it once at most.
  void fail(how_ended how, std::exception_ptr error) {
    (how == how_ended::failed ? from_producer_ : from_consumer_) = std::move(error);
    set(how);
  }

  /// Throws what the other side left, if it was seen to leave something.
  void rethrow_from_producer(unsigned seen) const {
    if (seen & how_ended::failed) std::rethrow_exception(from_producer_);
  }
  void rethrow_from_consumer(unsigned seen) const {
    if (seen & how_ended::consumer_failed) std::rethrow_exception(from_consumer_);
  }

 private:
  std::atomic<unsigned> bits_{0};
  std::exception_ptr from_producer_;
  std::exception_ptr from_consumer_;
};

}  // namespace ipuflow::queue
