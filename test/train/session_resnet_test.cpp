// SPDX-License-Identifier: BSL-1.0
// A residual network with batch norm and projections learns the same bits by every schedule and on any number of threads, and learns
// something.
#include "small_resnet.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace session_resnet_test {

using namespace ipuflow;

namespace {

constexpr auto network = regroup(test::small_resnet, stage<"conv1">().ipu<0>(), stage<"layer1.0">().ipu<1>(), stage<"layer2.0">().ipu<2>(),
                                 stage<"layer2.1", "fc", "loss">().ipu<3>());

/// Convolutions of many channels, which are computed by Winograd's transforms of all samples of a micro-batch.
constexpr auto wide = pipeline(input<float, 3, 8, 8>, per_sample<"class", std::uint8_t>,
    stage(block<"see">(nn::conv2d<32, 3, 1, 1>, nn::relu, nn::conv2d<33, 3, 1, 1>)).ipu<0>(),
    stage(block<"say">(nn::relu, nn::conv2d<32, 3>, nn::flatten, nn::linear<4>, use<"class">(nn::cross_entropy))).ipu<1>());
static_assert(nn::impl::takes_winograd(nn::impl::conv_shape_of<33, 3, 1, 1, 1, 32, 8, 8>()));
static_assert(nn::impl::takes_winograd(nn::impl::conv_shape_of<32, 3, 1, 0, 1, 33, 8, 8>()));

template <class Network, class T>
train::model<> trained(const Network& of, const T& timetable, std::size_t threads) {
  train::session session{of, timetable, train::adamw{.rate = 1e-2f}, test::resnet_options(3), on::threads{.count = threads}};
  for (std::size_t step = 0; step < 3; ++step) session(test::made_up_images{session.samples_per_step(), 7 + step});
  return *session.parameters();
}

}  // namespace

TEST_CASE_TEMPLATE("weights and running statistics of convolutions do not depend on the schedule or on threads", of,
                   std::integral_constant<bool, true>, std::integral_constant<bool, false>) {
  constexpr auto described = [] {
    if constexpr (of::value) {
      return network;
    } else {
      return wide;
    }
  }();
  const train::model<> expected = trained(described, schedule::tabulate(schedule::sequential(described, micro_batches<8>)), 1);
  CHECK(expected.values != train::initial_model(described, 0).values);
  if constexpr (of::value) CHECK(expected.state != train::initial_model(described, 0).state);
  for (const std::string_view name : {"grouped", "interleaved", "gpipe", "1f1b", "zb1p"}) {
    CAPTURE(std::string{name});
    schedule::with_schedule(name, schedule::setup_of(described, 8), [&](const auto& t) {
      REQUIRE(!t.refused);
      const schedule::table timetable = schedule::tabulate(t);
      for (const std::size_t threads : {1u, 2u, 4u}) CHECK(trained(described, timetable, threads) == expected);
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
