// SPDX-License-Identifier: BSL-1.0
// A language model on simulated chips learns what it learns on threads.
#include "chips_check.hpp"
#include "small_gpt.hpp"

#include <cstddef>

namespace on_chips_sequences_test {

using namespace ipuflow;

TEST_CASE("a language model on chips is that of threads") {
  test::check_on_chips<test::made_up_texts>(test::small_gpt, schedule::grouped(test::small_gpt, micro_batches<8>),
                                            {.micro_batch = 3, .device_iterations = 2}, {}, 1e-5);
}

TEST_CASE("ten updates end at the losses of threads") {
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b(test::small_gpt, micro_batches<4>));
  const train::options o{.micro_batch = 4};
  const train::adamw rule{.rate = 1e-2f, .epsilon = 1e-3f};
  train::session host{test::small_gpt, t, rule, o};
  train::session tiles{test::small_gpt, t, rule, o, on::chips{.system = test::small_system(4)}};
  for (std::size_t update = 0; update < 10; ++update) {
    const test::made_up_texts data{host.samples_per_step(), 7 + update};
    const float wanted = host(data).back().values[0];
    CHECK(tiles(data).back().values[0] == doctest::Approx(wanted).epsilon(1e-5));
  }
}

}  // namespace on_chips_sequences_test
