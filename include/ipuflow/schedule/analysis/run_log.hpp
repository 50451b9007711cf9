// SPDX-License-Identifier: BSL-1.0
// The log of a timetable that is run in rounds: of each operation, what it waited for last, in a few bits. Rounds that do the same
// operations share one list of them, and of rounds that were left out stands how many there are and which ones they are like.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// An operation without its micro-batch.
struct run_event {
  std::uint16_t lane = 0;
  std::uint16_t cost = 0;
  std::uint32_t port = 0;  ///< with `held_bit`, if it runs together with the next one

  static constexpr std::uint32_t held_bit = std::uint32_t{1} << 31;
  static constexpr std::uint32_t no_port = held_bit - 1;

  [[nodiscard]] constexpr std::uint32_t port_alone() const { return port & ~held_bit; }
  [[nodiscard]] constexpr bool held() const { return port >= held_bit; }
  friend constexpr bool operator==(const run_event&, const run_event&) = default;
};

/// Nothing is kept.
struct no_log {
  static constexpr bool keeps = false;

  struct writer {
    constexpr explicit writer(no_log&) {}
    static constexpr void choose(std::size_t, std::size_t = 1, bool = false) {}
    static constexpr void finish() {}
  };
};

/// A list that grows by blocks: nothing is copied, and no more than a block is reserved in vain.
template <class T>
class block_list {
 public:
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  constexpr const T& operator[](std::size_t i) const { return blocks_[i / length][i % length]; }
  constexpr void push_back(T value) {
    if (size_ % length == 0) blocks_.push_back(dynamic_array<T>{length});
    blocks_.back()[size_++ % length] = value;
  }

 private:
  static constexpr std::size_t length = std::size_t{1} << 12;

  dynamic_array<dynamic_array<T>> blocks_{};
  std::size_t size_ = 0;
};

inline constexpr std::uint32_t no_code = static_cast<std::uint32_t>(-1);

template <class = void>
class basic_run_log {
 public:
  static constexpr bool keeps = true;

  /// An operation, by its number one for each that differs.
  struct entry {
    run_event event{};
    std::uint32_t mate = no_code;  ///< the one before, if this one runs together with it
    std::uint32_t stream = 0;      ///< operations of one stream have successive micro-batches: ports, and behind these what has none
    std::uint32_t next = no_code;  ///< of the same cost
  };
  /// Rounds that were left out; each is like the one that many rounds before it.
  struct left_out {
    std::size_t at = 0;      ///< the first of them, in its section
    std::size_t rounds = 0;
    std::size_t cycle = 1;
    std::size_t logged = 0;  ///< rounds of the section before them that were not left out
  };
  /// Rounds of the same operations.
  struct section {
    std::size_t codes = 0;    ///< where its operations begin,
    std::size_t events = 0;   ///< how many a round has,
    std::size_t choices = 0;  ///< where its choices begin
    std::size_t logged = 0;   ///< rounds that have choices
    std::size_t rounds = 0;   ///< with those that were left out
    std::size_t first_left_out = 0;
    std::size_t end_left_out = 0;
  };

  /// Before anything else: how many costs and ports there are, and messages that one operation reads.
  constexpr void begin(std::size_t costs, std::size_t ports, std::size_t most_messages) {
    first_ = dynamic_array<std::uint32_t>{costs, no_code};
    streams_ = ports;
    while ((std::size_t{1} << width_) < 2 * most_messages + 2) width_ *= 2;
  }

  constexpr void begin_round() { sections_.push_back({codes_.size(), 0, choices(), 1, 1, skips_.size(), skips_.size()}); }
  constexpr void begin_repeat() {
    ++sections_.back().logged;
    ++sections_.back().rounds;
  }
  constexpr void leave_out(std::size_t rounds, std::size_t cycle) {
    if (rounds == 0) return;
    section& s = sections_.back();
    skips_.push_back({s.rounds, rounds, cycle, s.logged});
    s.end_left_out = skips_.size();
    s.rounds += rounds;
  }

  /// An operation of a round that is not a repeat. Of two that run together the first one comes right before the second.
  constexpr void add(std::uint32_t code) {
    complete_ = complete_ && code < most_codes;
    full_ = full_ || codes_.size() >= most_operations;
    if (full_) return;
    codes_.push_back(static_cast<std::uint16_t>(code));
    ++sections_.back().events;
  }
  /// Writes choices of operations in their order, in registers: the log has them when it has finished.
  class writer {
   public:
    constexpr explicit writer(basic_run_log& log) : log_{log}, word_{log.word_}, used_{log.used_}, width_{log.width_} {}

    /// The choice of an operation, as its caller numbers them; `pair`: it is that of the operation behind it, too. Further ones, up to
    /// `operations`, have choice 0. A word has room for them.
    constexpr void choose(std::size_t choice, std::size_t operations = 1, bool pair = false) {
      const std::uint64_t bits = choice | (pair ? choice << width_ : 0);
      const std::size_t before = used_;
      word_ |= bits << before;
      used_ += width_ * operations;
      if (used_ < 64) return;
      log_.add_word(word_);
      used_ -= 64;
      word_ = used_ > 0 ? bits >> (64 - before) : 0;
    }
    constexpr void finish() {
      log_.word_ = word_;
      log_.used_ = used_;
    }

   private:
    basic_run_log& log_;
    std::uint64_t word_;
    std::size_t used_;
    std::size_t width_;
  };
  [[nodiscard]] constexpr std::size_t choice(std::size_t at) const {
    const std::size_t word = at * width_ / 64;
    return (word < words_.size() ? words_[word] : word_) >> (at * width_ % 64) & last_choice();
  }
  /// Of all choices the one with the largest number.
  [[nodiscard]] constexpr std::size_t last_choice() const { return (std::size_t{1} << width_) - 1; }
  /// False where operations differ in more ways than it has numbers for.
  [[nodiscard]] constexpr bool complete() const { return complete_; }
  /// True where a run does not repeat for so long that its log would take too much memory: it is of no use then.
  [[nodiscard]] constexpr bool full() const { return full_; }
  [[nodiscard]] constexpr const dynamic_array<section>& sections() const { return sections_; }
  [[nodiscard]] constexpr const dynamic_array<entry>& entries() const { return entries_; }
  [[nodiscard]] constexpr const dynamic_array<left_out>& skips() const { return skips_; }
  [[nodiscard]] constexpr std::size_t streams() const { return streams_; }
  [[nodiscard]] constexpr std::uint32_t code(const section& s, std::size_t event) const { return codes_[s.codes + event]; }

  /// The number of an operation; `mate` is that of the first one, if it is the second of two that run together.
  constexpr std::uint32_t code_of(const run_event& e, std::uint32_t mate) {
    std::uint32_t alike = no_code;
    for (std::uint32_t i = first_[e.cost]; i != no_code; i = entries_[i].next) {
      if (entries_[i].event == e && entries_[i].mate == mate) return i;
      if (entries_[i].event.lane == e.lane && entries_[i].event.port_alone() == e.port_alone()) alike = i;
    }
    const std::uint32_t stream = e.port_alone() != run_event::no_port ? e.port_alone()
                                 : alike != no_code                  ? entries_[alike].stream
                                                                     : static_cast<std::uint32_t>(streams_++);
    entries_.push_back({e, mate, stream, first_[e.cost]});
    return first_[e.cost] = static_cast<std::uint32_t>(entries_.size() - 1);
  }

 private:
  static constexpr std::uint32_t most_codes = std::uint32_t{1} << 16;
  static constexpr std::size_t most_operations = std::size_t{1} << 26;  // two bytes each,
  static constexpr std::size_t most_words = std::size_t{1} << 24;       // and some bits

  constexpr void add_word(std::uint64_t word) {
    full_ = full_ || words_.size() >= most_words;
    if (!full_) words_.push_back(word);
  }
  [[nodiscard]] constexpr std::size_t choices() const { return (words_.size() * 64 + used_) / width_; }

  dynamic_array<entry> entries_{};
  dynamic_array<std::uint32_t> first_{};   // of each cost
  block_list<std::uint16_t> codes_{};      // of one round of each section
  block_list<std::uint64_t> words_{};
  std::uint64_t word_ = 0;                 // the one that is not full,
  std::size_t used_ = 0;                   // and its bits that are used
  dynamic_array<section> sections_{};
  dynamic_array<left_out> skips_{};
  std::size_t streams_ = 0;
  std::size_t width_ = 1;  // of a choice, in bits
  bool complete_ = true;
  bool full_ = false;
};

using run_log = basic_run_log<>;

/// The log of a run that is to begin.
template <class Log, class Links>
constexpr Log begun_log(std::size_t costs, const Links& links) {
  Log log;
  if constexpr (Log::keeps) log.begin(costs, links.ports.size(), links.most);
  return log;
}

}  // namespace ipuflow::schedule::impl
