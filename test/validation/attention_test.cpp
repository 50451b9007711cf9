// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <validation/attention.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace attention_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace validation;

TEST_CASE("products of heads are products of windows, in their places") {
  architecture chip = mk2;
  chip.tiles = 32;
  network_sketch net(chip, amp_precision::float_float, 0.6);
  const attention_shape a{.samples = 2, .sequence = 6, .hidden = 20, .heads = 4};
  const std::size_t rows = a.samples * a.sequence, wide = 2 * a.hidden, s = a.sequence, d = a.width();
  const auto kept = [&](const char* name, std::size_t n) {
    return net.g.add_variable<float>(name, n, net.spread(n, net.element));
  };
  const variable_id qk = kept("qk", rows * wide), scores = kept("scores", a.pairs() * s * s);
  const auto window = [&](std::size_t part) {
    return [=](std::size_t pair) {
      return matrix_window{qk, pair / a.heads * s * wide + part * a.hidden + pair % a.heads * d, wide};
    };
  };
  products_of_heads products(net, a);
  const step program = products({s, d, s, amp_precision::float_float, false, true}, window(0), window(1),
                                [&](std::size_t pair) { return matrix_window{scores, pair * s * s, s}; });
  engine e(pod(chip, 1), net.g, program, {.checked = true});
  std::mt19937 random(3);
  std::vector<float> in(rows * wide), wanted(a.pairs() * s * s, 0);
  for (float& x : in) x = static_cast<float>(static_cast<int>(random() % 9) - 4);
  for (std::size_t b = 0; b < a.samples; ++b)
    for (std::size_t h = 0; h < a.heads; ++h)
      for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j)
          for (std::size_t c = 0; c < d; ++c)
            wanted[((b * a.heads + h) * s + i) * s + j] +=
                in[(b * s + i) * wide + h * d + c] * in[(b * s + j) * wide + a.hidden + h * d + c];
  e.write(qk, in);
  e.run();
  CHECK(e.read<float>(scores) == wanted);
}

TEST_CASE("all heads at once: hardly longer than one, and as many multiplications as there are pairs") {
  const auto run = [](std::size_t heads) {
    network_sketch net(mk2, amp_precision::half_half, 0.6);
    const attention_shape a{.samples = 1, .sequence = 64, .hidden = 32 * heads, .heads = heads};
    attention(net, a, net.value("qkv", 64 * 3 * a.hidden));
    return cost(pod(mk2, 1), net.g, sequence(sequence(net.forward), net.backwards()));
  };
  const profile one = run(1), many = run(16);
  CHECK(many.chips[0].flops > 15 * one.chips[0].flops);
  CHECK(many.total < one.total * 3);
}

}  // namespace attention_test
