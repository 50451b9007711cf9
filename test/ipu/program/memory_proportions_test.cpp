// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/memory_proportions.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace memory_proportions_test {

using namespace ipuflow;
using ipu::memory_proportions;

namespace {

struct options {
  memory_proportions memory_proportion = 0.6;
};

}  // namespace

TEST_CASE("one number is that of all chips, a list has one for each") {
  constexpr options none{}, all{.memory_proportion = 0.25}, each{.memory_proportion = {.10, .19, .20, .25}};
  static_assert(none.memory_proportion == memory_proportions{} && none.memory_proportion.of(3) == 0.6);
  static_assert(all.memory_proportion.of(0) == 0.25 && all.memory_proportion.of(1000) == 0.25);
  static_assert(each.memory_proportion.of(0) == .10 && each.memory_proportion.of(3) == .25);
  static_assert(each.memory_proportion.mean() == (.10 + .19 + .20 + .25) / 4 && all.memory_proportion.mean() == 0.25);
  static_assert(each.memory_proportion.largest() == .25 && each.memory_proportion.given().size() == 4);
  static_assert(memory_proportions{0.25} == all.memory_proportion && !(each.memory_proportion == all.memory_proportion));
  memory_proportions halved = each.memory_proportion;
  halved /= 2;
  CHECK(halved == memory_proportions{.05, .095, .10, .125});
}

TEST_CASE("a list that is not as long as there are chips is refused, whatever they are") {
  static_assert(!verify(memory_proportions{0.25}, 7) && !verify(memory_proportions{0.25, 0.5}, 2));
  CHECK(verify(memory_proportions{0.25, 0.5}, 4) == ipu::proportions_fault{ipu::proportions_wrong::count, 2, 4});
  CHECK(sentence(verify(memory_proportions{0.25, 0.5}, 4)).view() ==
        "ipuflow: memory_proportion has 2 numbers for a replica of 4 chips; give one for all, or one for each of at most 64");
  CHECK(verify(memory_proportions(std::span<const double>{}), 1).got == 0);
  const std::vector<double> many(65, 0.5);
  CHECK(verify(memory_proportions(many), 65).got == 65);
  CHECK_FALSE(verify(memory_proportions(std::span(many).first(64)), 64));
}

}  // namespace memory_proportions_test
