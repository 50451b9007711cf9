// SPDX-License-Identifier: BSL-1.0
// Variables of which each replica keeps a part: put together where they are read, added up part by part where replicas have
// found different numbers. Collectives that follow each other are made one. Parts have one size on all replicas, so the last may
// end in zeros.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <cstddef>

namespace ipuflow::ipu {

namespace impl {

/// The variable that the parts of all replicas fill: `whole`, unless the last part is longer than what is left of that; then a longer
/// one in the same place.
template <class = void>
[[nodiscard]] variable_id as_long_as_parts(graph& g, variable_id part, variable_id whole, std::size_t replicas) {
  const std::size_t all = g[part].elements() * replicas;
  if (all == g[whole].elements()) return whole;
  name_text name = g[whole].name();
  name += " padded";
  const element_type type = g[whole].type();
  const auto& tiles = g[whole].tiles();  // in order: as many from the first one on are not behind the last
  const std::size_t count = tiles.size(), first = tiles.begin()->first;
  return g.add_temporary(name, type, all, linear(all, count, first, vector_width(type)));
}

}  // namespace impl

/// The size of each replica's part.
[[nodiscard]] constexpr std::size_t part_size(std::size_t elements, std::size_t replicas) { return divided_up(elements, replicas); }

/// `whole`, on each replica, from the parts of all.
template <class = void>
[[nodiscard]] step gather_parts(graph& g, variable_id part, variable_id whole, std::size_t replicas) {
  const variable_id full = impl::as_long_as_parts(g, part, whole, replicas);
  if (full.index == whole.index) return all_gather(part, whole);
  return sequence(all_gather(part, full), copy({{.from = {full}, .to = {whole}, .length = g[whole].elements()}}));
}

/// `part` on each replica: its part of the sum of what all replicas have in `whole`.
template <class = void>
[[nodiscard]] step add_up_parts(graph& g, variable_id whole, variable_id part, std::size_t replicas) {
  const variable_id full = impl::as_long_as_parts(g, part, whole, replicas);
  if (full.index == whole.index) return reduce_scatter(whole, part);
  return sequence(fill(g, full, 0), copy({whole_piece(g, whole, full)}), reduce_scatter(full, part));
}

namespace impl {

/// The variable of which all replicas have all.
template <class Collective>
[[nodiscard]] variable_id& whole_of(Collective& s) {
  if constexpr (requires { s.variable; })
    return s.variable;
  else
    return s.whole;
}

/// Makes one of collectives of a kind that stand beside each other, all on one chip.
template <class Collective>
void merge_kind(const graph& g, light_vector<step>& steps) {
  bytes before{};
  std::size_t chip = 0;
  for (step& s : steps) {
    auto* const mine = s.get_if<Collective>();
    const auto chip_at = [&](const auto& held) { return held.first / g.chip().tiles; };
    if (mine == nullptr || g[whole_of(*mine)].elements() == 0 || chip_at(*g[whole_of(*mine)].tiles().begin()) != chip_at(g[whole_of(*mine)].tiles().back())) {
      before = {};
      continue;
    }
    const std::size_t here = chip_at(*g[whole_of(*mine)].tiles().begin());
    if (here != chip) before = {};
    chip = here;
    mine->before = before;
    before += g[whole_of(*mine)].size();
  }
}

}  // namespace impl

/// Collectives of a kind that follow each other in a sequence run as one, with the rounds of one. The vendor's option is
/// `mergeAllReduceCollectives`.
template <class = void>
void merge_collectives(const graph& g, step& s) {
  light_vector<step>* const steps = impl::steps_in(s);
  if (steps == nullptr) return;
  impl::merge_kind<all_reduce>(g, *steps);
  impl::merge_kind<all_gather>(g, *steps);
  impl::merge_kind<reduce_scatter>(g, *steps);
}

}  // namespace ipuflow::ipu
