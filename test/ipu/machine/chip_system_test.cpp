// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/chip_system.hpp>

#include "said.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace chip_system_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

static_assert(accept<verify(pod(mk2, 1))>() && accept<verify(pod(bow, 64))>() && accept<verify(pod(mk2, 1024))>());

TEST_CASE("machines are counted up and shared by their chips") {
  CHECK(machines(pod(mk2, 1)) == 1);
  CHECK(machines(pod(mk2, 4)) == 1);
  CHECK(machines(pod(mk2, 5)) == 2);
  CHECK(machines(pod(mk2, 64)) == 16);
  CHECK(racks(pod(mk2, 64)) == 1);
  CHECK(racks(pod(mk2, 65)) == 2);
  CHECK(racks(pod(mk2, 1024)) == 16);
  CHECK(sharing_a_machine(pod(mk2, 2)) == 2);
  CHECK(sharing_a_machine(pod(mk2, 16)) == 4);
  const auto ms = doctest::Approx(1e-3 * mk2.clock.value).epsilon(1e-6);
  CHECK(static_cast<double>(host_time(pod(mk2, 4), bytes{5'500'000}).value) == ms);     // a chip by itself
  CHECK(static_cast<double>(host_time(pod(mk2, 4), bytes{5'500'000}, 2).value) == ms);  // the port has room for two
  CHECK(static_cast<double>(host_time(pod(mk2, 4), bytes{3'125'000}, 4).value) == ms);  // and is shared by four
  CHECK(static_cast<double>(streaming_time(pod(mk2, 4), bytes{3'187'500}, 4).value) == ms);
}

TEST_CASE("the host link of a machine is shared by the chips that use it at once, and one chip has a limit of its own") {
  chip_system narrow = pod(mk2, 4);
  CHECK(host_rate(narrow) == 5.5e9);  // row S1; the machine's port would give more
  CHECK(host_rate(narrow, 4) == 12.5e9 / 4);
  narrow.host_bandwidth = 8e9;
  CHECK(host_rate(narrow) == 5.5e9);
  CHECK(host_rate(narrow, 2) == 4e9);
}

TEST_CASE("a system that cannot be is refused") {
  chip_system broken = pod(mk2, 0);
  CHECK(said(verify(broken)) == "ipuflow: a system has no chips; give it 1 to 1024");
  CHECK(said(verify(pod(mk2, 1025))) ==
        "ipuflow: a system of 1025 chips is more than racks are joined for; give it at most 1024");
  broken = pod(mk2, 2);
  broken.links_between_neighbours = 0;
  CHECK(said(verify(broken)) ==
        "ipuflow: the chips of a system have no links to their neighbours; give at least one and its bandwidth");
  broken = pod(mk2, 2);
  broken.chips_per_machine = 0;
  CHECK(said(verify(broken)) == "ipuflow: a machine of a system holds no chips; set chips_per_machine to at least 1");
  for (const std::size_t wrong : {0u, 6u}) {
    broken = pod(mk2, 2);
    broken.chips_per_rack = wrong;
    CHECK(said(verify(broken)) == "ipuflow: a rack of a system has room for " + std::to_string(wrong) +
                                      " chips, in machines of 4; make chips_per_rack a multiple of chips_per_machine");
  }
  broken = pod(mk2, 65);
  broken.gateway_bandwidth = 0;
  CHECK(said(verify(broken)) == "ipuflow: a system of 65 chips in racks of 64 has no gateway links between them; give gateway_bandwidth, or fewer chips");
  broken.chips = 64;
  CHECK(!verify(broken));
  broken = pod(mk2, 2);
  broken.host_bandwidth = 0;
  CHECK(said(verify(broken)) == "ipuflow: a system has no host or streaming bandwidth; give bytes a second for both");
}

}  // namespace chip_system_test
