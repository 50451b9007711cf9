// SPDX-License-Identifier: BSL-1.0
// A step that is not given the rate of its optimiser.
// expect: ipuflow: the pipeline declares per_run<.*rate.*, ...> but the run is not given it; add with<
#include <ipuflow/core.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>, per_run<"rate", float>,
    block<"a">(nn::linear<4>, nn::relu), block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy)));
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

template <class Batch>
void trains(const Batch& batch) {
  train::session session{network, timetable, train::rate_from<"rate">(train::sgd{}), {}};
#ifdef EXPECT_FAILURE
  session(batch);
#else
  session(batch, with<"rate">(0.1f));
#endif
}
using pixels = feed::column_view<std::span<const float>>;
struct four {
  std::size_t size() const { return 4; }
  std::tuple<pixels, feed::column_view<std::uint8_t>> columns() const { return {}; }
};
template void trains(const four&);
