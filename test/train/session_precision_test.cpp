// SPDX-License-Identifier: BSL-1.0
// A network with data in halves, parameters in halves, and arithmetic in halves.
#include "small_network.hpp"

#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace session_precision_test {

using namespace ipuflow;

namespace {

template <class Number>
constexpr auto network =
    pipeline(input<Number, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::conv2d<3, 3>, nn::relu),
             block<"b">(nn::flatten, nn::linear<4>, use<"label">(nn::cross_entropy)));

/// The mean loss after some steps.
template <class Precision, class P>
double loss_after(const P& pipeline, train::options o, bool halves) {
  auto session = train::session(pipeline, schedule::grouped(pipeline, micro_batches<4>), train::adamw{.rate = 2e-2f}, o,
                                Precision{});
  const auto is_half = [](float v) { return v == static_cast<float>(half{v}); };
  const test::made_up data{session.samples_per_step()};
  for (int i = 0; i < 10; ++i) {
    const auto& values = session.parameters()->values;
    CHECK(std::all_of(values.begin(), values.end(), is_half) == halves);
    session(data);
  }
  return train::mean_of(session(data)[1]);
}

}  // namespace

TEST_CASE("halves learn what floats learn, nearly") {
  auto o = test::small_options();
  o.outputs = feed::output_mode::all;
  const double exact = loss_after<train::precision<>>(network<float>, o, false);
  CHECK(exact < 0.5);
  for (const auto how : {train::rounding::nearest, train::rounding::stochastic}) {
    o.parameters = how;
    CHECK(loss_after<train::precision<float, half>>(network<half>, o, true) == doctest::Approx(exact).epsilon(0.2));
  }
  o.scale = {.factor = 256, .automatic = true};
  CHECK(loss_after<train::precision<half, float>>(network<half>, o, false) == doctest::Approx(exact).epsilon(0.2));
}

TEST_CASE("a model of floats that is handed over is used and trained as halves, if parameters are; using it changes nothing") {
  const auto floats = share<train::model<>>(train::initial_model(network<float>, 3));
  const auto halves = share<train::model<>>(*floats);
  for (float& v : halves->values) v = static_cast<float>(half{v});
  REQUIRE(floats->values != halves->values);
  const train::precision<float, half> in_halves;
  const auto run = schedule::inference(network<float>, micro_batches<2>);
  const train::options o{.micro_batch = 5, .inputs = test::small_options().inputs};
  auto narrowed = train::inference(network<float>, run, floats, o, in_halves);
  auto expected = train::inference(network<float>, run, halves, o);
  const test::made_up data{expected.samples_per_step()};
  CHECK(narrowed(data)[0].values == expected(data)[0].values);
  CHECK(*floats == train::initial_model(network<float>, 3));

  const auto timetable = schedule::sharded(network<float>, micro_batches<2>);
  train::session trained{network<float>, timetable, train::sgd{}, o, in_halves, floats};
  train::session same{network<float>, timetable, train::sgd{}, o, in_halves, halves};
  CHECK(trained(data)[1].values == same(data)[1].values);
  CHECK(floats->values == halves->values);
}

TEST_CASE("a mean in half and a mean of squares in float learn what floats learn; squares in half are lost, and learning stalls") {
  constexpr auto dense = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                  block<"a">(nn::flatten, nn::linear<16>, nn::tanh),
                                  block<"b">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  const auto loss_with = [&](const auto& optimiser) {
    train::session session{dense, schedule::grouped(dense, micro_batches<4>), optimiser, test::small_options(8)};
    const test::made_up data{session.samples_per_step()};
    for (int i = 0; i < 50; ++i) session(data);
    return train::mean_of(session(data)[1]);
  };
  const double exact = loss_with(train::lamb{.rate = 1e-2f});
  CHECK(exact < 0.1);
  CHECK(loss_with(train::basic_lamb<half, float>{.rate = 1e-2f}) == doctest::Approx(exact).epsilon(0.02));
  CHECK(loss_with(train::basic_lamb<half>{.rate = 1e-2f}) > 10 * exact);
  const double adam = loss_with(train::adamw{.rate = 1e-2f});
  CHECK(loss_with(train::basic_adam<train::decay::decoupled, half, float>{.rate = 1e-2f}) == doctest::Approx(adam).epsilon(0.02));
}

TEST_CASE("stochastic rounding is the same for any schedule and any number of threads") {
  auto o = test::small_options();
  o.parameters = train::rounding::stochastic;
  const auto run = [&](std::size_t threads, const auto& timetable) {
    auto session = train::session(network<half>, timetable, train::adamw{}, o, train::precision<float, half>{},
                                  on::threads{.count = threads});
    return test::train_for(session, 3);
  };
  const auto one = run(1, schedule::grouped(network<half>, micro_batches<4>));
  CHECK(run(2, schedule::grouped(network<half>, micro_batches<4>)) == one);
  CHECK(run(2, schedule::sequential(network<half>, micro_batches<4>)) == one);
}

}  // namespace session_precision_test
