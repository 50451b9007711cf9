// SPDX-License-Identifier: BSL-1.0
// The costs of a program's copies, each worked out once: a copy whose pieces are those of another, between variables
// that lie alike on tiles some chips further on, costs the same there. Layers of a pipeline are full of such copies.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/core/wrapping.hpp>
#include <ipuflow/ipu/cost/copies.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// The cost of a copy that is `chips` further on than the one that it was worked out for.
struct known_copy {
  shared<const copy_cost> cost;
  std::ptrdiff_t chips = 0;

  [[nodiscard]] std::size_t chip(std::size_t worked_out) const { return worked_out + static_cast<std::size_t>(chips); }
};

/// True if `b` lies like `a`, all of it `apart` tiles further on.
template <class = void>
inline bool alike(const variable& a, const variable& b, std::size_t apart) {
  if (size_of(a.type()) != size_of(b.type()) || a.copies() != b.copies() || a.map().size() != b.map().size())
    return false;
  for (std::size_t i = 0; i < a.map().size(); ++i) {
    const mapped_interval& x = a.map()[i];
    const mapped_interval& y = b.map()[i];
    if (x.begin != y.begin || x.end != y.end || x.tile + apart != y.tile) return false;
  }
  return true;
}

template <class = void>
class basic_copy_memo {
 public:
  explicit basic_copy_memo(const graph& g) : g_{&g} {}

  /// The cost of a copy, which must stay where it is.
  const known_copy& of(const copy& s) {
    const auto [found, added] = by_copy_.try_emplace(&s);
    if (!added) return found->second;
    light_vector<worked_out>& like_it = by_hash_[hash_of(s)];
    for (const worked_out& first : like_it) {
      const std::size_t chips = tile_of(s) / g_->chip().tiles - tile_of(*first.of) / g_->chip().tiles;
      if (!equal(*first.of, s, chips * g_->chip().tiles)) continue;
      found->second = {first.cost, static_cast<std::ptrdiff_t>(chips)};
      return found->second;
    }
    like_it.push_back({&s, shared<const copy_cost>{cost_of_copy(*g_, s, room_)}});
    found->second = {like_it.back().cost, 0};
    return found->second;
  }
  /// After the last copy: gives back the room in which costs are worked out.
  void finish() { room_ = {}; }

 private:
  /// A copy whose cost was found by counting.
  struct worked_out {
    const copy* of;
    shared<const copy_cost> cost;
  };

  std::size_t tile_of(const copy& s) const {
    if (s.pieces.empty()) return 0;
    const mapping& map = (*g_)[s.pieces[0].from.variable].map();
    return map.empty() ? 0 : map[0].tile;
  }

  /// The part of a piece that equal copies have in common.
  static std::array<std::size_t, 9> numbers_of(const copy_piece& p) {
    return {p.from.begin, p.to.begin, p.length, p.count, p.from.step, p.to.step, p.copies, p.copy_step, p.in_pairs ? 1u : 0u};
  }
  static std::uint64_t hash_of(const copy& s) {
    std::uint64_t sum = s.pieces.size();
    for (const copy_piece& p : s.pieces) {
      for (const std::size_t n : numbers_of(p)) sum = wrapping_product(sum ^ n, 0x9e3779b97f4a7c15u);
    }
    return sum;
  }

  bool equal(const copy& a, const copy& b, std::size_t apart) const {
    flat_map<std::size_t, std::size_t> partner;    // of variables of `a`
    flat_map<std::size_t, std::size_t> partnered;  // of variables of `b`
    const auto same = [&](variable_id x, variable_id y) {
      const auto [found, added] = partner.try_emplace(x.index, y.index);
      if (!added) return found->second == y.index;
      return partnered.try_emplace(y.index, x.index).second && alike((*g_)[x], (*g_)[y], apart);
    };
    if (a.pieces.size() != b.pieces.size()) return false;
    for (std::size_t i = 0; i < a.pieces.size(); ++i) {
      const copy_piece& x = a.pieces[i];
      const copy_piece& y = b.pieces[i];
      if (numbers_of(x) != numbers_of(y)) return false;
      if (!same(x.from.variable, y.from.variable) || !same(x.to.variable, y.to.variable)) return false;
    }
    return true;
  }

  const graph* g_;
  memo<const copy*, known_copy> by_copy_;
  memo<std::uint64_t, light_vector<worked_out>> by_hash_;
  chip_sends room_{};
};
using copy_memo = basic_copy_memo<>;

}  // namespace impl

}  // namespace ipuflow::ipu
