// SPDX-License-Identifier: BSL-1.0
// A residual network with batch norm and projections learns the same bits by every schedule and on any number of threads, and learns
// something.
#include "small_resnet.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace session_resnet_test {

using namespace ipuflow;

namespace {

constexpr auto network = regroup(test::small_resnet, stage<"conv1">().ipu<0>(), stage<"layer1.0">().ipu<1>(), stage<"layer2.0">().ipu<2>(),
                                 stage<"layer2.1", "fc", "loss">().ipu<3>());

template <class T>
train::model<> trained(const T& timetable, std::size_t threads) {
  train::session session{network, timetable, train::adamw{.rate = 1e-2f}, test::resnet_options(3), on::threads{.count = threads}};
  for (std::size_t step = 0; step < 3; ++step) session(test::made_up_images{session.samples_per_step(), 7 + step});
  return *session.parameters();
}

}  // namespace

TEST_CASE("weights and running statistics of a residual network do not depend on the schedule or on threads") {
  const train::model<> expected = trained(schedule::tabulate(schedule::sequential(network, micro_batches<8>)), 1);
  CHECK(expected.state != train::initial_model(network, 0).state);
  for (const std::string_view name : {"grouped", "interleaved", "gpipe", "1f1b", "zb1p"}) {
    CAPTURE(std::string{name});
    schedule::with_schedule(name, schedule::setup_of(network, 8), [&](const auto& t) {
      REQUIRE(!t.refused);
      const schedule::table timetable = schedule::tabulate(t);
      for (const std::size_t threads : {1u, 2u, 4u}) CHECK(trained(timetable, threads) == expected);
    });
  }
}

TEST_CASE("it learns which quarter is bright") {
  train::session session{network, schedule::tabulate(schedule::one_f_one_b(network, micro_batches<8>)), train::adamw{.rate = 1e-2f},
                         test::resnet_options(8)};
  double last = 0;
  for (std::size_t step = 0; step < 20; ++step) {
    last = static_cast<double>(train::mean_of(session(test::made_up_images{session.samples_per_step(), 7 + step}).back()));
  }
  CHECK(last < 0.3);
}

}  // namespace session_resnet_test
