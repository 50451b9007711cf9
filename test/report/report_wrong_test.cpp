// SPDX-License-Identifier: BSL-1.0
// Each sentence is held by a case of test/compile_fail/report.
#include <ipuflow/report/report_wrong.hpp>

namespace report_wrong_test {

using namespace ipuflow;
using report::report_wrong;

static_assert(accept<fault{report_wrong::nothing, std::size_t{0}, std::size_t{0}, std::size_t{0}}>());
static_assert(message(fault{report_wrong::no_memory, std::size_t{0}, std::size_t{0}, std::size_t{0}}).view().starts_with("ipuflow: "));

}  // namespace report_wrong_test
