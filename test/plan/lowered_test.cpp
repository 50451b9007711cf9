// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/lowered.hpp>

#include <doctest/doctest.h>

namespace lowered_test {

using namespace ipuflow::ipu;
using namespace ipuflow::plan;

TEST_CASE("what nothing was said of is a part that does nothing, for a training in which nothing waits") {
  const lowered none;
  for (const step* s : {&none.forward, &none.recompute, &none.backward, &none.clear, &none.update}) 
    CHECK(s->empty());
  const lowering_options usual;
  CHECK(usual.training);
  CHECK(!usual.values_wait);
  CHECK(!usual.slopes_wait);
  CHECK(!usual.recomputes);
}

}  // namespace lowered_test
