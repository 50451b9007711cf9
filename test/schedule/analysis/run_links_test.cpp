// SPDX-License-Identifier: BSL-1.0
// Links are the messages between IPUs, found from either end.
#include <ipuflow/schedule/analysis/run_links.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include <doctest/doctest.h>

namespace run_links_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("a V of two IPUs: forward and back, none on an IPU alone") {
  const run_links links{grid{2, 4, 6, layout::vee}, costs{.communication = 9}};
  // Stages 0 and 3 are on one IPU, 1 and 2 on the other; both directions of micro-batches have their ports.
  CHECK(links.makers.size() == 2 * (2 + 2));
  CHECK(links.most == 1);
  const auto in = [&](std::size_t port) { return links.ports[port + 1].first_in - links.ports[port].first_in; };
  CHECK(in(4 * 1) == 1);      // forward of stage 1 reads stage 0
  CHECK(in(4 * 2) == 0);      // that of stage 2 what its own IPU has
  CHECK(in(4 * 0 + 1) == 1);  // backward of stage 0 reads stage 1
  CHECK(links.makers[links.ports[4].first_in] == 0);
  for (const std::size_t delay : links.delay) CHECK(delay == 9);
}

TEST_CASE("from either end they are the same") {
  const auto t = grouped(devices(0, on_ipus(1, 2), 2), micro_batches<6>);
  const run_links links{t.where, costs{}};
  std::size_t found = 0;
  for (std::size_t p = 0; p + 1 < links.ports.size(); ++p) {
    for (std::size_t i = links.ports[p].first_out; i < links.ports[p + 1].first_out; ++i) {
      CHECK(links.makers[links.out[i]] == p);
      ++found;
    }
  }
  CHECK(found == links.makers.size());
  CHECK(links.most == 2);  // the first stage reads both branches on its way back
}

}  // namespace run_links_test
