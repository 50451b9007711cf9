// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/phase_book.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>

namespace phase_book_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("lists have one number if they are equal and two if not, the empty one 0, and are there under it") {
  std::mt19937 random(5);
  ipu::impl::phase_book book;
  ipuflow::light_vector<std::pair<ipuflow::light_vector<phase_run>, std::size_t>> given;
  for (int trial = 0; trial < 3000; ++trial) {
    ipuflow::light_vector<phase_run> list(random() % 4);
    for (phase_run& r : list)
      r = {random() % 2, random() % 2 == 0 ? phase::sync : phase::compute, {random() % 2}, {1 + random() % 2}, {random() % 2}, random() % 2 == 0 ? no_codelet : 0};
    given.emplace_back(list, book.number_of(list));
  }
  const ipuflow::light_vector<ipuflow::light_vector<phase_run>> all = book.take();
  CHECK(all[0].empty());
  std::map<std::size_t, std::size_t> used;
  for (const auto& [list, number] : given) {
    CHECK(all[number] == list);
    ++used[number];
  }
  CHECK(used.size() == all.size());
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) CHECK(all[a] != all[b]);
  }
}

}  // namespace phase_book_test
