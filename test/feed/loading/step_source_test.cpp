// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/step_source.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>

namespace step_source_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

/// The least that a source has to say.
struct three_steps final : step_source {
  three_steps() : step_source{true} {}
  [[nodiscard]] bool repeatable() const override { return true; }
  [[nodiscard]] std::size_t steps() const override { return 3; }
  bool open(slot&, std::size_t step) override { return step < 3; }
  void fill(slot& s, interval part, const std::atomic<bool>&) override { s.size = part.count; }
};

}  // namespace

TEST_CASE("a source leaves nothing out and learns nothing unless it says so") {
  three_steps source;
  CHECK(source.has_index());
  CHECK(source.dropped() == 0);
  slot s{{}};
  source.fill(s, {0, 2}, std::atomic<bool>{false});
  source.close(s);
  CHECK(s.size == 2);
}

}  // namespace step_source_test
