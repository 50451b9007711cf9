// SPDX-License-Identifier: BSL-1.0
// An optimiser whose rate comes from an argument that the pipeline does not declare.
// expect: ipuflow: a run is given .*'speed.*', which the pipeline does not declare; declare it as per_run<
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstdint>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>, per_run<"rate", float>,
    block<"a">(nn::linear<4>, nn::relu), block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy)));
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

#ifdef EXPECT_FAILURE
train::session session{network, timetable, train::rate_from<"speed">(train::sgd{}), {}};
#else
train::session session{network, timetable, train::rate_from<"rate">(train::sgd{}), {}};
#endif
