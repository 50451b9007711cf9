// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/codelet_fault.hpp>
#include <ipuflow/ipu/program/step.hpp>

#include <doctest/doctest.h>

namespace codelet_fault_test {

using namespace ipuflow;
using ipu::codelet_fault;
using ipu::codelet_wrong;

struct pause {};

// What each kind is said of, is in test/compile_fail/ipu.
static_assert(!ipu::impl::first_no_step<>());
static_assert(!ipu::impl::first_no_step<ipu::step, ipu::execute, const ipu::copy&>());
static_assert(ipu::impl::first_no_step<ipu::step, pause&, int>().kind == codelet_wrong::step);
static_assert(ipu::impl::first_no_step<ipu::step, int, pause>().where.view() == "int");

TEST_CASE("a fault of a codelet names the type") {
  CHECK(sentence(codelet_fault{.kind = codelet_wrong::operand, .where = type_name<int>()}).view() ==
        "ipuflow: int is no operand of a codelet; let it be a std::span, of const elements if it is only read, or an ipu::inout");
  CHECK(message(codelet_fault{}).view() == "");
}

}  // namespace codelet_fault_test
