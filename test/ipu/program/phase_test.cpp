// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/phase.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string_view>

namespace phase_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("each phase has a name of its own") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ipu::impl::phase_count; ++i) names.insert(name_of(static_cast<phase>(i)));
  CHECK(names.size() == ipu::impl::phase_count);
}

TEST_CASE("a run of a phase differs if anything in it does") {
  constexpr phase_run one{2, phase::compute, 5_cycles, 7_cycles, 9_cycles, 3};
  static_assert(phase_run{}.codelet == no_codelet);
  static_assert(one == phase_run{2, phase::compute, 5_cycles, 7_cycles, 9_cycles, 3});
  for (const phase_run& other :
       {phase_run{1, phase::compute, 5_cycles, 7_cycles, 9_cycles, 3}, phase_run{2, phase::sync, 5_cycles, 7_cycles, 9_cycles, 3},
        phase_run{2, phase::compute, 6_cycles, 7_cycles, 9_cycles, 3}, phase_run{2, phase::compute, 5_cycles, 8_cycles, 9_cycles, 3},
        phase_run{2, phase::compute, 5_cycles, 7_cycles, 8_cycles, 3}, phase_run{2, phase::compute, 5_cycles, 7_cycles, 9_cycles, 4}})
    CHECK(one != other);
}

}  // namespace phase_test
