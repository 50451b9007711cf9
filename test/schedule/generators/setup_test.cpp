// SPDX-License-Identifier: BSL-1.0
// What is asked for, in numbers or by a pipeline, and what schedules allow.
#include <ipuflow/schedule/generators/setup.hpp>

#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/generators/interleaved_1f1b.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace setup_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

struct line_of_three {
  static constexpr std::size_t stage_count = 3;
  constexpr std::size_t ipu_of(std::size_t stage) const { return stage; }
};
struct looped {
  static constexpr std::size_t stage_count = 4;
  constexpr std::size_t ipu_of(std::size_t stage) const { return stage % 2; }
};
struct crossed {
  static constexpr std::size_t stage_count = 2;
  constexpr std::size_t ipu_of(std::size_t stage) const { return 1 - stage; }
};
struct with_branches {
  static constexpr std::size_t stage_count = 2;
  static constexpr std::size_t block_count = 3;
  constexpr std::size_t ipu_of(std::size_t stage) const { return stage; }
  constexpr bounded_vector<std::size_t, 2> ipus_of(std::size_t stage) const {
    return stage == 0 ? bounded_vector<std::size_t, 2>{{0}, 1} : bounded_vector<std::size_t, 2>{{1, 2}, 2};
  }
};
static_assert(staged<line_of_three> && !staged<int> && branched<with_branches>);
static_assert(devices_of(with_branches{}) == [] {
  auto m = devices(0, on_ipus(1, 2));
  return m;
}());
static_assert(setup_of(looped{}, 8) == setup{2, 2, 8});
static_assert(setup_of(inference(looped{}), 8) == setup{2, 2, 8, mode::inference});
static_assert(one_f_one_b(training(line_of_three{}), micro_batches<6>) == one_f_one_b(line_of_three{}, micro_batches<6>));
static_assert(one_f_one_b(inference(line_of_three{}), micro_batches<6>).refused.kind == schedule_wrong::training_only);

}  // namespace

TEST_CASE("a pipeline says where its stages are") {
  CHECK_FALSE(one_f_one_b(line_of_three{}, micro_batches<6>).refused);
  CHECK_FALSE(interleaved_1f1b(looped{}, micro_batches<6>).refused);
  CHECK(one_f_one_b(looped{}, micro_batches<6>).refused.kind == schedule_wrong::stages_per_ipu);
  CHECK(one_f_one_b(crossed{}, micro_batches<6>).refused ==
        schedule_fault{schedule_wrong::placed_otherwise, 1, 0, {.stage = 0}});
}

TEST_CASE("the next number of micro-batches that is allowed") {
  CHECK_FALSE(verify_count(8, 4, 4));
  CHECK(verify_count(0, 4, 4) == schedule_fault{schedule_wrong::no_micro_batches, 0, 4});
  CHECK(verify_count(3, 6, 4) == schedule_fault{schedule_wrong::too_few_micro_batches, 3, 8});
  CHECK(verify_count(9, 6, 4) == schedule_fault{schedule_wrong::not_a_multiple, 9, 12});
}

TEST_CASE("sizes that could not be counted are refused, and the next number is never wrong") {
  constexpr std::size_t largest = static_cast<std::size_t>(-1);
  for (const std::size_t count : {most_micro_batches + 1, largest / 2, largest - 2, largest}) {
    CHECK(verify_count(count, 1, 1) == schedule_fault{schedule_wrong::too_many_micro_batches, count, most_micro_batches});
    CHECK(verify_count(count, 6, 6).limit == most_micro_batches / 6 * 6);
  }
  CHECK_FALSE(verify_count(most_micro_batches, 1, 1));
  CHECK(verify_count(most_micro_batches, 3, 3).kind == schedule_wrong::too_many_micro_batches);  // next would be more
  const auto refused = [](std::string_view name, const setup& asked) {
    return with_schedule(name, asked, [](const auto& t) { return t.refused; });
  };
  for (const std::size_t large : {most_stages + 2, std::size_t{1} << 63, largest - 1, largest}) {
    for (const std::string_view name : schedule_names) {
      CAPTURE(name);
      CHECK(refused(name, {.ipus = large, .micro_batches = 4}) ==
            schedule_fault{schedule_wrong::too_many_stages, large, most_stages});
      CHECK(refused(name, {.ipus = 4, .stages_per_ipu = large, .micro_batches = 8}));
      CHECK(refused(name, {.ipus = large, .stages_per_ipu = large, .micro_batches = 8}));
      if (large == most_stages + 2) continue;
      CHECK(refused(name, {.ipus = 4, .micro_batches = large}) ==
            schedule_fault{schedule_wrong::too_many_micro_batches, large,
                           refused(name, {.ipus = 4, .micro_batches = most_micro_batches + 1}).limit});
    }
  }
}

}  // namespace setup_test
