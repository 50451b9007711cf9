// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/checkpoint.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <doctest/doctest.h>

namespace plan_of_stage_test {

using namespace ipuflow;
using nn::area;

namespace {

constexpr auto mnist = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
                                stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
                                stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)).ipu<1>(),
                                stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)).ipu<2>(),
                                stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<3>());

template <std::size_t Stage>
constexpr const auto& plan = nn::planned<decltype(mnist), Stage, float>;

static_assert(plan<0>.parameters + plan<1>.parameters + plan<2>.parameters + plan<3>.parameters ==
              260 + 5020 + 82176 + 2570);
static_assert(plan<0>.forward_work == 144000 + 10 * 12 * 12 * 4 + 10 * 12 * 12);

/// The first stage: slots 0 image, 1 label, 2 convolved, 3 pooled, 4 relu's, 5 the label that goes on.
static_assert(plan<0>.entering == 2 && plan<0>.leaving == per_stage(4, 5));
static_assert(plan<0>.slots[0].where == area::entry && plan<0>.slots[0].needed_by_weights);
static_assert(!plan<0>.slots[0].has_gradient &&
              !plan<0>.steps[0].computes_inputs);  // no layer wants the image's gradient
static_assert(plan<0>.slots[2].where == area::kept && plan<0>.slots[2].gradient_where == area::kept);
static_assert(plan<0>.slots[4].where == area::exit && plan<0>.slots[4].needed_by_inputs);
static_assert(plan<0>.slots[4].travels_back && !plan<0>.slots[5].travels_back);
static_assert(plan<1>.slots[0].travels_back && !plan<1>.slots[1].travels_back);

static_assert(plan<0>.needed_by_inputs(area::exit) && !plan<0>.needed_by_weights(area::exit));
static_assert(!plan<0>.needed_by_inputs(area::entry) && plan<0>.needed_by_weights(area::entry));
static_assert(!plan<0>.gradient_needed_by_weights(area::exit));

/// The third: flatten is a view, so the linear layer writes the gradient of what entered.
static_assert(plan<2>.slots[2].root == 0 && plan<2>.slots[2].gradient_root == 0);
static_assert(plan<2>.slots[3].where == area::passing && plan<2>.slots[4].where == area::exit);
static_assert(plan<2>.steps[1].to[0] == nn::impl::contribution::written);

/// The last: predictions are the memory of what the loss was given, their gradient is ignored.
static_assert(plan<3>.slots[3].root == 2 && plan<3>.slots[2].where == area::exit &&
              plan<3>.slots[3].gradient_root == 3);

/// Checkpoints: what a later segment reads is stored, nothing else; what only the loss gives is not made again.
constexpr auto cut = single_stage(
    input<float, 4>, per_sample<"label", std::uint8_t>,
    block<"all">(nn::linear<6>, nn::tanh, keep<"x">, nn::linear<6>, nn::tanh, nn::checkpoint, nn::linear<6>, nn::tanh,
                 use<"x">(nn::add), nn::linear<3>, use<"label">(nn::cross_entropy)));
constexpr const auto& marked = nn::planned<decltype(cut), 0, float>;
static_assert(marked.segments == 2 && nn::impl::first_of_segment(marked, 0) == 0 && nn::impl::first_of_segment(marked, 1) == 4 &&
              nn::impl::first_of_segment(marked, 2) == marked.steps.size());
static_assert(marked.slots[3].where == area::stored && marked.slots[5].where == area::stored);  // x and the checkpoint
static_assert(marked.slots[6].root == 5 && marked.slots[6].segment == 1 && marked.slots[8].where == area::kept);
static_assert([] {
  std::size_t stored = 0;
  for (std::size_t i = 0; i < marked.slots.size(); ++i)
    stored += marked.slots[i].root == i && marked.slots[i].where == area::stored;
  return stored;
}() == 2);
static_assert(marked.steps[0].runs_again && marked.steps[8].runs_again && !marked.steps[9].runs_again);
static_assert(plan<0>.segments == 1 && !plan<0>.exit_is_read_later);

}  // namespace

TEST_CASE("Steps that want the whole batch run alone") {
  CHECK(nn::impl::end_of_part(plan<0>, 0, plan<0>.steps.size()) == 4);
  CHECK(nn::impl::end_of_part(plan<2>, 0, plan<2>.steps.size()) == 1);
  CHECK(nn::impl::end_of_part(plan<2>, 1, plan<2>.steps.size()) == 2);
  CHECK(nn::impl::end_of_part(plan<2>, 2, plan<2>.steps.size()) == plan<2>.steps.size());
  CHECK(nn::impl::end_of_part(plan<0>, 0, 2) == 2);
}

}  // namespace plan_of_stage_test
