// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/lowered.hpp>

#include <doctest/doctest.h>

namespace lowered_test {

using namespace ipuflow::ipu;
using namespace ipuflow::plan;

TEST_CASE("a default-constructed part has empty passes") {
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
