// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/stop_signal.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace stop_signal_test {

using ipuflow::stop_signal;

struct not_a_signal {
  int stop_requested() const { return 1; }
};
static_assert(std::is_convertible_v<std::stop_token, stop_signal> && !std::is_convertible_v<not_a_signal, stop_signal>);
static_assert(!std::is_convertible_v<std::stop_source*, stop_signal> && std::is_nothrow_move_constructible_v<stop_signal>);

TEST_CASE("nobody wishes an end by default") {
  const stop_signal none;
  CHECK(!none.stop_requested());
  CHECK(!stop_signal{std::stop_token{}}.stop_requested());
}

TEST_CASE("a stop token tells all copies, and is kept by them") {
  stop_signal late;
  {
    std::stop_source source;
    const stop_signal one = source.get_token();
    stop_signal two = one;
    CHECK((!one.stop_requested() && !two.stop_requested()));
    source.request_stop();
    CHECK((one.stop_requested() && two.stop_requested()));
    late = std::move(two);
  }
  CHECK(late.stop_requested());
  const stop_signal last = std::move(late);
  CHECK((last.stop_requested() && !late.stop_requested()));  // NOLINT(bugprone-use-after-move)
  late = {};
  CHECK(!late.stop_requested());
}

TEST_CASE("anything that can be asked will do") {
  struct flag {
    const std::atomic<bool>* raised;
    bool stop_requested() const { return raised->load(); }
  };
  std::atomic<bool> raised{false};
  const stop_signal asked = flag{&raised};
  CHECK(!asked.stop_requested());
  raised = true;
  CHECK(asked.stop_requested());
}

}  // namespace stop_signal_test
