// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/weight_table.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weight_table_test {

using namespace ipuflow;

TEST_CASE("tensors of the values come first, then those of the state; together they are the model") {
  train::model<> m = train::initial_model(test::small_network, 1);
  const auto table = train::impl::weight_table::of(test::small_network);
  REQUIRE(table.tensors.size() == 11);
  CHECK(table.of_values == 10);
  std::size_t all = 0;
  for (std::size_t i = 0; i < table.tensors.size(); ++i) all += table.numbers(m, i).size();
  CHECK(all == m.values.size() + m.state.size());
  CHECK(table.numbers(m, 10).data() == m.state.data());
}

TEST_CASE("numbers of other types become those of the model") {
  const half halves[] = {half{0.5f}, half{-2.0f}};
  std::vector<double> to(2);
  train::impl::copy_numbers<half>(reinterpret_cast<const std::uint8_t*>(halves), std::span{to});
  CHECK(to == std::vector<double>{0.5, -2.0});
  std::vector<half> back(2);
  train::impl::copy_numbers<double>(reinterpret_cast<const std::uint8_t*>(to.data()), std::span{back});
  CHECK(back[1].bits == halves[1].bits);
  CHECK(train::impl::extents_text(std::vector<std::size_t>{2, 3}) == fixed_string{"[2, 3]"});
}

}  // namespace weight_table_test
