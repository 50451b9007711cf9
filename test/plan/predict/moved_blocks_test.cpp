// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/moved_blocks.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace moved_blocks_test {

using namespace ipuflow;

namespace {

/// A chain whose stages stand on a chip each: a step is as long as the longest of them, with the messages at its cuts.
struct made_up {
  std::vector<std::uint64_t> work{}, message{};  // of each block, and behind it
  std::uint64_t most_work = 0;                   // that a chip has room for

  plan::prediction operator()(const plan::configuration& c) const {
    plan::prediction p{.clock = {1e9}, .samples = 1, .tile_memory = {1000}, .code_region = {500}};
    const std::size_t stages = c.cuts.size() + 1;
    for (std::size_t s = 0; s < stages; ++s) {
      const std::size_t begin = s == 0 ? 0 : c.cuts[s - 1], end = s + 1 == stages ? work.size() : c.cuts[s];
      if (begin >= end) throw_if(plan::fits_fault{.kind = plan::fits_wrong::code_region});
      std::uint64_t time = 0;
      for (std::size_t b = begin; b < end; ++b) time += work[b];
      plan::chip_memory& memory = p.memory.emplace_back();
      memory.bytes[plan::memory_use::weights] = static_cast<std::uint32_t>(time <= most_work ? 100 : 2000);
      if (begin > 0) time += message[begin - 1];
      if (end < work.size()) time += message[end - 1];
      p.busy.push_back({time});
      if (time > p.total.value) p.total = {time}, p.busiest = s;
    }
    return p;
  }
};

}  // namespace

TEST_CASE("what is found fits, is no slower, and no block that its busiest chip hands to another makes it faster") {
  std::mt19937 random(5);
  int faster = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t blocks = 4 + random() % 8, stages = 2 + random() % 3;
    made_up of;
    for (std::size_t b = 0; b < blocks; ++b) of.work.push_back(1 + random() % 50), of.message.push_back(random() % 80);
    plan::configuration c{.ipus = stages};
    for (std::size_t s = 1; s < stages; ++s) c.cuts.push_back(s * blocks / stages);
    of.most_work = of(c).total.value;
    const plan::ranked begin{c, of(c)};
    REQUIRE(!plan::verify_fits(begin.then, 0.05));
    const plan::ranked end = plan::with_moved_blocks(of, begin, 0.05);
    CHECK(end.then.total == of(end.with).total);
    CHECK(end.then.total <= begin.then.total);
    CHECK(!plan::verify_fits(end.then, 0.05));
    faster += end.then.total < begin.then.total ? 1 : 0;
    const std::size_t full = end.then.busiest, first = full == 0 ? 0 : end.with.cuts[full - 1], behind = full + 1 == stages ? blocks : end.with.cuts[full];
    if (behind - first == 1) continue;  // its only block
    for (const bool on : {true, false}) {
      if (on ? full + 1 == stages : full == 0) continue;
      plan::configuration moved = end.with;
      on ? --moved.cuts[full] : ++moved.cuts[full - 1];
      const plan::prediction p = of(moved);
      CHECK((p.total >= end.then.total || plan::verify_fits(p, 0.05)));
    }
  }
  CHECK(faster > 100);
}

TEST_CASE("one stage, and a schedule that is searched for, stay as they are") {
  const made_up of{.work = {9, 1, 1}, .message = {0, 0, 0}, .most_work = 100};
  const plan::configuration whole{}, searched{.cuts = {2}, .schedule = "search", .ipus = 2};
  CHECK(plan::with_moved_blocks(of, plan::ranked{whole, of(whole)}, 0.05).with == whole);
  CHECK(plan::with_moved_blocks(of, plan::ranked{searched, of(searched)}, 0.05).with == searched);
  plan::configuration known = searched;
  known.schedule = "1f1b";
  CHECK(plan::with_moved_blocks(of, plan::ranked{known, of(known)}, 0.05).with.cuts == light_vector<std::size_t>{1});
}

TEST_CASE("stages go round the chips, or there and back") {
  const plan::configuration two{.ipus = 2};
  CHECK(plan::impl::stands_on(two, 0, 0));
  CHECK(plan::impl::stands_on(two, 2, 0));
  CHECK(plan::impl::stands_on(two, 3, 0));
  CHECK(!plan::impl::stands_on(two, 1, 0));
}

}  // namespace moved_blocks_test
