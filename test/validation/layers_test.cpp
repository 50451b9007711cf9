// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <validation/layers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace layers_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace validation;

namespace {

std::uint64_t flops(const network_sketch& net, const step& s) {
  return cost(pod(net.g.chip(), 1), net.g, s, {.allow_out_of_memory = true}).chips[0].flops;
}

}  // namespace

TEST_CASE("a product and its gradients: twice the multiplications going back, once if nothing is before it") {
  const auto counted = [](bool first) {
    network_sketch net(mk2, amp_precision::float_float, 0.6);
    const traced_value x = net.value("x", 64 * 96);
    net.product(x, 64, 96, 32, first);
    const std::uint64_t once = 2 * 64 * 96 * 32;
    const std::uint64_t forward = flops(net, sequence(net.forward)), backward = flops(net, net.backwards());
    CHECK(forward >= once);
    CHECK(forward < once + once / 5);  // the bias, and sums of partial products
    return std::pair{backward / once, net.parameters.size()};
  };
  CHECK(counted(false) == std::pair{std::uint64_t{2}, std::size_t{2}});
  CHECK(counted(true) == std::pair{std::uint64_t{1}, std::size_t{2}});
}

TEST_CASE("weights stand where they are multiplied") {
  network_sketch net(mk2, amp_precision::half_half, 0.6);
  constexpr std::size_t rows = 32, k = 256, n = 512;
  net.product(net.value("x", rows * k), rows, k, n);
  const variable_id w = net.parameters[0].value;
  CHECK(net.g[w].elements() == k * n);
  const matmul_plan p = plan_matmul(net.g, {rows, k, n, amp_precision::half_half}, net.plan);
  CHECK(net.g[w].tiles().size() == p.used());
  std::size_t moved = 0;  // words of weights that forward moves
  for_each_inner(net.forward[0], [&](const step& s) {
    if (const auto* copied = std::get_if<copy>(&s)) {
      for (const copy_piece& c : copied->pieces) moved += c.from.variable.index == w.index ? c.length * c.count * c.copies : 0;
    }
  });
  CHECK(moved <= k * n * p.m_parts);
  if (p.m_parts == 1) CHECK(moved == 0);
}

TEST_CASE("a sum of branches: values forwards, gradients to both and together again, run on tiles") {
  architecture chip = mk2;
  chip.tiles = 8;
  network_sketch net(chip, amp_precision::float_float, 0.6);
  constexpr std::size_t n = 100;
  const auto kept = [&](const char* name) { return net.g.add_variable<float>(name, n, net.spread(n, net.element)); };
  const traced_value x{kept("x"), kept("dx"), n};
  const auto [left, right] = net.fork(x);
  const traced_value y = net.add(left, net.apply(unary::relu, gradient::relu, right));
  const variable_id out = kept("y"), slope = kept("dy");
  const step program =
      sequence(sequence(net.forward), copy_all(net.g, y.value, out), copy_all(net.g, slope, y.slope), net.backwards());
  engine e(pod(chip, 1), net.g, program);
  std::vector<float> in(n), dy(n), wanted(n), back(n);
  for (std::size_t i = 0; i < n; ++i) {
    in[i] = static_cast<float>(i) - 50;
    dy[i] = static_cast<float>(i % 7);
    wanted[i] = in[i] + (in[i] > 0 ? in[i] : 0);
    back[i] = dy[i] * (in[i] > 0 ? 2.0f : 1.0f);
  }
  e.write(x.value, in);
  e.write(slope, dy);
  e.run();
  CHECK(e.read<float>(out) == wanted);
  CHECK(e.read<float>(x.slope) == back);
}

TEST_CASE("a norm and a convolution count their parameters, and each number goes to a tile once") {
  network_sketch net(mk2, amp_precision::half_half, 0.6);
  const conv_shape s{2, 3, 16, 16, 8, 3, 3, 1, 1, 1, amp_precision::half_half};
  const traced_value y = net.convolve(net.value("x", 2 * 3 * 256), s, true, true);
  net.norm(y, 2, 8, 256, 8, 256);
  std::vector<std::size_t> sizes;
  for (const traced_parameter& p : net.parameters) sizes.push_back(net.g[p.value].elements());
  CHECK(sizes == std::vector<std::size_t>{8 * 3 * 9, 8, 8, 8});
  CHECK(flops(net, sequence(net.forward)) > 2 * 2 * 8 * 256 * 27);
  const step spread =
      net.on_rows("bias", {y.value}, {{net.parameters[1].value, 8, 256}}, net.temporary("out", 4096), 1);
  std::size_t moved = 0, tiles = net.g[y.value].tiles().size();
  for_each_inner(spread, [&](const step& inner) {
    if (const auto* copied = std::get_if<copy>(&inner)) {
      for (const copy_piece& c : copied->pieces)
        moved += c.from.variable.index == net.parameters[1].value.index ? c.length * c.count : 0;
    }
  });
  CHECK(moved >= tiles);
  CHECK(moved <= tiles + 16);  // twice where a tile has the end of one channel and the beginning of the next
}

}  // namespace layers_test
