// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loader_options_text.hpp>

#include <doctest/doctest.h>

#include <string>

namespace loader_options_text_test {

using namespace ipuflow;

TEST_CASE("a seed or none, modes by their names, the options of loading ahead inside") {
  const std::string text = feed::text_of(feed::loader_options{.mode = feed::loading::async, .shuffle = 7});
  CHECK(text.starts_with("feed::loader_options{\n  .mode = feed::loading::async,\n  .workers = 0,\n  .last = feed::tail::dropped,\n  .shuffle = 7,\n"));
  CHECK(text.find("  .async = {\n    .buffer_size = 3,\n    .miss_sleep = std::chrono::microseconds{100},\n") != text.npos);
  CHECK(feed::text_of(feed::loader_options{}).find(".shuffle = std::nullopt,") != std::string::npos);
}

}  // namespace loader_options_text_test
