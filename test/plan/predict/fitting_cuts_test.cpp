// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/partition/balance.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/fitting_cuts.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <tuple>

namespace fitting_cuts_test {

using namespace ipuflow;

namespace {

using cut_list = ipuflow::light_vector<std::size_t>;

/// Calls `visit(cuts)` for all partitions of blocks into stages, the earliest cuts first.
template <class Visit>
void each_partition(std::size_t blocks, std::size_t stages, const Visit& visit, cut_list cuts = {}) {
  if (cuts.size() + 1 == stages) return visit(cuts);
  for (std::size_t next = cuts.empty() ? 1 : cuts.back() + 1; next + (stages - cuts.size() - 1) <= blocks; ++next) {
    cuts.push_back(next);
    each_partition(blocks, stages, visit, cuts);
    cuts.pop_back();
  }
}

/// Blocks of random times and bytes on chips of a memory, with a stash that is deeper on earlier stages.
struct random_case {
  ipuflow::light_vector<plan::chain_block> blocks{};
  ipuflow::light_vector<std::size_t> bytes{};
  ipuflow::light_vector<ipuflow::light_vector<std::size_t>> stages_of{};
  std::size_t stages = 0, room = 0;

  [[nodiscard]] std::size_t first(const cut_list& cuts, std::size_t s) const { return s == 0 ? 0 : cuts[s - 1]; }
  [[nodiscard]] std::size_t end(const cut_list& cuts, std::size_t s) const { return s < cuts.size() ? cuts[s] : blocks.size(); }
  [[nodiscard]] bool fits(const cut_list& cuts, std::size_t chip) const {
    std::size_t needs = 0;
    for (const std::size_t s : stages_of[chip]) {
      for (std::size_t b = first(cuts, s); b < end(cuts, s); ++b) needs += bytes[b] * (1 + stages - s);
    }
    return needs <= room;
  }
  [[nodiscard]] bool all_fit(const cut_list& cuts) const {
    for (std::size_t chip = 0; chip < stages_of.size(); ++chip) {
      if (!fits(cuts, chip)) return false;
    }
    return true;
  }
  /// The longest stage, the sum of squares, the cuts: the least is the best.
  [[nodiscard]] std::tuple<std::size_t, std::size_t, cut_list> rank(const cut_list& cuts) const {
    std::size_t longest = 0, squares = 0;
    for (std::size_t s = 0; s < stages; ++s) {
      std::size_t time = 0;
      for (std::size_t b = first(cuts, s); b < end(cuts, s); ++b) time += blocks[b].forward + blocks[b].backward;
      longest = std::max(longest, time), squares += time * time;
    }
    return {longest, squares, cuts};
  }
};

random_case random_one(std::mt19937& random, std::size_t chips, std::size_t on_each) {
  const auto below = [&](std::size_t n) { return random() % n; };
  random_case made;
  made.stages = chips * on_each;
  const std::size_t count = made.stages + below(6);
  for (std::size_t b = 0; b < count; ++b) {
    made.blocks.push_back({.forward = 1 + below(5), .backward = 1 + below(9)});
    made.bytes.push_back(below(10));
  }
  made.stages_of.resize(chips);
  const bool folded = below(2) == 0;  // there and back, or round and round
  for (std::size_t s = 0; s < made.stages; ++s) made.stages_of[folded && s / chips % 2 == 1 ? chips - 1 - s % chips : s % chips].push_back(s);
  made.room = 10 + below(40 * on_each);
  return made;
}

}  // namespace

TEST_CASE("the cuts are the best of all with which the chips fit") {
  std::mt19937 random(7);
  std::size_t fit = 0, plain_would_not = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    const random_case one = random_one(random, 1 + random() % 4, 1 + random() % 3);
    if (one.stages > 8) continue;
    cut_list best, plain;
    bool any = false;
    each_partition(one.blocks.size(), one.stages, [&](const cut_list& cuts) {
      if (plain.size() + 1 != one.stages || one.rank(cuts) < one.rank(plain)) plain = cuts;
      if (one.all_fit(cuts) && (!any || one.rank(cuts) < one.rank(best))) best = cuts, any = true;
    });
    const plan::fitting_cuts found =
        plan::cuts_that_fit(one.blocks, one.stages_of, [&](const cut_list& cuts, const schedule::stage_set&, std::size_t chip) { return one.fits(cuts, chip); }, {}, plan::recomputing::as_configured, 100'000);
    CHECK(found.fit == any);
    CHECK(found.cuts == (any ? best : plain));
    CHECK(found.longest == std::get<0>(one.rank(found.cuts)));
    fit += any ? 1u : 0u;
    plain_would_not += any && !one.all_fit(plain) ? 1u : 0u;
  }
  CHECK(fit > 100);
  CHECK(plain_would_not > 20);
}

TEST_CASE("stages that may recompute: the best of all cuts and all sets of stages, where a stage that does takes less and lasts longer") {
  std::mt19937 random(11);
  std::size_t fit = 0, again = 0, without = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const random_case one = random_one(random, 1 + random() % 3, 1 + random() % 2);
    if (one.stages > 5) continue;
    const auto fits = [&](const cut_list& cuts, const schedule::stage_set& recompute, std::size_t chip) {
      std::size_t needs = 0;
      for (const std::size_t s : one.stages_of[chip]) {
        for (std::size_t b = one.first(cuts, s); b < one.end(cuts, s); ++b) needs += one.bytes[b] * (recompute.has(s) ? 1 : 1 + one.stages - s);
      }
      return needs <= one.room;
    };
    const auto longest_of = [&](const cut_list& cuts, const schedule::stage_set& recompute) {
      std::size_t longest = 0;
      for (std::size_t s = 0; s < one.stages; ++s) {
        std::size_t time = 0;
        for (std::size_t b = one.first(cuts, s); b < one.end(cuts, s); ++b) time += one.blocks[b].forward * (recompute.has(s) ? 2 : 1) + one.blocks[b].backward;
        longest = std::max(longest, time);
      }
      return longest;
    };
    const auto all_fit = [&](const cut_list& cuts, const schedule::stage_set& recompute) {
      for (std::size_t chip = 0; chip < one.stages_of.size(); ++chip) {
        if (!fits(cuts, recompute, chip)) return false;
      }
      return true;
    };
    std::size_t least = 0, least_plain = 0;
    each_partition(one.blocks.size(), one.stages, [&](const cut_list& cuts) {
      for (std::size_t set = 0; set < std::size_t{1} << one.stages; ++set) {
        schedule::stage_set recompute;
        for (std::size_t s = 0; s < one.stages; ++s) {
          if ((set >> s & 1) != 0) recompute.add(s);
        }
        const std::size_t longest = longest_of(cuts, recompute);
        if (!all_fit(cuts, recompute)) continue;
        if (least == 0 || longest < least) least = longest;
        if (set == 0 && (least_plain == 0 || longest < least_plain)) least_plain = longest;
      }
    });
    const plan::fitting_cuts found = plan::cuts_that_fit(one.blocks, one.stages_of, fits, {}, plan::recomputing::where_full, 100'000);
    CHECK(found.fit == (least > 0));
    if (!found.fit) continue;
    CHECK(all_fit(found.cuts, found.recompute));
    CHECK(found.longest == longest_of(found.cuts, found.recompute));
    CHECK(found.longest == least);
    ++fit;
    again += found.recompute.empty() ? 0u : 1u;
    without += least_plain == 0 || least < least_plain ? 1u : 0u;
  }
  CHECK(fit > 100);
  CHECK(again > 20);
  CHECK(without > 20);  // none fits without, or only longer ones
}

TEST_CASE("where all fit the cuts are those of balance, and each chip is asked once") {
  const ipuflow::light_vector<plan::chain_block> blocks{{3, 4}, {1, 1}, {5, 9}, {2, 2}, {2, 3}, {8, 1}, {1, 1}};
  std::size_t asked = 0;
  const ipuflow::light_vector<ipuflow::light_vector<std::size_t>> a_stage_each{{0}, {1}, {2}};
  const plan::fitting_cuts found = plan::cuts_that_fit(blocks, a_stage_each, [&](const cut_list&, const schedule::stage_set&, std::size_t) { return ++asked > 0; });
  const auto balanced = plan::balance(blocks, {.stages = 3});
  CHECK(found.fit);
  CHECK(found.tried == 1);
  CHECK(asked == 3);
  CHECK(found.cuts == balanced.cuts);
  CHECK(found.longest == balanced.bottleneck);
}

TEST_CASE("what is far too full is not asked block by block") {
  const ipuflow::light_vector<plan::chain_block> blocks(200, {1, 1});
  std::size_t asked = 0;
  const ipuflow::light_vector<ipuflow::light_vector<std::size_t>> two{{0}, {1}};
  const auto few_on_the_first = [&](const cut_list& cuts, const schedule::stage_set&, std::size_t chip) { return ++asked, chip == 1 || cuts[0] <= 3; };
  const plan::fitting_cuts found = plan::cuts_that_fit(blocks, two, few_on_the_first);
  CHECK(found.fit);
  CHECK(found.cuts == cut_list{3});
  CHECK(asked < 60);
  asked = 0;
  const plan::fitting_cuts none = plan::cuts_that_fit(blocks, two, [&](const cut_list&, const schedule::stage_set&, std::size_t) { return ++asked, false; });
  CHECK(!none.fit);
  CHECK(none.cuts == cut_list{100});
  CHECK(asked < 60);
}

TEST_CASE("a chip that is known to be too full is not counted, and the cuts are the same") {
  const ipuflow::light_vector<plan::chain_block> blocks(200, {1, 1});
  const ipuflow::light_vector<ipuflow::light_vector<std::size_t>> two{{0}, {1}};
  std::size_t most_counted = 0, asked = 0;
  const auto fits = [&](const cut_list& cuts, const schedule::stage_set&, std::size_t chip) {
    most_counted = std::max(most_counted, cuts[0]);
    return ++asked, chip == 1 || cuts[0] <= 3;
  };
  const auto may_fit = [](const cut_list& cuts, const schedule::stage_set&, std::size_t chip) { return chip == 1 || cuts[0] <= 10; };
  const plan::fitting_cuts found = plan::cuts_that_fit(blocks, two, may_fit, fits);
  CHECK(found.fit);
  CHECK(found.cuts == cut_list{3});
  CHECK(most_counted == 10);
  asked = 0;
  const plan::fitting_cuts none = plan::cuts_that_fit(blocks, two, [](const cut_list&, const schedule::stage_set&, std::size_t) { return false; }, fits);
  CHECK(!none.fit);
  CHECK(none.cuts == cut_list{100});
  CHECK(asked == 0);
}

TEST_CASE("a search gives up, and a chain of too few blocks is a fault") {
  const ipuflow::light_vector<plan::chain_block> blocks(20, {1, 1});
  const ipuflow::light_vector<ipuflow::light_vector<std::size_t>> two{{0, 3}, {1, 2}};
  const plan::fitting_cuts found = plan::cuts_that_fit(blocks, two, [](const cut_list&, const schedule::stage_set&, std::size_t) { return false; }, {}, plan::recomputing::as_configured, 5);
  CHECK(!found.fit);
  CHECK(found.tried == 5);
  CHECK_THROWS((void)plan::cuts_that_fit(ipuflow::light_vector<plan::chain_block>(3, {1, 1}), two, [](const cut_list&, const schedule::stage_set&, std::size_t) { return true; }));
}

}  // namespace fitting_cuts_test
