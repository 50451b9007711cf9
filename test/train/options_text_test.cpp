// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loader_options_text.hpp>
#include <ipuflow/train/options_text.hpp>

#include <doctest/doctest.h>

#include <string>

namespace options_text_test {

using namespace ipuflow;

TEST_CASE("what was said and what was not") {
  const std::string text = train::text_of(train::options{.micro_batch = 40, .outputs = feed::output_mode::every_n, .output_period = 2});
  CHECK(text.starts_with("train::options{\n  .micro_batch = 40,\n  .device_iterations = 1,\n"));
  CHECK(text.find(".gradients = train::reduction::mean,\n  .outputs = feed::output_mode::every_n,\n  .output_period = 2,\n") != text.npos);
  CHECK(text.find(".scale = {\n    .factor = 1.0f,\n    .automatic = false,\n    .patience = 2000\n  },\n") != text.npos);
  CHECK(text.find(".shard_optimiser = false,\n  .shard_gradients = false,\n  .shard_weights = false,\n  .shard_at_least = 0,\n") != text.npos);
  CHECK(text.find(".recompute = schedule::stage_set{},\n") != text.npos);
  CHECK(text.ends_with(".check_loss = true\n}"));
  CHECK(train::text_of(schedule::stage_set{4, 1}) == "schedule::stage_set{1, 4}");
  CHECK(train::text_of(schedule::all_stages) == "schedule::all_stages");
}

TEST_CASE("a learning rate is text that makes the same one") {
  using train::learning_rate;
  constexpr auto rate = train::warm_up(0.5f, 100).then_hold(7).then_cosine(900, 0.125f).then_steps(30, 0.1f, 3).after(12);
  CHECK(train::text_of(rate) == "train::learning_rate{0.0f}.then_linear(100, 0.5f).then_steps(7, 1.0f, 1).then_cosine(900, 0.125f)"
                                ".then_steps(30, 0.1f, 3).after(12)");
  static_assert(rate == train::learning_rate{0.0f}.then_linear(100, 0.5f).then_steps(7, 1.0f, 1).then_cosine(900, 0.125f).then_steps(30, 0.1f, 3).after(12));
  CHECK(train::text_of(learning_rate{0.25f}) == "train::learning_rate{0.25f}");
}

}  // namespace options_text_test
