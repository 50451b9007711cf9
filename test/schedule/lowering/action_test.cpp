// SPDX-License-Identifier: BSL-1.0
// Words of the exchange format and what they are about.
#include <ipuflow/schedule/lowering/action.hpp>

#include <doctest/doctest.h>

namespace action_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(word_of(act::forward) == "F" && word_of(act::backward_inputs) == "I" && word_of(act::backward) == "B");
static_assert(word_of(act::backward_weights) == "W" && word_of(act::gather_weights) == "UNSHARD");
static_assert(word_of(act::release_weights) == "RESHARD" && word_of(act::reduce_gradients) == "REDUCE_GRAD");
static_assert(word_of(act::send_forward) == "SEND_F" && word_of(act::receive_forward) == "RECV_F");
static_assert(word_of(act::send_backward) == "SEND_B" && word_of(act::receive_backward) == "RECV_B");

TEST_CASE("computations, messages and movements of weights") {
  for (std::size_t i = 0; i < act_count; ++i) {
    const auto kind = static_cast<act>(i);
    const bool weights = kind == act::gather_weights || kind == act::release_weights || kind == act::reduce_gradients;
    CHECK(of_micro_batch(kind) == !weights);
    if (is_compute(kind)) CHECK(act_of(pass_of(kind)) == kind);
    if (is_compute(kind)) CHECK(has_word(pass_of(kind)));
  }
  CHECK_FALSE(has_word(pass::recompute));
}

}  // namespace action_test
