// SPDX-License-Identifier: BSL-1.0
// The operations of one IPU of a modular schedule, in order: a merge of its passes, each an arithmetic progression, so
// that nothing is stored but where each of them stands.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/line.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// One pass of one stage over the micro-batches of a part.
struct pass_stream {
  op what{};
  std::size_t next_micro_batch = 1;  ///< added to the micro-batch; one less than zero where they run backwards
  step_number group_at = 0;
  step_number per_member = 0;
  step_number per_group = 0;
  std::size_t member = 0;
  std::size_t group = 1;
  std::size_t left = 0;

  template <class Where>
  constexpr step_number step(const Where& where) const {
    return group_at + per_member * number(where.delay(member));
  }
  constexpr void advance(std::size_t count = 1) {
    left -= count;
    what.micro_batch += next_micro_batch * count;
    if (count == 1) {  // most often; a division takes longer than all the rest
      if (++member < group) return;
      member = 0;
      group_at += per_group;
      return;
    }
    member += count;
    if (member >= group) {
      group_at += per_group * number(member / group);
      member %= group;
    }
  }
};

/// The stream of `l` for a stage; `first` is the number of its first micro-batch.
[[nodiscard]] constexpr pass_stream stream_of(const part& p, const line& l, pass kind, std::size_t stage, std::size_t span,
                                         std::size_t first) {
  pass_stream s{
      {kind, stage, first + p.first}, 1, l.base(stage, span), l.per_member, l.per_group, 0, p.group, p.micro_batches};
  if (l.per_group < 0 && p.micro_batches > 0) {  // read from its last micro-batch on, so that steps ascend
    s.what.micro_batch += p.micro_batches - 1;
    s.next_micro_batch = nowhere;
    s.group_at += l.per_group * number(p.micro_batches - 1);
    s.per_group = -l.per_group;
  }
  return s;
}

template <class Where>
class modular_walk {
 public:
  constexpr modular_walk() = default;
  constexpr modular_walk(const Where& where, dynamic_array<pass_stream> streams)
      : where_{where}, streams_{static_cast<dynamic_array<pass_stream>&&>(streams)}, heap_{streams_.size()} {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].left > 0) insert(entry_of(i));
    }
    read();
  }

  constexpr explicit operator bool() const { return size_ > 0; }
  constexpr const placed& operator*() const { return now_; }
  constexpr const placed* operator->() const { return &now_; }

  /// The number of operations from this one on that are one pass of one stage over successive micro-batches.
  constexpr std::size_t repeats() const {
    const pass_stream& s = streams_[heap_[0].stream];
    return size_ == 1 && s.next_micro_batch == 1 ? s.left : 1;
  }

  constexpr modular_walk& operator++() { return *this += 1; }
  /// Goes on by `count` operations, no more than `repeats()`.
  constexpr modular_walk& operator+=(std::size_t count) {
    pass_stream& s = streams_[heap_[0].stream];
    s.advance(count);
    if (s.left > 0) {
      sink(entry_of(heap_[0].stream));
    } else if (--size_ > 0) {
      sink(heap_[size_]);
    }
    read();
    return *this;
  }

 private:
  struct entry {
    std::uint64_t step = 0;
    std::uint32_t rank = 0;
    std::uint32_t stream = 0;

    constexpr bool before(const entry& other) const { return step != other.step ? step < other.step : rank < other.rank; }
  };

  constexpr entry entry_of(std::size_t stream) const {
    const pass_stream& s = streams_[stream];
    return {static_cast<std::uint64_t>(s.step(where_)), static_cast<std::uint32_t>(rank_in_step(s.what.kind, s.what.stage)),
            static_cast<std::uint32_t>(stream)};
  }
  constexpr void read() {
    if (size_ == 0) return;
    static_cast<op&>(now_) = streams_[heap_[0].stream].what;
    now_.step = static_cast<std::size_t>(heap_[0].step);
  }
  constexpr void insert(entry added) {
    std::size_t hole = size_++;
    while (hole > 0 && added.before(heap_[(hole - 1) / 2])) {
      heap_[hole] = heap_[(hole - 1) / 2];
      hole = (hole - 1) / 2;
    }
    heap_[hole] = added;
  }
  /// Puts `moved` in the place of the first entry and lets it sink to where it belongs.
  constexpr void sink(entry moved) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size_; child = 2 * hole + 1) {
      if (child + 1 < size_ && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(moved)) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = moved;
  }

  Where where_{};
  dynamic_array<pass_stream> streams_;
  dynamic_array<entry> heap_;
  std::size_t size_ = 0;
  placed now_{};
};

}  // namespace ipuflow::schedule::impl
