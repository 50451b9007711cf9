// SPDX-License-Identifier: BSL-1.0
// Every partition of a short chain, and every set of recomputing blocks of every stage, written down as the page on planning says
// it: what the search is compared with.
#pragma once

#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/plan/partition/balance.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace every_partition {

using namespace ipuflow;

using chain = std::vector<plan::chain_block>;
using depth_rule = std::function<std::size_t(std::size_t stage, std::size_t stages)>;

/// A partition: the first blocks of stages 1 on, and the loads of all.
struct one {
  std::vector<std::size_t> cuts{};
  std::vector<std::size_t> loads{};

  [[nodiscard]] std::size_t longest() const { return *std::max_element(loads.begin(), loads.end()); }
  [[nodiscard]] std::size_t squares() const {
    std::size_t sum = 0;
    for (const std::size_t load : loads) sum += load * load;
    return sum;
  }
};

inline std::size_t up(std::size_t a, std::size_t by) { return (a + by - 1) / by; }

/// The least load of blocks as a stage; none if they do not fit.
inline std::optional<std::size_t> load_of(const chain& blocks, const plan::balance_options& o, const depth_rule& depth,
                                          std::size_t stage, std::size_t stages, std::size_t first, std::size_t end) {
  const auto chip = o.chips.empty() ? o.chip : o.chips[stage];
  const auto copies = [&](std::size_t link_number, std::size_t block) {
    const auto link = o.links.empty() ? o.link : o.links[link_number];
    return up(blocks[block].cut_bytes * o.directions, link.rate) + link.fixed;
  };
  std::optional<std::size_t> least;
  for (std::size_t set = 0; set < (o.recompute ? std::size_t{1} << (end - first) : 1); ++set) {
    std::size_t work = 0, bytes = 0;
    for (std::size_t b = first; b < end; ++b) {
      const plan::chain_block& block = blocks[b];
      const bool again = (set >> (b - first)) & 1;
      const std::size_t entered = b == 0 ? o.entry_bytes : blocks[b - 1].cut_bytes;
      const std::size_t kept = block.kept_bytes == plan::as_entered ? entered : block.kept_bytes;
      work += block.forward + block.backward + (again ? block.forward : 0);
      bytes += o.parameter_copies * block.parameter_bytes + depth(stage, stages) * (again ? kept : block.activation_bytes);
    }
    if (bytes > chip.memory) continue;
    const std::size_t time = up(work * o.measured_at, chip.speed);
    std::size_t load = time;
    if (o.load != plan::load_kind::compute) {
      const std::size_t in = stage == 0 ? 0 : copies(stage - 1, first - 1);
      const std::size_t out = stage + 1 == stages ? 0 : copies(stage, end - 1);
      load = o.load == plan::load_kind::copies ? time + in + out : std::max({time, in, out});
    }
    if (!least || load < *least) least = load;
  }
  return least;
}

/// The best partition by the rule of `balance`; none if nothing fits.
inline std::optional<one> best(const chain& blocks, const plan::balance_options& o, const depth_rule& depth) {
  std::optional<one> found;
  const auto better = [](const one& a, const one& b) {
    if (a.longest() != b.longest()) return a.longest() < b.longest();
    if (a.loads.size() != b.loads.size()) return a.loads.size() < b.loads.size();
    if (a.squares() != b.squares()) return a.squares() < b.squares();
    return a.cuts < b.cuts;
  };
  for (std::size_t stages = o.fewer_stages ? 1 : o.stages; stages <= o.stages; ++stages) {
    const std::size_t n = blocks.size();
    std::vector<std::optional<std::size_t>> loads(stages * (n + 1) * (n + 1));
    const auto at = [&](std::size_t s, std::size_t i, std::size_t j) -> auto& { return loads[(s * (n + 1) + i) * (n + 1) + j]; };
    for (std::size_t s = 0; s < stages; ++s) {
      for (std::size_t i = s; i < n; ++i) {
        for (std::size_t j = i + 1; j <= n; ++j) at(s, i, j) = load_of(blocks, o, depth, s, stages, i, j);
      }
    }
    one now;
    const std::function<void(std::size_t)> add = [&](std::size_t first) {
      const std::size_t stage = now.loads.size();
      for (std::size_t end = stage + 1 == stages ? n : first + 1; end <= n; ++end) {
        const auto load = at(stage, first, end);
        if (!load) continue;
        now.loads.push_back(*load);
        if (end == n && now.loads.size() == stages) {
          if (!found || better(now, *found)) found = now;
        } else if (end < n && now.loads.size() < stages) {
          now.cuts.push_back(end);
          add(end);
          now.cuts.pop_back();
        }
        now.loads.pop_back();
      }
    };
    add(0);
  }
  return found;
}

/// Numbers that a test can repeat.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : seed_{seed} {}
  std::size_t below(std::size_t limit) { return mixed_bits(mixed_bits(seed_) + next_++) % limit; }
  std::size_t from_to(std::size_t least, std::size_t most) { return least + below(most - least + 1); }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

/// A chain of up to `most` blocks; times and bytes are small, so that many partitions are equal.
inline chain any_chain(numbers& any, std::size_t most, std::size_t largest) {
  chain blocks(any.from_to(1, most));
  for (plan::chain_block& b : blocks) {
    b = {any.below(largest), any.below(2 * largest), any.below(1000), any.below(300), any.below(1500)};
    if (any.below(4) == 0) b.kept_bytes = any.below(1500);
  }
  return blocks;
}

/// The partition keeps what it says of itself.
template <class Partition>
void check_itself(const Partition& p, std::span<const plan::chain_block> blocks, const plan::balance_options& o) {
  REQUIRE(p.stages.size() == p.cuts.size() + 1);
  std::size_t next = 0, longest = 0;
  for (std::size_t s = 0; s < p.stages.size(); ++s) {
    CHECK(p.stages[s].first == next);
    CHECK(p.stages[s].end > next);
    if (s > 0) CHECK(p.cuts[s - 1] == next);
    CHECK(p.stages[s].bytes <= (o.chips.empty() ? o.chip : o.chips[s]).memory);
    next = p.stages[s].end;
    longest = std::max(longest, p.stages[s].load);
  }
  CHECK(next == blocks.size());
  CHECK(longest == p.bottleneck);
  CHECK(p.lower_bound <= p.bottleneck);
}

}  // namespace every_partition
