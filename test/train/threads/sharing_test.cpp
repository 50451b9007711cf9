// SPDX-License-Identifier: BSL-1.0
// What a session asks of a `sharing` is tested with what answers it, in share_session_test.cpp; here, that one without others asks nothing.
#include <ipuflow/train/threads/sharing.hpp>

#include "small_network.hpp"

#include <ipuflow/train/threads/session_engine.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace sharing_test {

using namespace ipuflow;

TEST_CASE("a session on threads has no others unless it is told") {
  CHECK(on::threads{}.others == nullptr);
  static_assert(std::is_base_of_v<train::shared_session, train::impl::sharing<float>>);
  train::session session{test::small_network, schedule::gpipe(test::small_network, micro_batches<4>), train::adamw{}, test::small_options(), on::threads{.count = 2}};
  CHECK(session.samples_per_step() == 5 * 4 * 2);
  CHECK(session.threads() == 2);
}

}  // namespace sharing_test
