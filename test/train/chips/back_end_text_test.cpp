// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/chips/back_end_text.hpp>

#include <doctest/doctest.h>

#include <string>

namespace back_end_text_test {

using namespace ipuflow;

TEST_CASE("the chip, how many, and all else") {
  const std::string text = on::text_of(on::chips{.system = ipu::pod(ipu::bow, 8), .host_times = {{0.5}, {0.25}}, .call_time = {0.125}, .io_tiles = 32});
  CHECK(text.starts_with("on::chips{\n  .system = ipu::pod(ipu::bow, 8),\n"));
  CHECK(text.find(".host_times = {0.500000, 0.250000},\n  .asynchronous_loading = false,\n  .call_time = seconds{0.125},\n  .io_tiles = 32,\n  .sync = run::waits_for::all_chips,\n") != text.npos);
  CHECK(text.find(".accumulators = run::kept_in::as_scheduled,") != text.npos);
  CHECK(on::text_of(on::chips{.half_partials = true}).find(".half_partials = true,") != std::string::npos);
  CHECK(on::text_of(on::chips{.merge_collectives = false}).find(".merge_collectives = false,") != std::string::npos);
  CHECK(on::text_of(on::chips{.share_code = false}).find(".share_code = false,") != std::string::npos);
  CHECK(on::text_of(on::chips{}).find(".memory_proportion = 0.6,") != std::string::npos);
  CHECK(on::text_of(on::chips{.memory_proportion = {0.15, 0.25}}).find(".memory_proportion = {0.15, 0.25},") != std::string::npos);
  CHECK(on::text_of(on::chips{}).find(".system = {},") != std::string::npos);
}

}  // namespace back_end_text_test
