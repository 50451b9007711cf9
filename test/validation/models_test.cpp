// SPDX-License-Identifier: BSL-1.0
#include <validation/models.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace models_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace validation;

TEST_CASE("a layer takes at least its multiply-adds, twice as many going back") {
  network_sketch net(bow, amp_precision::half_half, 0.25);
  const attention_shape a{.samples = 2};
  const std::size_t rows = a.samples * a.sequence;
  encoder_layer(net, a, net.value("in", rows * a.hidden));
  const std::size_t macs = 12 * rows * a.hidden * a.hidden + 2 * rows * a.sequence * a.hidden;
  const auto counted = [&](const step& s) {
    return cost(pod(bow, 1), net.g, s, {.allow_out_of_memory = true}).chips[0].flops;
  };
  const auto forward = counted(sequence(net.forward)), backward = counted(net.backwards());
  CHECK(forward > 2 * macs);
  CHECK(forward < 2 * macs + macs / 5);
  CHECK(backward > 4 * macs);
  CHECK(backward < 4 * macs + macs / 4);
}

TEST_CASE("a slot grows with the layers and not quite with the clock") {
  const attention_shape small{.samples = 1, .sequence = 32, .hidden = 256, .heads = 4};
  const auto seconds_of = [&](const architecture& chip, std::size_t layers) {
    return stage_slot(chip, small, layers, 0.25).value;
  };
  const double few = seconds_of(bow, 20);
  CHECK(seconds_of(bow, 40) < 2 * few);  // values are handed on once
  CHECK(seconds_of(bow, 40) > 1.9 * few);
  CHECK(seconds_of(mk2, 20) / few < 1.85 / 1.325);  // links do not follow the clock
  CHECK(seconds_of(mk2, 20) / few > 1.35);
}

TEST_CASE("the tutorial: replicas add an all-reduce, the host its bytes and, if it loads in turn, its time") {
  const auto run = [](std::size_t replicas, bool real, double host) {
    return tutorial_iteration(mk2, 16, replicas, real, seconds{host});
  };
  const profile one = run(1, false, 0), two = run(2, false, 0), fed = run(1, true, 0), waits = run(1, true, 1e-3);
  CHECK(one.average(phase::host) == 0);
  CHECK(one.average(phase::inter_chip) == 0);
  CHECK(static_cast<double>((two.total - one.total).value) ==
        doctest::Approx(two.average(phase::inter_chip)).epsilon(0.01));
  CHECK(fed.time().value - one.time().value == doctest::Approx(16 * 65'536 / host_rate(pod(mk2, 1))).epsilon(0.01));
  CHECK(waits.time().value - fed.time().value == doctest::Approx(1e-3).epsilon(0.01));
}

TEST_CASE("the perceptron: state off the chip costs its bytes, less of them if replicas share it") {
  const auto run = [](const adam_state& state) { return perceptron_step(mk2, 8, 8, 4, state); };
  const profile on_chip = run({}), off = run({true}), shared = run({true, 512});
  CHECK(on_chip.chips[0].moved.streaming_in == 0);
  constexpr std::uint64_t numbers = 784 * 512 + 2 * 512 * 512 + 512 * 10 + 3 * 512 + 10;
  CHECK(off.chips[0].moved.streaming_in == 6 * numbers);  // a half and a float for each
  CHECK(off.chips[0].moved.streaming_out == 6 * numbers);
  CHECK(shared.chips[0].moved.streaming_in == 6 * (numbers - 10) / 4 + 60);
  CHECK(on_chip.total < shared.total);
  CHECK(shared.total < off.total);
}

}  // namespace models_test
