// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/session_plan.hpp>

#include "small_network.hpp"

#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace session_plan_test {

using namespace ipuflow;

namespace {

using network = std::remove_cvref_t<decltype(test::small_network)>;
constexpr const auto& seats = train::impl::seat_table_of<network>;
constexpr auto one_way = schedule::one_f_one_b(test::small_network, micro_batches<8>);
constexpr auto two_ways = schedule::chimera(test::small_network, micro_batches<8>);
constexpr auto forwards = schedule::inference(test::small_network, micro_batches<8>);

template <class T>
const train::options& checked(const T& t, const train::options& o) {
  return train::impl::checked(seats, train::impl::network_of<network, float>.outputs, t, schedule::verify(t), o);
}

}  // namespace

TEST_CASE("copies, and who runs what") {
  const train::options o{.replicas = 3};
  CHECK(train::impl::copies_of(one_way, o) == 3);
  CHECK(train::impl::copies_of(two_ways, o) == 6);
  CHECK(train::impl::work_shape_of(seats, one_way, o).micro_batches == 8);
  CHECK(train::impl::work_shape_of(seats, two_ways, o).micro_batches == 4);
  CHECK(train::impl::work_shape_of(seats, one_way, o).owners == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(train::impl::work_shape_of(seats, two_ways, o).owners == std::vector<std::size_t>{0, 1, 2, 3, 3, 2, 1, 0});
}

TEST_CASE("a training step accumulates, an inference step iterates") {
  const train::options o{.micro_batch = 5, .device_iterations = 2, .replicas = 3};
  CHECK(train::impl::step_shape_of(one_way, o).samples_per_step() == 5 * 8 * 2 * 3);
  CHECK(train::impl::step_shape_of(one_way, o).sizes.accumulation == 8);
  CHECK(train::impl::step_shape_of(forwards, o).sizes.device_iterations == 16);
  CHECK_FALSE(train::impl::takes_parts(one_way, o));
  CHECK(train::impl::takes_parts(forwards, o));
  CHECK_FALSE(train::impl::takes_parts(forwards, {.outputs = feed::output_mode::final}));
}

TEST_CASE("the gradient of one sample's loss") {
  const auto of = [](const auto& t, train::options o) {
    o.micro_batch = 5;
    return train::impl::pass_context_of(t, o, 2.0f).loss_gradient;
  };
  CHECK(of(one_way, {.gradients = train::reduction::sum}) == 2.0f / 5);
  CHECK(of(one_way, {}) == 2.0f / (5 * 8));
  CHECK(of(one_way, {.replicas = 2}) == 2.0f / (5 * 8 * 2));
  CHECK(of(one_way, {.replicas = 2, .gradients = train::reduction::running_mean}) == 2.0f / (5 * 2));
  CHECK(of(two_ways, {.replicas = 2, .gradients = train::reduction::running_mean}) == 2.0f / (5 * 4));
  CHECK_FALSE(train::impl::pass_context_of(one_way, {}, 1.0f).one_by_one);
  CHECK(train::impl::pass_context_of(one_way, {}, 1.0f, true).one_by_one);
}

TEST_CASE("what cannot be is refused") {
  CHECK_NOTHROW(checked(one_way, {}));
  constexpr auto three = schedule::one_f_one_b(schedule::setup{3, 1, 8});
  CHECK_THROWS_WITH(checked(three, {}), doctest::Contains("the timetable is for 3 stages"));
  auto odd = two_ways;
  odd.where.micro_batches = 7;
  CHECK_THROWS(checked(odd, {}));
  const auto refused = schedule::grouped(test::small_network, micro_batches<9>);
  CHECK_THROWS(checked(refused, {}));
  CHECK_THROWS_WITH(checked(one_way, {.micro_batch = 0}),
                    doctest::Contains("a micro-batch of 0 samples"));
  CHECK_THROWS_WITH(checked(one_way, {.replicas = 0}), doctest::Contains("0 replicas compute nothing"));
  CHECK_THROWS_WITH(checked(one_way, {.outputs = feed::output_mode::every_n}),
                    doctest::Contains("need a period"));
}

}  // namespace session_plan_test
