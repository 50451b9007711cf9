// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <validation/layers.hpp>
#include <validation/resnet.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace resnet_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace validation;

namespace {

/// The same block as programs, counted word by word.
pass_cycles counted(const architecture& chip, double memory, std::size_t n, std::size_t in, std::size_t middle,
                    std::size_t rows, std::size_t stride) {
  network_sketch net(chip, amp_precision::half_half, memory);
  const std::size_t low = rows / stride, out = 4 * middle;
  const auto conv = [&](const traced_value& x, std::size_t from, std::size_t to, std::size_t side, std::size_t kernel,
                        std::size_t by) {
    const conv_shape s{n, from, side, side, to, kernel, kernel, by, kernel / 2, 1, net.type};
    const std::size_t places = (side / by) * (side / by);
    return net.norm(net.convolve(x, s, false), n, to, places, to, places);
  };
  const auto relu = [&](const traced_value& x) { return net.apply(unary::relu, gradient::relu, x); };
  const auto [left, right] = net.fork(net.value("x", n * in * rows * rows));
  const traced_value narrow = relu(conv(left, in, middle, rows, 1, 1));
  const traced_value end = conv(relu(conv(narrow, middle, middle, rows, 3, stride)), middle, out, low, 1, 1);
  relu(net.add(conv(right, in, out, rows, 1, stride), end));
  const auto time = [&](const step& s) { return cost(pod(chip, 1), net.g, s, {.allow_out_of_memory = true}).total; };
  return {time(sequence(net.forward)), time(sequence(net.backwards(), net.accumulate()))};
}

void check_block(std::size_t n, std::size_t in, std::size_t middle, std::size_t rows, std::size_t stride) {
  const estimated_layers layers(bow, 0.16);
  const pass_cycles estimate = bottleneck(layers, n, in, middle, rows, stride, true);
  const pass_cycles program = counted(bow, 0.16, n, in, middle, rows, stride);
  const auto close = [](cycles a, cycles b) {
    return static_cast<double>(a.value) == doctest::Approx(static_cast<double>(b.value)).epsilon(0.1);
  };
  CHECK(close(estimate.forward, program.forward));
  CHECK(close(estimate.backward, program.backward));
}

}  // namespace

TEST_CASE("estimates are within a tenth of the counted programs, at about half of the batch") {
  check_block(8, 256, 128, 56, 2);
  check_block(8, 1024, 512, 14, 2);
}

TEST_CASE("images a second: fewer than the arrays could do, more on a faster chip, and at the published order") {
  const double images = resnet50_rate(pod(bow, 16), 18, 0.16);
  CHECK(images < peak_flops(bow, amp_precision::half_half) / (3 * 8.18e9));
  CHECK(images > resnet50_rate(pod(mk2, 16), 18, 0.16));
  CHECK(images == doctest::Approx(37'061 / 16.0).epsilon(0.2));
  CHECK(resnet50_rate(pod(bow, 1), 18, 0.16) > images);  // the machine's port for itself
}

}  // namespace resnet_test
