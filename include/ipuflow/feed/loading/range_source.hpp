// SPDX-License-Identifier: BSL-1.0
// The source of steps of an iterable dataset: its shares in turn, skipping those that have ended. Every share is read
// by one worker, in order; a plain range is one share.
#pragma once

#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/gather.hpp>
#include <ipuflow/feed/loading/partition.hpp>
#include <ipuflow/feed/sources/shares.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

namespace ipuflow::feed {

template <class Shares>
class range_source {
 public:
  using range_type = typename Shares::range_type;
  using batch_type = sample_batch_t<std::ranges::range_reference_t<range_type>>;
  using slot_type = typename slot_for<batch_type>::type;
  static constexpr bool any_worker = false;

  /// Reads `fetch` samples at a time.
  range_source(Shares shares, std::size_t fetch, std::size_t step, const loader_options& o)
      : shares_{std::move(shares)}, fetch_{fetch}, step_{step}, options_{o} {
    if (o.shuffle) throw_if(loader_fault{loader_wrong::range_shuffled});
    if (shares_.count() < o.processes)
      throw_if(loader_fault{loader_wrong::range_divided, o.processes, shares_.count()});
    for (std::size_t index = o.process; index < shares_.count(); index += o.processes) {
      readers_.push_back(std::make_unique<reader>());
      readers_.back()->share = index;
    }
  }

  /// A range that can be read only once must not be begun before it is asked for.
  [[nodiscard]] bool repeatable() const { return shares_.repeatable(); }

  [[nodiscard]] std::size_t steps() const {
    if (!shares_.samples() || options_.processes > 1) {
      throw_if(loader_fault{loader_wrong::size_unknown});
    }
    return partition_of(*shares_.samples(), step_, options_).steps;
  }

  bool open(slot_type& s, std::size_t step) {
    if (step == 0) begin_pass();
    if (going_ == 0) return false;
    while (readers_[turn_]->ended) turn_ = (turn_ + 1) % readers_.size();
    s.pass = pass_;
    s.share = turn_;
    s.share_ended = false;
    s.size = 0;
    turn_ = (turn_ + 1) % readers_.size();
    return true;
  }

  /// Reads the next samples of a share into the slot.
  void fill(slot_type& s, interval, const std::atomic<bool>& abandoned) {
    reader& from = *readers_[s.share];
    std::size_t at = 0;
    try {
      if (from.pass != s.pass) from.begin(shares_, s.pass);
      s.first = from.taken;
      for (; at < fetch_ && from.next && *from.next != std::ranges::end(*from.range); ++at) {
        if (abandoned.load(std::memory_order_relaxed)) return;  // no partner: what is in the slot will not be looked at
        store(s, at, **from.next);
        ++from.taken;
        ++*from.next;
      }
      s.share_ended = !from.next || *from.next == std::ranges::end(*from.range);
    } catch (...) {
      s.fail(at, sample_failed(from.taken));
      s.share_ended = true;
      from.next.reset();  // nobody knows where it stands
    }
    s.size = at;
  }

  /// Learns from a slot that has been filled whether there will be more of its share.
  void close(const slot_type& s) {
    if (!s.share_ended || s.pass != pass_ || readers_[s.share]->ended) return;
    readers_[s.share]->ended = true;
    --going_;
  }

 private:
  struct reader {
    std::size_t share = 0;
    bool ended = false;  // all the rest belongs to the worker that reads this share
    std::size_t pass = 0;
    std::size_t taken = 0;
    std::optional<range_type> range;
    std::optional<std::ranges::iterator_t<range_type>> next;

    void begin(const Shares& shares, std::size_t which_pass) {
      next.reset();
      pass = which_pass;
      taken = 0;
      range.emplace(shares.share(share));
      next.emplace(std::ranges::begin(*range));
    }
  };

  /// An epoch that was begun ahead and abandoned is begun again, under the same number; so passes are counted here.
  void begin_pass() {
    ++pass_;
    turn_ = 0;
    going_ = readers_.size();
    for (const auto& r : readers_) r->ended = false;
  }

  template <class Sample>
  void store(slot_type& s, std::size_t at, Sample&& sample) {
    if (at == 0) s.prepare_some(fetch_, slot_type::widths_of(sample));
    s.prepare_next(at, fetch_);
    s.store(at, std::forward<Sample>(sample));
  }

  Shares shares_;
  std::size_t fetch_;
  std::size_t step_;
  loader_options options_;
  std::vector<std::unique_ptr<reader>> readers_;
  std::size_t pass_ = 0;
  std::size_t turn_ = 0;
  std::size_t going_ = 0;
};

}  // namespace ipuflow::feed
