// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/chip_order.hpp>
#include <ipuflow/ipu/machine/chip_system.hpp>

#include <doctest/doctest.h>

namespace chip_order_test {

using namespace ipuflow::ipu;

TEST_CASE("A system has the automatic order unless one is named") {
  CHECK(chip_order{} == chip_order::automatic);
  CHECK(pod(mk2, 4).order == chip_order::automatic);
}

}  // namespace chip_order_test
