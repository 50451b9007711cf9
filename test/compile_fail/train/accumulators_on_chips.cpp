// SPDX-License-Identifier: BSL-1.0
// A precision whose accumulators tiles do not have.
// expect: ipuflow: train::precision<float, float, double> is no precision of tiles; write train::precision<float>, with half behind it for parameters or accumulators of half
#include <ipuflow/core.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/chips.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

#ifdef EXPECT_FAILURE
using asked = train::precision<float, float, double>;
#else
using asked = train::precision<float, float, half>;
#endif
void train() {
  train::session session{network, timetable, train::sgd{}, {}, asked{}, on::chips{}};
}
