// SPDX-License-Identifier: BSL-1.0
// The host at the other end of a stream: it makes one item after the other, as far ahead as the stream prefetches, and the
// chips wait for one that is not ready. A queue between two stages: an item is begun when the one before it is made and the
// one `prefetch` before it was taken. Backwards the same: the host takes results, as many as that may wait for it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu::impl {

/// That much later, unless it is more than cycles can count: then that is told.
constexpr std::uint64_t later(std::uint64_t time, std::uint64_t by) { return (cycles{time} + cycles{by}).value; }

/// The items of one stream in time, in cycles from the start of the first program, where the host begins.
template <class = void>
class basic_host_queue {
 public:
  basic_host_queue(const data_stream& of, hertz clock) : taken_(of.prefetch, 0) {
    if (of.host_times.empty()) {
      time_.push_back(cycles_in(of.host_time, clock).value);
    } else {
      for (const seconds t : of.host_times) time_.push_back(cycles_in(t, clock).value);
    }
  }

  /// Takes the next item at `now`, or when it is ready; what is waited for.
  std::uint64_t take(std::uint64_t now) {
    const std::uint64_t time = time_[number_ % time_.size()];
    if (taken_.empty()) {  // the host begins when it is asked
      ++number_;
      made_ = later(algorithms::max(made_, now), time);
      return made_ - now;
    }
    std::uint64_t& before = taken_[number_ % taken_.size()];
    made_ = later(algorithms::max(made_, before), time);
    before = algorithms::max(now, made_);
    ++number_;
    return before - now;
  }

  /// Hands the host an item at `now`, or when one of `prefetch` places is free; what is waited for.
  std::uint64_t give(std::uint64_t now) {
    const std::uint64_t time = time_[number_ % time_.size()];
    takes_ = true;
    if (taken_.empty()) {  // until the host is done with it
      ++number_;
      made_ = later(algorithms::max(made_, now), time);
      return made_ - now;
    }
    std::uint64_t& done = taken_[number_ % taken_.size()];  // with the one that had the place
    const std::uint64_t given = algorithms::max(now, done);
    done = made_ = later(algorithms::max(made_, given), time);
    ++number_;
    return given - now;
  }

  /// Time goes on, as it did before, by so much more.
  void shift(std::uint64_t by) {
    made_ = later(made_, by);
    for (std::uint64_t& t : taken_) t = later(t, by);
  }

  /// All that what comes depends on, from `now` on: where it is the same, the same follows. How long ago something was
  /// makes no difference.
  void note_state(std::uint64_t now, light_vector<std::uint64_t>& to) const {
    const auto from_now = [now](std::uint64_t t) { return t > now ? t - now : 0; };
    to.push_back(number_ % time_.size());
    std::uint64_t made = made_;
    if (takes_ || taken_.empty()) to.push_back(from_now(made));
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const std::uint64_t taken = taken_[(number_ + i) % taken_.size()];
      if (!takes_) made = later(algorithms::max(made, taken), time_[(number_ + i) % time_.size()]);  // the items that come next
      to.push_back(from_now(takes_ ? taken : made));
    }
  }

  /// True if the chips ever wait for this host.
  [[nodiscard]] bool waits() const {
    return algorithms::any_of(time_.begin(), time_.end(), [](std::uint64_t t) { return t > 0; });
  }

 private:
  light_vector<std::uint64_t> time_;   // of one item after the other, again and again
  light_vector<std::uint64_t> taken_;  // when each of the last items was taken, by the chips or by the host
  std::uint64_t made_ = 0;            // when the host was done with the last one
  std::uint64_t number_ = 0;          // of the next one
  bool takes_ = false;                // the host takes what the chips give
};
using host_queue = basic_host_queue<>;

/// The hosts of all streams of a program.
template <class = void>
class basic_hosts {
 public:
  basic_hosts(const graph& g, hertz clock) {
    flat_map<std::size_t, std::size_t> queue_of_host;
    for (const data_stream& s : g.streams()) {
      std::size_t queue = queues_.size();
      if (s.host != own_host) queue = queue_of_host.try_emplace(s.host, queue).first->second;
      if (queue == queues_.size()) queues_.emplace_back(s, clock);
      queue_of_.push_back(queue);
      wait_ = wait_ || queues_[queue].waits();
    }
  }

  [[nodiscard]] bool wait() const { return wait_; }
  /// A program that took so long has ended, and one begins: its cycles are counted from now on.
  void go_on(std::uint64_t behind) { before_ = later(before_, behind); }
  template <class Stream>
  [[nodiscard]] bool waits_for(const Stream& s) const {
    return queues_[queue_of_[s.stream.index]].waits();
  }
  std::uint64_t wait_for(const stream_in& s, std::uint64_t now) { return of(s).waits() ? of(s).take(later(before_, now)) : 0; }
  std::uint64_t wait_for(const stream_out& s, std::uint64_t now) { return of(s).waits() ? of(s).give(later(before_, now)) : 0; }
  void shift(std::uint64_t by) {
    for (host_queue& q : queues_) q.shift(by);
  }
  [[nodiscard]] light_vector<std::uint64_t> state(std::uint64_t now) const {
    light_vector<std::uint64_t> made;
    for (const host_queue& q : queues_) {
      if (q.waits()) q.note_state(later(before_, now), made);
    }
    return made;
  }

 private:
  template <class Stream>
  host_queue& of(const Stream& s) {
    return queues_[queue_of_[s.stream.index]];
  }

  light_vector<std::size_t> queue_of_;  // of each stream
  light_vector<host_queue> queues_;
  std::uint64_t before_ = 0;  // cycles of the programs that have ended
  bool wait_ = false;
};
using hosts = basic_hosts<>;

}  // namespace ipuflow::ipu::impl
