// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/copy_memo.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "tiny.hpp"

#include <doctest/doctest.h>

#include <random>

namespace copy_memo_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// What a copy costs according to the memo, where it is.
copy_cost seen(copy_memo& memo, const graph& g, const copy& s) {
  const known_copy& known = memo.of(s);
  copy_cost made = *known.cost;
  flat_map<std::size_t, chip_copy> chips;
  for (const auto& [chip, c] : made.chips) chips[known.chip(chip)] = c;
  made.chips = chips;
  for (chip_transfer& t : made.transfers) t = {known.chip(t.from), known.chip(t.to), t.size};
  made.code_from = known.chip(made.code_from / g.chip().tiles) * g.chip().tiles;
  return made;
}

bool same(const copy_cost& a, const copy_cost& b) {
  if (a.transfers != b.transfers || a.code_bytes != b.code_bytes || a.chips.size() != b.chips.size()) return false;
  if (!a.code_bytes.empty() && a.code_from != b.code_from) return false;
  for (const auto& [chip, c] : a.chips) {
    if (!b.chips.contains(chip)) return false;
    const chip_copy& d = b.chips.at(chip);
    if (c.local != d.local || c.exchange != d.exchange || c.exchanged != d.exchanged) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("whatever is copied, on whichever chip and in whichever order: the memo says what the copy costs") {
  std::mt19937 random(5);
  std::size_t shared = 0;
  for (int trial = 0; trial < 50; ++trial) {
    graph g(tiny_chip(), 4);
    ipuflow::light_vector<variable_id> v;
    for (std::size_t chip = 0; chip < 4; ++chip) {
      v.push_back(g.add_variable<float>("a", 64, linear(64, 8, 8 * chip)));
      v.push_back(g.add_variable<float>("b", 64, grid(8, 8, 4, 2, 8 * chip)));
      v.push_back(g.add_variable<float>("c", 64, linear(64, 3, 8 * chip)));
    }
    ipuflow::light_vector<copy> steps;
    for (std::size_t s = 0; s < 6; ++s) {
      ipuflow::light_vector<copy_piece> pieces;
      ipuflow::light_vector<std::pair<std::size_t, std::size_t>> ends;
      for (std::size_t p = 0; p < 1 + random() % 3; ++p) {
        const std::size_t length = 1 + random() % 20;
        pieces.push_back({{v[0], random() % (64 - length)}, {v[0], random() % (64 - length)}, length});
        ends.emplace_back(random() % 3, random() % 3);
      }
      for (const std::size_t chip : {random() % 4, random() % 4, random() % 4}) {  // alike, chips apart
        for (std::size_t p = 0; p < pieces.size(); ++p) {
          pieces[p].from.variable = v[3 * chip + ends[p].first];
          pieces[p].to.variable = v[3 * ((chip + (s % 2)) % 4) + ends[p].second];
        }
        steps.push_back(copy(pieces));
      }
    }
    copy_memo memo(g);
    for (const copy& s : steps) CHECK(same(seen(memo, g, s), cost_of_copy(g, s)));
    for (const copy& s : steps) shared += memo.of(s).chips != 0 ? 1u : 0u;
  }
  CHECK(shared > 50);  // it does remember
}

}  // namespace copy_memo_test
