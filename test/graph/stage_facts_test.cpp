// SPDX-License-Identifier: BSL-1.0
// The facts of a stage, against what its types say. Oracle for bytes: the four-block MNIST network, counted by hand.
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/graph/stage_facts.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/pool.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>

namespace stage_facts_test {

using namespace ipuflow;

namespace {

constexpr auto mnist = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
                                stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
                                stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)).ipu<1>(),
                                stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)).ipu<2>(),
                                stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<3>());
constexpr auto facts = stages(mnist);

static_assert(facts.size() == mnist.stage_count);
static_assert(facts[0].input_bytes == bytes{28 * 28 * 4 + 1} && facts[0].output_bytes == bytes{10 * 12 * 12 * 4 + 1});
static_assert(facts[1].output_bytes == bytes{20 * 4 * 4 * 4 + 1} && facts[2].output_bytes == bytes{256 * 4 + 1});
static_assert(facts[3].output_bytes == bytes{10 * 4 + 4}, "the label is used up; the loss is a scalar");
static_assert(facts[0] == facts[0] && facts[0] != facts[1]);

constexpr int plus_one(int x) { return x + 1; }
constexpr auto forked = pipeline(input<int>, stage(block<"a">(plus_one), block<"b">(plus_one)).ipu<4>(),
                                 concurrent(stage(block<"c">(plus_one), block<"d">([](int x) { return x / 2.0; })).ipu<5>(),
                                            stage(block<"e">([](int) {})).ipu<6>()));

}  // namespace

TEST_CASE("what leaves a stage enters the next, in names and in bytes") {
  for (std::size_t s = 1; s < facts.size(); ++s) {
    CHECK(facts[s].input == facts[s - 1].output);
    CHECK(facts[s].input_bytes == facts[s - 1].output_bytes);
  }
}

TEST_CASE("stages are called after their blocks and stand on the IPUs of their branches") {
  const auto of = stages(forked);
  REQUIRE(of.size() == 2);
  CHECK(of[0].name.view() == "a+b");
  CHECK(of[0].ipus == ipus(4));
  CHECK(of[1].name.view() == "c+d|e");
  CHECK(of[1].ipus == ipus(5, 6));
  CHECK(of[1].input.view() == "int");
  CHECK(of[1].output.view() == "double");
  CHECK(of[1].output_bytes == 8_B);
  CHECK(facts[3].output.view() == "tensor<float, 10>, tensor<float>");
  for (std::size_t s = 0; s < facts.size(); ++s) {
    CHECK(facts[s].ipus == ipus(s));
    CHECK(facts[s].name.view() == mnist.names()[s]);
  }
}

TEST_CASE("in one stage there is what enters the first and leaves the last") {
  constexpr auto whole = stages(regroup(mnist, stage<"B1", "B2", "B3", "B4">().ipu<2>()));
  CHECK(whole.size() == 1);
  CHECK(whole[0].input == facts[0].input);
  CHECK(whole[0].output_bytes == facts[3].output_bytes);
  CHECK(whole[0].name.view() == "B1+B2+B3+B4");
  CHECK(whole[0].ipus == ipus(2));
}

}  // namespace stage_facts_test
