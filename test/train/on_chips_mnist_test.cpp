// SPDX-License-Identifier: BSL-1.0
// The tutorial's network on four chips of mk2, run functionally: twenty updates with the losses of host threads.
#include "chips_check.hpp"
#include "instrumented.hpp"

#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/idx.hpp>
#include <ipuflow/train/evaluation.hpp>

#include <string>

namespace on_chips_mnist_test {

using namespace ipuflow;

namespace {

template <class Number>
constexpr auto mnist = pipeline(input<Number, 1, 28, 28>, per_sample<"label", std::uint8_t>,
                                stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)),
                                stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)),
                                stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)),
                                stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))));

template <class Precision, class P>
void check_losses(const P& network, const schedule::table& t, std::size_t updates, double tolerance) {
  const train::options o{.micro_batch = 8,
                         .outputs = feed::output_mode::all,
                         .inputs = train::scaling::of_pixels(0.1307f, 0.3081f),
                         .seed = 1};
  const train::adamw optimiser{.rate = 1e-3f};
  train::session host{network, t, optimiser, o, Precision{}};
  train::session tiles{network, t, optimiser, o, Precision{}, on::chips{.system = ipu::pod(ipu::mk2, 4)}};
  const std::string data = IPUFLOW_EXAMPLE_DATA;
  const auto images = feed::idx<28, 28>(data + "/train-images-idx3-ubyte", data + "/train-labels-idx1-ubyte");
  double first = 0, last = 0;
  for (auto&& step : feed::load(images, host.samples_per_step(), {.shuffle = 1})) {
    if (tiles.updates() == updates) break;
    const auto& wanted = host(step);
    const auto& got = tiles(step);
    REQUIRE(got[1].values.size() == wanted[1].values.size());
    for (std::size_t i = 0; i < wanted[1].values.size(); ++i)
      CHECK(got[1].values[i] == doctest::Approx(wanted[1].values[i]).epsilon(tolerance));
    last = train::mean_of(got[1]);
    if (tiles.updates() == 1) first = last;
  }
  CHECK(tiles.updates() == updates);
  if (updates >= 20) CHECK(last < 0.5 * first);
  const run::chips_profile counted = tiles.cost();
  CHECK(tiles.profile().chips == counted.chips);
}

constexpr std::size_t updates = test::is_instrumented ? 2 : 20;

}  // namespace

TEST_CASE("Twenty updates, grouped") {
  check_losses<train::precision<>>(mnist<float>, schedule::tabulate(schedule::grouped(mnist<float>, micro_batches<8>)),
                                   updates, 1e-4);
}

TEST_CASE("Twenty updates, interleaved") {
  check_losses<train::precision<>>(
      mnist<float>, schedule::tabulate(schedule::interleaved(mnist<float>, micro_batches<8>)), updates, 1e-4);
}

TEST_CASE("Twenty updates, sequential") {
  check_losses<train::precision<>>(
      mnist<float>, schedule::tabulate(schedule::sequential(mnist<float>, micro_batches<8>)), updates, 1e-4);
}

TEST_CASE("Data and parameters in halves: losses to about eleven bits, as both round at other places") {
  check_losses<train::precision<float, half>>(mnist<half>,
                                              schedule::tabulate(schedule::grouped(mnist<half>, micro_batches<8>)),
                                              updates < 4 ? 1 : updates / 4, 5e-3);
}

TEST_CASE("Each chip keeps its stage's activations as many times as was verified, and with recomputation what enters") {
  using P = std::remove_const_t<decltype(mnist<float>)>;
  const train::options o{.micro_batch = 8};
  const auto stash_bytes = [&](const auto& t) {
    const train::session s{mnist<float>, t, train::adamw{}, o, on::chips{.system = ipu::pod(ipu::mk2, 4)}};
    const ipu::profile p = s.cost().chips;
    std::vector<std::size_t> made(4, 0);
    for (const ipu::variable_memory& v : p.memory.variables) {
      if (v.name.view().starts_with("stash of ")) made[v.chip] += v.size;
    }
    return made;
  };
  const auto kept = [&]<std::size_t S>(std::integral_constant<std::size_t, S>, bool entries) {
    constexpr auto& plan = nn::planned<P, S, float>;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < plan.slots.size(); ++i) {
      const nn::slot_plan& slot = plan.slots[i];
      if (slot.root == i && (entries ? i == 0 : slot.needed_by_inputs || slot.needed_by_weights)) sum += slot.elements;
    }
    return sum * sizeof(float) * o.micro_batch;
  };
  const auto expected = [&](const schedule::counts& depths, bool entries) {
    std::vector<std::size_t> made;
    train::impl::for_each_stage<P>([&](auto stage) { made.push_back(depths[stage] * kept(stage, entries)); });
    return made;
  };
  const auto grouped = schedule::grouped(mnist<float>, micro_batches<16>);
  CHECK(stash_bytes(grouped) == expected(schedule::fifo_depths(grouped), false));
  const auto interleaved = schedule::interleaved(mnist<float>, micro_batches<16>);
  CHECK(stash_bytes(interleaved) == expected(schedule::fifo_depths(interleaved), false));
  const auto again =
      schedule::grouped(mnist<float>, micro_batches<16>, {.recompute = schedule::recomputation::automatic});
  CHECK(stash_bytes(again) == expected(schedule::fifo_depths(again), true));
}

}  // namespace on_chips_mnist_test
