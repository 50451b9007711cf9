// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/core_share.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace core_share_test {

using namespace ipuflow;

namespace {

posix::core_set from_to(std::size_t first, std::size_t end) {
  posix::core_set made;
  for (std::size_t c = first; c < end; ++c) made.add(c);
  return made;
}
std::size_t whole(const std::vector<posix::core_set>& all, std::size_t mine) {
  return static_cast<std::size_t>(mpi::impl::core_share(all, mine));
}

}  // namespace

TEST_CASE("A process has the cores that are its alone, and its part of those that others may use") {
  CHECK(whole({from_to(0, 8), from_to(0, 8)}, 1) == 4);                                            // bound to nothing
  CHECK(whole({from_to(0, 1), from_to(1, 2)}, 0) == 1);                                            // to a core each
  CHECK(whole({from_to(0, 8), from_to(0, 8), from_to(8, 16), from_to(8, 16)}, 3) == 4);            // to halves of the machine
  CHECK(whole({from_to(0, 4), from_to(2, 8)}, 1) == 5);                                            // four alone, two by halves
  CHECK(whole({from_to(0, 2), from_to(0, 2), from_to(0, 2)}, 2) == 0);                             // more processes than cores
  CHECK(whole({from_to(1000, 1024)}, 0) == 24);
}

TEST_CASE("Shares of all processes are the cores that any may use") {
  for (std::size_t count = 1; count <= 7; ++count) {
    std::vector<posix::core_set> all;
    std::size_t last = 0;
    double sum = 0;
    for (std::size_t p = 0; p < count; ++p) {
      all.push_back(from_to(p * p, p * p + 3 * count));
      last = p * p + 3 * count;
    }
    for (std::size_t p = 0; p < count; ++p) sum += mpi::impl::core_share(all, p);
    CHECK(sum == doctest::Approx(static_cast<double>(last)));
    CHECK(whole(std::vector<posix::core_set>(count, from_to(5, 5 + 6 * count)), count - 1) == 6);
  }
}

}  // namespace core_share_test
