// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/ipu/program/step.hpp>

#include <ipuflow/ipu/program/step_kind.hpp>

#include <doctest/doctest.h>

#include <array>

namespace step_test {

using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

std::vector<step> inside(const step& s) {
  std::vector<step> made;
  for_each_inner(s, [&](const step& inner) { made.push_back(inner); });
  return made;
}

}  // namespace

TEST_CASE("steps keep what they are made of, in order") {
  const step s = sequence(execute({3}), repeat(5, copy({{{{0}}, {{1}, 2}, 4}})), call({7}));
  const std::vector<step> all = inside(s);
  REQUIRE(all.size() == 3);
  CHECK(all[0].as<execute>().set.index == 3);
  CHECK(all[1].as<repeat_of>().count == 5);
  CHECK(inside(all[1])[0].as<copy>().pieces[0].to.begin == 2);
  CHECK(all[2].as<call>().function.index == 7);
  CHECK(inside(parallel({s, s, s})).size() == 3);
  const step both = overlap(s, execute({1}));
  CHECK(both.as<overlap_of>().transfers.size() == 3);
  CHECK(both.as<overlap_of>().compute[0].as<execute>().set.index == 1);
  CHECK(inside(both).size() == 4);
}

TEST_CASE("a sequence never stands in a sequence, and steps that were put nowhere are none") {
  const step a = execute({1}), b = execute({2}), c = execute({3});
  const auto sets = [](const step& s) {
    std::vector<std::size_t> made;
    for (const step& inner : inside(s)) made.push_back(inner.as<execute>().set.index);
    return made;
  };
  CHECK(sets(sequence(a, sequence(b, sequence(c)), sequence())) == std::vector<std::size_t>{1, 2, 3});
  CHECK(sets(sequence(std::vector<step>{sequence(a, b), c})) == std::vector<std::size_t>{1, 2, 3});
  CHECK(sets(repeat(2, sequence(a, b))) == std::vector<std::size_t>{1, 2});
  step program = a;
  CHECK(sets(program.then(b).then(sequence(c, a))) == std::vector<std::size_t>{1, 2, 3, 1});
  CHECK(step{}.empty());
  CHECK(sequence(sequence(), step{}).empty());
  CHECK_FALSE(program.empty());
  CHECK_FALSE(a.empty());
}

TEST_CASE("a label is put around a step: one that has a label keeps it, inside, also in sequences") {
  const step twice = labelled(4, labelled(3, execute({1})));
  CHECK(twice.as<label_of>().label == 4);
  REQUIRE(inside(twice).size() == 1);
  CHECK(inside(twice)[0].as<label_of>().label == 3);
  CHECK(inside(sequence(twice, twice)).size() == 2);
}

TEST_CASE("reversed pieces move the same words back, and twice reversed is as before") {
  constexpr copy_piece p{.from = {{1}, 3, 10}, .to = {{2}, 40, 5}, .length = 4, .count = 3};
  constexpr copy_piece back = reversed(p), again = reversed(back);
  // Every pair of elements that a piece joins, by brute force.
  const auto words = [](const copy_piece& c) {
    std::vector<std::array<std::size_t, 4>> made;
    for (std::size_t r = 0; r < c.count; ++r)
      for (std::size_t i = 0; i < c.length; ++i)
        made.push_back({c.from.variable.index, c.from.begin + r * c.from.step + i, c.to.variable.index,
                        c.to.begin + r * c.to.step + i});
    return made;
  };
  std::vector<std::array<std::size_t, 4>> turned;
  for (const auto& [from, at, to, there] : words(p)) turned.push_back({to, there, from, at});
  CHECK(words(p).front() == std::array<std::size_t, 4>{1, 3, 2, 40});
  CHECK(words(p).back() == std::array<std::size_t, 4>{1, 26, 2, 53});
  CHECK(words(back) == turned);
  CHECK(words(again) == words(p));
}

TEST_CASE("nothing but a kind of step becomes a step") {
  static_assert(std::is_convertible_v<copy, step>);
  static_assert(!std::is_convertible_v<compute_set_id, step>);
  static_assert(!std::is_convertible_v<std::vector<step>, step>);
  static_assert(leaf_step<execute> && leaf_step<synchronise> && !leaf_step<call> && !leaf_step<label_of>);
  static_assert(transfer_step<push> && transfer_step<all_reduce> && !transfer_step<copy> && !transfer_step<all_gather>);
}

}  // namespace step_test
