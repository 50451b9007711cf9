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
  CHECK(text.ends_with(".check_loss = true\n}"));
}

}  // namespace options_text_test
