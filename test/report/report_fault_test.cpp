// SPDX-License-Identifier: BSL-1.0
// Each sentence is held by a case of test/compile_fail/report.
#include <ipuflow/report/report_fault.hpp>

namespace report_fault_test {

using namespace ipuflow;
using report::report_wrong;

static_assert(accept<report::report_fault{}>());
static_assert(message(report::report_fault{report_wrong::no_memory}).view().starts_with("ipuflow: "));

}  // namespace report_fault_test
