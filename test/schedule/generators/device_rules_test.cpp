// SPDX-License-Identifier: BSL-1.0
// The vendor's rules for devices, and its search for offsets at which copies of a pipeline never meet.
#include <ipuflow/schedule/generators/device_rules.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace device_rules_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

std::vector<std::size_t> offsets(std::vector<std::size_t> devices) {
  const auto found = overlap_offsets<16>(devices.size(), [&](std::size_t one, std::size_t other) { return devices[one] == devices[other]; });
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("offsets of published device lists") {
  using list = std::vector<std::size_t>;
  CHECK(offsets({0, 1}) == list{0, 1});
  CHECK(offsets({0, 1, 2, 3}) == list{0, 1, 2, 3});
  CHECK(offsets({0, 1, 1, 0}) == list{0, 2});
  CHECK(offsets({0, 1, 2, 2, 1, 0}) == list{0, 2, 4});
  CHECK(offsets({0, 1, 2, 3, 3, 2, 1, 0}) == list{0, 2, 4, 6});
  CHECK(offsets({0, 1, 0, 0, 1, 0}) == list{0});
  CHECK(offsets({0, 1, 2, 1, 1, 2, 1, 0}) == list{0, 4});
  CHECK(offsets({0, 0, 0, 0}) == list{0});
  CHECK(offsets({0, 1, 2, 1, 0, 1}) == list{0, 1});
  CHECK(offsets({0, 1, 2, 0, 0, 2, 1, 0}) == list{0, 2});
}

TEST_CASE("stages without an IPU, branches on one IPU, one stage, too many") {
  using enum schedule_wrong;
  CHECK(verify_devices(devices(0)) == schedule_fault{one_stage_only, 1, 2});
  CHECK_FALSE(verify_devices(devices(0, on_ipus(1, 2))));
  CHECK(verify_devices(devices(on_ipus(1, 1), 0)).kind == branch_twice);
  device_map<3> gap;
  gap.add(0, 0);
  gap.add(2, 1);
  CHECK(verify_devices(gap) == schedule_fault{.kind = unmapped_stage, .where = {.stage = 1}});
  CHECK_FALSE(verify_devices(grid{most_stages, most_stages, 1}));
  CHECK_FALSE(verify_devices(devices(0), 1));
  CHECK(verify_devices(devices(on_ipus(1, 1), 0), 1).kind == branch_twice);
  CHECK(verify_devices(grid{4000, 4000, 1}) == schedule_fault{too_many_stages, 4000, 2048});
  CHECK(verify_apart(devices(0, 1, 2)).kind == nothing);
  CHECK(verify_apart(devices(0, 1, 0)) == schedule_fault{.kind = repeated_ipu, .where = {.ipu = 0, .stage = 2}});
  CHECK(verify_apart(grid{2, 4, 1}).kind == repeated_ipu);
}

TEST_CASE("concurrent stages look like one device, which the IPUs of their branches are in") {
  const auto where = devices(0, on_ipus(1, 2), on_ipus(3, 4), 5, 4);
  CHECK(share_devices(where, 0, 0));
  CHECK(share_devices(where, 1, 2));
  CHECK_FALSE(share_devices(where, 0, 1));
  CHECK_FALSE(share_devices(where, 1, 4));
  CHECK(share_devices(where, 2, 4));
  CHECK(share_devices(where, 4, 2));
}

}  // namespace device_rules_test
