// SPDX-License-Identifier: BSL-1.0
// A checkpoint keeps the state of a session that trains on threads; a session on chips has none that could be kept.
// expect: ipuflow: train::session<.* has no state\(\) that a checkpoint could keep; give a session that trains on threads
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoints.hpp>

#include <cstdint>

using namespace ipuflow;

constexpr auto net = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>, stage(block<"a">(nn::linear<4>)).ipu<0>(),
                              stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());

int main() {
  train::checkpoints saved{"folder"};
#ifdef EXPECT_FAILURE
  train::session session{net, schedule::grouped(net, micro_batches<4>), train::adamw{}, {}, on::chips{}};
#else
  train::session session{net, schedule::grouped(net, micro_batches<4>), train::adamw{}, {}};
#endif
  saved.after_step(session);
}
