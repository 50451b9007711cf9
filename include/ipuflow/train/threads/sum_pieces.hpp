// SPDX-License-Identifier: BSL-1.0
// Gradients of all parameters cut into pieces, which processes send each other to add them up: each piece is added up by one process,
// of the sums over the branches of the tree that the others have whole. Nothing of it changes from step to step.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/train/threads/tree_sum.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::train::impl {

/// Neighbouring parameters whose gradients one process adds up.
struct sum_share {
  std::size_t process = 0;
  std::size_t first = 0;  ///< among all parameters
  std::size_t count = 0;
  bool for_all = false;   ///< every process is to have the sums
};

/// A branch of the tree that one process has whole.
struct sum_branch {
  std::size_t process = 0;
  std::size_t first = 0;  ///< copy
  std::size_t end = 0;
};

/// Neighbouring parameters of one seat.
struct sum_range {
  std::size_t seat = 0;
  std::size_t first = 0;    ///< among all parameters
  std::size_t of_seat = 0;  ///< the same place, counted from the first of the seat
  std::size_t count = 0;
};

/// Neighbouring numbers that are a message to a process, or from one.
struct sum_message {
  std::size_t process = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Parameters that one process adds up at a time.
struct sum_piece {
  std::size_t process = 0;
  std::size_t number = 0;  ///< among those of the process
  bool for_all = false;
  std::size_t count = 0;
  light_vector<sum_range> ranges{};
  light_vector<sum_message> messages{};   ///< all that come before it can be added up, or the one that goes; in the room of a place
  light_vector<std::size_t> offsets{};    ///< there, of each branch of each range
  light_vector<sum_message> results{};    ///< neighbours among the sums

  [[nodiscard]] std::size_t room() const { return messages.empty() ? 0 : messages.back().first + messages.back().count; }
};

/// Numbers of a piece, at most: 256 KiB, which fit into a cache with what is added to them.
inline constexpr std::size_t numbers_of_piece = 65536;

template <class = void>
struct basic_sum_pieces {
  light_vector<light_vector<sum_branch>> branches{};  ///< of each seat, in the order of the tree
  light_vector<sum_piece> given{};                   ///< that others add up, of which this process has branches
  light_vector<sum_piece> added{};                   ///< that this process adds up
  light_vector<sum_piece> taken{};                   ///< that others add up for all

  /// `values`: where the parameters of each seat begin, and behind them. `process_of(copy, seat)`. `most`: numbers of a piece.
  template <class ProcessOf>
  basic_sum_pieces(std::size_t me, std::size_t processes, light_span<const std::size_t> values, std::size_t copies, const ProcessOf& process_of,
                   const light_vector<sum_share>& shares, std::size_t most)
      : branches(values.size() - 1) {
    for (std::size_t seat = 0; seat + 1 < values.size(); ++seat)
      cut(seat, 0, copies, [&](std::size_t copy) { return process_of(copy, seat); });
    light_vector<sum_piece> all = pieces_of(processes, values, shares, most);
    // the end of the model comes first, as its backward passes do; pieces of all processes take turns, and each begins with those of the next one
    const auto turn = [&](const sum_piece& p) { return light_pair{p.number, (p.process + processes - me) % processes}; };
    algorithms::sort(all.begin(), all.end(), [&](const sum_piece& a, const sum_piece& b) { return turn(a) < turn(b); });
    for (sum_piece& p : all) enqueue(std::move(p), me, processes);
  }

 private:
  template <class ProcessOf>
  void cut(std::size_t seat, std::size_t first, std::size_t end, const ProcessOf& process_of) {
    const std::size_t process = process_of(first);
    for (std::size_t copy = first + 1; copy < end; ++copy) {
      if (process_of(copy) == process) continue;
      const std::size_t middle = tree_middle(first, end);
      cut(seat, first, middle, process_of);
      return cut(seat, middle, end, process_of);
    }
    branches[seat].push_back({process, first, end});
  }

  static light_vector<sum_piece> pieces_of(std::size_t processes, light_span<const std::size_t> values, const light_vector<sum_share>& shares, std::size_t most) {
    light_vector<sum_piece> made;
    flat_map<light_pair<std::size_t, bool>, sum_piece> open;
    light_vector<std::size_t> numbers(processes);
    const auto close = [&](sum_piece& p) {
      p.number = numbers[p.process]++;
      made.push_back(algorithms::exchange(p, {}));
    };
    for (const sum_share& s : shares) {
      for (std::size_t seat = 0; seat + 1 < values.size(); ++seat) {
        const std::size_t end = algorithms::min(s.first + s.count, values[seat + 1]);
        for (std::size_t from = algorithms::max(s.first, values[seat]); from < end;) {
          sum_piece& p = open[{s.process, s.for_all}];
          p.process = s.process;
          p.for_all = s.for_all;
          const std::size_t count = algorithms::min(end - from, most - p.count);
          p.ranges.push_back({seat, from, from - values[seat], count});
          p.count += count;
          from += count;
          if (p.count == most) close(p);
        }
      }
    }
    for (auto& [of, p] : open) {
      if (p.count > 0) close(p);
    }
    for (sum_piece& p : made) p.number = numbers[p.process] - 1 - p.number;
    return made;
  }

  /// Finds what of a piece goes and comes, and puts it where it belongs.
  void enqueue(sum_piece p, std::size_t me, std::size_t processes) {
    const bool mine = p.process == me;
    std::size_t room = 0, of_all = 0;
    for (const sum_range& r : p.ranges) of_all += branches[r.seat].size();
    p.offsets.resize(of_all);
    for (std::size_t process = 0; process < processes; ++process) {
      if ((process == me) == mine) continue;
      const std::size_t first = room;
      std::size_t next = 0;
      for (const sum_range& r : p.ranges) {
        for (const sum_branch& b : branches[r.seat]) {
          if (b.process == process) p.offsets[next] = algorithms::exchange(room, room + r.count);
          ++next;
        }
      }
      if (room > first) p.messages.push_back({mine ? process : p.process, first, room - first});
      if (!mine) break;
    }
    for (const sum_range& r : p.ranges) {
      if (p.results.empty() || p.results.back().first + p.results.back().count != r.first) p.results.push_back({p.process, r.first, 0});
      p.results.back().count += r.count;
    }
    if (!mine && p.for_all) taken.push_back(p);
    if (mine) added.push_back(std::move(p));
    else if (!p.messages.empty()) given.push_back(std::move(p));
  }
};
using sum_pieces = basic_sum_pieces<>;

}  // namespace ipuflow::train::impl
