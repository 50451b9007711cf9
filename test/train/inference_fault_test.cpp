// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/inference_fault.hpp>

#include "chips_check.hpp"
#include "small_network.hpp"

#include <doctest/doctest.h>

#include <memory>

namespace inference_fault_test {

using namespace ipuflow;

static_assert(!train::impl::verify_inference(mode::inference) && train::impl::verify_inference(mode::training));

TEST_CASE("a model is not used by a timetable of training, which would drop, and change its statistics") {
  const auto& network = test::small_network;
  const auto learned = std::make_shared<train::model<>>(train::initial_model(network, 5));
  CHECK_THROWS_WITH_AS((void)train::inference(network, schedule::one_f_one_b(network, micro_batches<4>), learned, {}),
                       "ipuflow: train::inference is given a timetable of training, which would change the model; make it of "
                       "inference(network), as schedule::grouped(inference(network), micro_batches<8>)",
                       rejected<train::inference_fault>);
  CHECK(train::inference(network, schedule::grouped(inference(network), micro_batches<4>), learned, {}).samples_per_step() == 4);
}

TEST_CASE("a session does not train by a timetable of inference, which would change nothing; on chips it may be counted") {
  const auto& network = test::small_network;
  const auto forwards = schedule::inference(network, micro_batches<4>);
  const char* const sentence =
      "ipuflow: a session that trains is given a timetable of inference, which would change nothing; make it of training, as "
      "schedule::grouped(network, micro_batches<8>), or use the model, with train::inference";
  CHECK_THROWS_WITH_AS((train::session{network, forwards, train::sgd{}}), sentence, rejected<train::inference_fault>);
  train::session chips{network, forwards, train::sgd{}, {}, on::chips{.system = test::small_system(4)}};
  CHECK(chips.cost().chips.total.value > 0);
  CHECK_THROWS_WITH_AS(chips(test::made_up{chips.samples_per_step()}), sentence, rejected<train::inference_fault>);
}

}  // namespace inference_fault_test
