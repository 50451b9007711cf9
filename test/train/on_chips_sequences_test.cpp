// SPDX-License-Identifier: BSL-1.0
// A language model on simulated chips learns what it learns on threads.
#include "chips_check.hpp"
#include "small_gpt.hpp"

#include <cstddef>
#include <cstdint>

namespace on_chips_sequences_test {

using namespace ipuflow;

TEST_CASE("a language model on chips is that of threads") {
  test::check_on_chips<test::made_up_texts>(test::small_gpt, schedule::grouped(test::small_gpt, micro_batches<8>),
                                            {.micro_batch = 3, .device_iterations = 2}, {}, 1e-5);
}

TEST_CASE("attention of parts, with dropout of its shares, on chips is that of threads") {
  constexpr auto of_parts = pipeline(
      input<std::uint8_t, test::gpt_positions>, per_sample<"text", tensor<std::uint8_t, test::gpt_positions>>,
      per_sample<"next", tensor<std::uint8_t, test::gpt_positions>>,
      block<"embed">(nn::embedding<test::gpt_vocabulary, 12>, nn::position_embedding),
      block<"layer">(keep<"x">, nn::layer_norm, nn::linear<36>, keep<"qkv">, nn::attention_scores<2>, nn::causal_mask,
                     use<"text">(nn::segment_mask), nn::attention_shares, nn::dropout<0.1>, use<"qkv">(nn::weighted_values), nn::linear<12>,
                     use<"x">(nn::add)),
      block<"head">(nn::layer_norm, nn::linear<test::gpt_vocabulary>, use<"next">(nn::cross_entropy)));
  test::check_on_chips<test::made_up_texts>(of_parts, schedule::one_f_one_b(of_parts, micro_batches<4>), {.micro_batch = 3}, {}, 1e-5);
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
