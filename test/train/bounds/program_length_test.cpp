// SPDX-License-Identifier: BSL-1.0
// The law: no chip has more control code than its bound, of schedules whose ramps are short and long.
#include <ipuflow/train/bounds/program_length.hpp>

#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/bounds/verify_fits.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace program_length_test {

using namespace ipuflow;

using halves = train::precision<float, half, half>;

constexpr auto network =
    pipeline(input<half, 64>, per_sample<"label", std::uint8_t>, stage(block<"A">(nn::linear<32>)).ipu<0>(),
             stage(block<"B">(nn::relu)).ipu<1>(), stage(block<"C">(nn::linear<32>, nn::relu)).ipu<2>(),
             stage(block<"D">(nn::relu)).ipu<3>(), stage(block<"E">(nn::relu)).ipu<4>(),
             stage(block<"F">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<5>());

template <class T>
void check(const T& timetable) {
  const auto bounds = train::memory_bounds<halves>(network, timetable, train::sgd{}, {.micro_batch = 1});
  const train::session session(network, timetable, train::sgd{}, train::options{.micro_batch = 1, .check_loss = false},
                               on::chips{.allow_out_of_memory = true}, halves{});
  const ipu::memory_report counted = session.cost().chips.memory;
  for (std::size_t chip = 0; chip < timetable.where.ipus; ++chip) {
    std::uint64_t most = 0;
    for (std::size_t t = 0; t < ipu::mk2.tiles; ++t)
      most = std::max<std::uint64_t>(most, counted.tiles[chip * ipu::mk2.tiles + t][ipu::memory_category::control_code]);
    CHECK(most <= bounds[chip][plan::memory_use::control_code]);
  }
}

TEST_CASE("no chip has more control code than its bound") {
  check(schedule::one_f_one_b(training(network), micro_batches<12>));
  check(schedule::eager_1f1b(training(network), micro_batches<24>));
  check(schedule::zb2p(training(network), micro_batches<12>));
  check(schedule::zb2p(training(network), micro_batches<48>));
  check(schedule::zb1p(training(network), micro_batches<24>));
  check(schedule::gpipe(training(network), micro_batches<12>));
  check(schedule::grouped(training(network), micro_batches<24>));
}

TEST_CASE("a program is as long for many micro-batches as for some; written out as a table, it is not known to repeat") {
  using train::impl::program_length;
  static_assert(program_length(schedule::one_f_one_b(training(network), micro_batches<512>)) ==
                program_length(schedule::one_f_one_b(training(network), micro_batches<64>)));
  CHECK(program_length(schedule::zb2p(training(network), micro_batches<512>)) ==
        program_length(schedule::zb2p(training(network), micro_batches<64>)));
  CHECK(program_length(schedule::gpipe(training(network), micro_batches<512>)) ==
        program_length(schedule::gpipe(training(network), micro_batches<64>)));
  CHECK(program_length(schedule::grouped(training(network), micro_batches<516>)) ==
        program_length(schedule::grouped(training(network), micro_batches<60>)));
  const auto written = schedule::tabulate(schedule::one_f_one_b(training(network), micro_batches<64>));
  CHECK(program_length(written) == 2 * 64 + train::impl::steps_of_waiting(written));
}

}  // namespace program_length_test
