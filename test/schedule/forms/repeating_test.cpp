// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/forms/repeating.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/generators/zb1p.hpp>
#include <ipuflow/schedule/lowering/channels.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace repeating_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

template <class A, class B>
bool same_orders(const A& a, const B& b) {
  for (std::size_t ipu = 0; ipu < a.where.ipus; ++ipu) {
    auto one = a.walk(ipu);
    auto two = b.walk(ipu);
    for (; one && two; ++one, ++two) {
      if (one->kind != two->kind || one->stage != two->stage || one->micro_batch != two->micro_batch) return false;
    }
    if (one || two) return false;
  }
  return true;
}

TEST_CASE("what is found in 1F1B is 1F1B, and unrolls to 1F1B of any number of micro-batches") {
  for (const std::size_t ipus : {1u, 2u, 4u, 7u}) {
    const auto of = [&](std::size_t count) { return one_f_one_b({.ipus = ipus, .micro_batches = count}); };
    const repeating form = repeating_form(tabulate(of(2 * ipus + 4)));
    REQUIRE(form);
    CHECK(form.each == 1);
    CHECK(same_orders(form, of(2 * ipus + 4)));
    for (const std::size_t count : {ipus + 1, 3 * ipus + 9, std::size_t{200}}) {
      const repeating more = form.unrolled(count);
      REQUIRE_FALSE(more.refused);
      CHECK(same_orders(more, of(count)));
      CHECK(more.count(0) == 2 * count);
      CHECK_FALSE(verify(more));
      CHECK_FALSE(verify_channels(more, count));
      CHECK(makespan(more, costs{3, 2, 4, 1}) == makespan(of(count), costs{3, 2, 4, 1}));
    }
  }
}

TEST_CASE("bodies of several stages an IPU and of several micro-batches") {
  const repeating vee = repeating_form(tabulate(v_min({.ipus = 4, .micro_batches = 24})));
  REQUIRE(vee);
  CHECK_FALSE(verify(vee.unrolled(24 + 7 * vee.each)));
  CHECK(same_orders(vee, v_min({.ipus = 4, .micro_batches = 24})));
  table pairs{grid{.ipus = 1, .stages = 1, .micro_batches = 8}, mode::training};
  for (std::size_t m = 0; m < 8; m += 2) {
    const pass kinds[] = {pass::forward, pass::forward, pass::backward, pass::backward};
    for (std::size_t i = 0; i < 4; ++i) pairs.rows[0].push_back({{kinds[i], 0, m + i % 2}, 2 * m + i, false});
  }
  const repeating two = repeating_form(pairs);
  CHECK(two.each == 2);
  CHECK(two.repeats == 4);
  CHECK_FALSE(verify(two.unrolled(30)));
  CHECK(two.unrolled(31).refused.kind == schedule_wrong::not_a_multiple);
  CHECK(two.unrolled(31).refused.limit == 32);
}

TEST_CASE("all forwards before all backwards repeat no body of both; too few bodies are chance; out of order is none") {
  CHECK_FALSE(repeating_form(tabulate(gpipe({.ipus = 3, .micro_batches = 12}))));
  const repeating few = repeating_form(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 4})));
  CHECK_FALSE(few);
  CHECK(same_orders(few, one_f_one_b({.ipus = 4, .micro_batches = 4})));
  CHECK(few.unrolled(5).refused.kind == schedule_wrong::not_a_multiple);
  table odd = tabulate(one_f_one_b({.ipus = 1, .micro_batches = 6}));
  const placed kept = odd.rows[0][0];
  odd.rows[0][0] = odd.rows[0][2];
  odd.rows[0][2] = kept;
  CHECK_FALSE(repeating_form(odd));
}

TEST_CASE("bodies of IPUs that lie at different micro-batches are none: with one more of them the IPUs would wait for ever") {
  table t{grid{.ipus = 2, .stages = 2, .micro_batches = 26}, mode::training};
  const auto add = [&](std::size_t ipu, std::size_t together, std::size_t times) {  // so many forwards, then their backwards
    auto& row = t.rows[ipu];
    std::size_t first = row.size() / 2;
    for (std::size_t n = 0; n < times; ++n, first += together) {
      for (const pass kind : {pass::forward, pass::backward}) {
        for (std::size_t i = 0; i < together; ++i) row.push_back({{kind, ipu, first + i}, row.size(), false});
      }
    }
  };
  add(0, 2, 10), add(0, 1, 6);
  add(1, 2, 1), add(1, 1, 16), add(1, 2, 1), add(1, 1, 6);
  REQUIRE_FALSE(verify(t));
  const repeating form = repeating_form(t);
  CHECK_FALSE(form);
  CHECK(same_orders(form, t));
}

TEST_CASE("ramps need their micro-batches") {
  const repeating form = repeating_form(tabulate(zb1p({.ipus = 4, .micro_batches = 16})));
  REQUIRE(form);
  const std::size_t ramps = 16 - form.repeats * form.each;
  CHECK(form.unrolled(ramps).refused.kind == schedule_wrong::too_few_micro_batches);
  CHECK(form.unrolled(ramps).refused.limit == ramps + form.each);
  CHECK_FALSE(verify(form.unrolled(ramps + form.each)));
  CHECK(form.unrolled(static_cast<std::size_t>(-1)).refused.kind == schedule_wrong::too_many_micro_batches);
}

}  // namespace repeating_test
