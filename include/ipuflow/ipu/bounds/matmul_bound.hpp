// SPDX-License-Identifier: BSL-1.0
// The plan of a product that is planned alone, found in few steps: cuts stand in pairs of parts of the rows and of the sum, and
// those are passed over whose least time is longer than a known one.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/bounds/cut_bound.hpp>
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::ipu {

namespace impl {

class matmul_search {
 public:
  constexpr matmul_search(const architecture& chip, const matmul_shape& s, std::size_t tiles, bytes memory)
      : chip_{chip}, s_{s}, tiles_{tiles}, memory_{memory.value}, times_{chip, s.type} {
    const std::size_t m_grain = s.a_transposed ? grain_ : 1;
    for (const std::size_t parts : part_list(divided_up(s.m, m_grain), tiles))
      rows_.push_back(times_.side(s.m, parts, m_grain));
    for (const std::size_t parts : part_list(divided_up(s.k, grain_), algorithms::min(tiles, divided_up(s.k, 16))))
      depths_.push_back(times_.side(s.k, parts, grain_));
  }

  /// As the planner does it: more turns are tried only where nothing fits with few.
  [[nodiscard]] constexpr matmul_plan taken() {
    for (std::size_t turns = 1; turns <= divided_up(s_.n, grain_); turns *= 2) {
      turns_ = turns, columns_ = divided_up(divided_up(s_.n, grain_), turns);
      known_ = {}, number_ = dynamic_array<std::size_t>(columns_ + 1);
      find_pairs();
      for (const pair& p : pairs_) {
        if (p.least <= limit_) try_columns(p);
      }
      if (best_.tiles > 0) return best_;
    }
    return estimated(chip_, s_, smallest_);
  }

 private:
  /// Parts of the rows and of the sum.
  struct pair {
    std::size_t row = 0, depth = 0;
    std::size_t least = 0;  // of its cuts, in cycles
  };

  /// The columns in parts of at most that many grains, as few as give these; worked out once.
  constexpr const cut_side& columns(std::size_t grains) {
    if (number_[grains] == 0) {
      known_.push_back(times_.side(columns_ * grain_, divided_up(columns_, grains), grain_));
      number_[grains] = known_.size();
    }
    return known_[number_[grains] - 1];
  }
  constexpr bool fits(const cut_side& m, const cut_side& k, const cut_side& n) const {
    const std::size_t all = (m.size + n.size) * k.size * size_ + m.size * n.size * (2 * sum_ + 4);  // were it there at once
    if (all <= memory_) return true;
    return held_by_pass(size_, sum_, m, k, n) <= memory_;
  }
  constexpr std::size_t least(const cut_side& m, const cut_side& k, const cut_side& n) const {
    std::size_t turned = s_.a_transposed ? times_.turned(m.size * k.size) : 0;
    if (s_.b_transposed) turned += times_.turned(k.size * n.size);
    return turns_ * times_.pass(m, k, n, 1, false, turned);
  }
  constexpr matmul_plan plan(const cut_side& m, const cut_side& k, const cut_side& n) const {
    return {.m_parts = m.parts,
            .k_parts = k.parts,
            .n_parts = n.parts,
            .turns = turns_,
            .tiles = tiles_,
            .m_grain = s_.a_transposed ? grain_ : 1,
            .k_grain = grain_,
            .n_grain = grain_};
  }

  /// Pairs of which a cut fits: the more parts the columns have, the less it holds. Whichever promises most is tried at once.
  constexpr void find_pairs() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const cut_side& m = rows_[i];
      for (std::size_t kk = 0; kk < depths_.size(); ++kk) {
        const cut_side& k = depths_[kk];
        const std::size_t most = tiles_ / (m.parts * k.parts);
        if (most == 0) break;
        cut_side n = columns((columns_ + most - 1) / most);
        if (!fits(m, k, n)) {
          keep_smallest(m, k, n);
          continue;
        }
        n.parts = chip_.tiles_per_bus;  // tiles may share what they get of `a`, whatever the parts
        const pair found{i, kk, least(m, k, n)};
        if (found.least > limit_) continue;
        if (found.least < promised_)
          promised_ = found.least, try_columns(found);
        else
          pairs_.push_back(found);
      }
    }
  }
  constexpr void keep_smallest(const cut_side& m, const cut_side& k, const cut_side& n) {
    const std::size_t holds = held_by_pass(size_, sum_, m, k, n);
    if (holds < least_held_) least_held_ = holds, smallest_ = plan(m, k, n);
  }

  /// Many parts first, whose least time is shortest but for what neighbours share.
  constexpr void try_columns(const pair& p) {
    const cut_side &m = rows_[p.row], &k = depths_[p.depth];
    for (std::size_t most = tiles_ / (m.parts * k.parts); most > 0;) {
      cut_side n = columns(divided_up(columns_, most));
      if (!fits(m, k, n)) return;
      if (least(m, k, n) <= limit_) choose(p, estimated(chip_, s_, plan(m, k, n)));
      most = n.parts - 1, n.parts = chip_.tiles_per_bus;
      if (least(m, k, n) > limit_) return;
    }
  }
  /// Of plans that take as long the planner takes the one that it tries first.
  constexpr void choose(const pair& p, const matmul_plan& tried) {
    if (tried.estimate.value > limit_) return;
    const bool same = p.row == of_.row && p.depth == of_.depth;
    const bool first = same ? tried.n_parts < best_.n_parts : p.row != of_.row ? p.row < of_.row : p.depth < of_.depth;
    if (tried.estimate.value == limit_ && !first) return;
    limit_ = tried.estimate.value, best_ = tried, of_ = p;
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  const architecture& chip_;
  const matmul_shape& s_;
  std::size_t tiles_, memory_;
  cut_times times_;
  std::size_t size_ = operand_bytes(s_.type), sum_ = partial_bytes(s_.type);
  std::size_t grain_ = vector_width(operand_type(s_.type));
  dynamic_array<cut_side> rows_{}, depths_{};
  std::size_t turns_ = 1, columns_ = 0;  // columns_: grains of them in a turn
  dynamic_array<cut_side> known_{};
  dynamic_array<std::size_t> number_{};  // in `known_`, from one on, by the grains of a part
  dynamic_array<pair> pairs_{};
  std::size_t limit_ = none, promised_ = none, least_held_ = none;
  matmul_plan best_{}, smallest_{};
  pair of_{};
};

/// The plan of `plan_matmul`, with its arguments, as a constant expression; of a product that is not `in_squares`.
[[nodiscard]] constexpr matmul_plan matmul_taken(const architecture& chip, const matmul_shape& s, std::size_t tiles,
                                                 bytes memory) {
  return matmul_search(chip, s, tiles, memory).taken();
}

inline constexpr std::size_t bytes_of_message = 256;  // that an instruction sends while others are received [C600]

/// Messages between a matrix that is spread evenly and blocks of it of `runs` times `run` elements of `size` bytes. If a block
/// comes from many tiles, as many of its readers as are best put it together.
struct block_messages {
  std::size_t of_block = 0, of_share = 0;  // of_share: of what a tile has of the matrix

  constexpr block_messages(std::size_t elements, std::size_t tiles, std::size_t runs, std::size_t run, std::size_t readers,
                           std::size_t size) {
    const std::size_t held = spread_bound(size == 2 ? element_type::f16 : element_type::f32, elements, tiles) / size;
    of_block = runs * (divided_up(run, held) + (run % held == 0 || held % run == 0 ? 0 : 1)), of_share = divided_up(held, run);
    std::size_t holders = 1;
    while (holders * holders < of_block && holders + 1 < readers) ++holders;
    of_block = algorithms::min(of_block, holders + divided_up(of_block, holders));
    of_block += runs * run * size / holders / bytes_of_message;
  }
};

}  // namespace impl

/// Bytes that the plan of `plan_matmul` takes, with results that are rounded, and the pieces of blocks that a tile receives and
/// of the result that it sends [capped].
[[nodiscard]] constexpr operation_bound matmul_bound(const architecture& chip, const matmul_shape& s, std::size_t tiles,
                                                     bytes memory) {
  const matmul_plan p = impl::matmul_taken(chip, s, tiles, memory);
  const impl::cut_times times(chip, s.type);
  const std::size_t turn = divided_up(divided_up(s.n, p.n_grain), p.turns) * p.n_grain, size = impl::operand_bytes(s.type);
  const std::size_t m = times.side(s.m, p.m_parts, p.m_grain).size, k = times.side(s.k, p.k_parts, p.k_grain).size;
  const std::size_t n = times.side(turn, p.n_parts, p.n_grain).size, sums = m * n * impl::partial_bytes(s.type);
  const auto messages = [&](std::size_t rows, std::size_t columns, bool transposed, std::size_t all, std::size_t readers) {
    return impl::block_messages(all, tiles, transposed ? columns : rows, transposed ? rows : columns, readers, size);
  };
  const impl::block_messages left = messages(m, k, s.a_transposed, s.m * s.k, p.n_parts);
  const impl::block_messages right = messages(k, n, s.b_transposed, s.k * s.n, p.m_parts);
  const impl::block_messages out = messages(p.k_parts == 1 ? m : divided_up(m, p.k_parts) + 1, n, false, s.m * s.n, 1);
  operation_bound made;
  made.temporary = p.temporary.value + (p.k_parts == 1 && impl::partial_bytes(s.type) != size ? m * n * size : 0);
  made.pieces = left.of_block + (right.of_block + out.of_block + 2) * p.turns;  // what is left is brought once
  made.pieces += left.of_share + right.of_share + out.of_share;
  made.sums = p.k_parts == 1 ? 0 : (p.k_parts + sums / impl::bytes_of_message) * p.turns;
  return made;
}

}  // namespace ipuflow::ipu
