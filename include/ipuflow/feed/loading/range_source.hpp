// SPDX-License-Identifier: BSL-1.0
// Steps of an iterable dataset: the shares of the dataset in turn, those that have ended left out. Every share is read
// by one worker, in order; a plain range is one share.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/partition.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/loading/step_source.hpp>
#include <ipuflow/feed/sources/shares.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>
#include <ipuflow/core/light_vector.hpp>

namespace ipuflow::feed::impl {

/// A share whose type is forgotten.
class share_reader {
 public:
  share_reader() = default;
  share_reader(const share_reader&) = delete;
  share_reader& operator=(const share_reader&) = delete;
  virtual ~share_reader() = default;

  bool ended = false;  // the loader's; all the rest belongs to the worker that reads this share

  /// Reads up to `most` samples into a slot, or records there why that cannot be done.
  virtual void fill(slot& s, std::size_t most, const std::atomic<bool>& abandoned) = 0;
};

template <class Shares>
class share_of_samples final : public share_reader {
 public:
  using range_type = typename Shares::range_type;
  using fields = slot_fields<sample_batch_t<std::ranges::range_reference_t<range_type>>>;

  share_of_samples(shared<const Shares> shares, std::size_t index)
      : shares_{std::move(shares)}, index_{index} {}

  void fill(slot& s, std::size_t most, const std::atomic<bool>& abandoned) override {
    std::size_t at = 0;
    try {
      if (pass_ != s.pass) begin(s.pass);
      s.first = taken_;
      for (; at < most && !over(); ++at) {
        if (abandoned.load(std::memory_order_relaxed)) return;  // no partner: what is in the slot will not be looked at
        store(s, at, most, **next_);
        ++taken_;
        ++*next_;
      }
      s.share_ended = over();
    } catch (...) {
      s.fail(at, sample_failed(taken_));
      s.share_ended = true;
      next_.reset();  // its place is unknown now
    }
    s.size = at;
  }

 private:
  void begin(std::size_t pass) {
    next_.reset();
    pass_ = pass;
    taken_ = 0;
    range_.emplace(shares_->share(index_));
    next_.emplace(std::ranges::begin(*range_));
  }

  bool over() { return !next_ || *next_ == std::ranges::end(*range_); }

  template <class Sample>
  static void store(slot& s, std::size_t at, std::size_t most, Sample&& sample) {
    if (at == 0) s.prepare_some(most, fields::widths_of(sample));
    s.prepare_next(at, most);
    fields::store(s, at, std::forward<Sample>(sample));
  }

  shared<const Shares> shares_;
  std::size_t index_;
  std::size_t pass_ = 0;
  std::size_t taken_ = 0;
  std::optional<range_type> range_;
  std::optional<std::ranges::iterator_t<range_type>> next_;
};

class range_source final : public step_source {
 public:
  /// Reads `fetch` samples at a time.
  template <class Shares>
  range_source(Shares shares, std::size_t fetch, std::size_t step, const loader_options& o)
      : step_source{false},
        samples_{shares.samples()},
        repeatable_{shares.repeatable()},
        fetch_{fetch},
        step_{step},
        options_{o} {
    if (o.shuffle) throw_if(loader_fault{loader_wrong::range_shuffled});
    if (shares.count() < o.processes)
      throw_if(loader_fault{loader_wrong::range_divided, o.processes, shares.count()});
    const auto kept = ipuflow::share<const Shares>(std::move(shares));
    for (std::size_t index = o.process; index < kept->count(); index += o.processes)
      readers_.push_back(make_owner<share_of_samples<Shares>>(kept, index));
  }

  /// A range that can be read only once must not be begun before it is asked for.
  [[nodiscard]] bool repeatable() const override { return repeatable_; }
  [[nodiscard]] std::size_t steps() const override {
    if (!samples_ || options_.processes > 1) {
      throw_if(loader_fault{loader_wrong::size_unknown});
    }
    return partition_of(*samples_, step_, options_).steps();
  }

  bool open(slot& s, std::size_t step) override {
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

  void fill(slot& s, interval, const std::atomic<bool>& abandoned) override {
    readers_[s.share]->fill(s, fetch_, abandoned);
  }

  /// Learns from a slot that has been filled whether there will be more of its share.
  void close(const slot& s) override {
    if (!s.share_ended || s.pass != pass_ || readers_[s.share]->ended) return;
    readers_[s.share]->ended = true;
    --going_;
  }

 private:
  /// An epoch that was begun ahead and abandoned is begun again, under the same number; so passes are counted here.
  void begin_pass() {
    ++pass_;
    turn_ = 0;
    going_ = readers_.size();
    for (const auto& r : readers_) r->ended = false;
  }

  std::optional<std::size_t> samples_;
  bool repeatable_;
  std::size_t fetch_;
  std::size_t step_;
  loader_options options_;
  light_vector<owner<share_reader>> readers_;
  std::size_t pass_ = 0;
  std::size_t turn_ = 0;
  std::size_t going_ = 0;
};

}  // namespace ipuflow::feed::impl
