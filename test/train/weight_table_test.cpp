// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/weight_table.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "tied_gpt.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

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
  ipuflow::light_vector<double> to(2);
  train::impl::copy_numbers<half>(reinterpret_cast<const std::uint8_t*>(halves), std::span{to});
  CHECK(to == ipuflow::light_vector<double>{0.5, -2.0});
  ipuflow::light_vector<half> back(2);
  train::impl::copy_numbers<double>(reinterpret_cast<const std::uint8_t*>(to.data()), std::span{back});
  CHECK(back[1].bits == halves[1].bits);
  CHECK(train::impl::extents_text(ipuflow::light_vector<std::size_t>{2, 3}) == fixed_string{"[2, 3]"});
}

namespace {

/// The tensors of a model as a file has them, without those of a name.
ipuflow::light_vector<train::impl::stored_tensor> stored_without(const train::model<>& m, const std::string& left_out) {
  const auto table = train::impl::weight_table::of(test::tied_tokens);
  ipuflow::light_vector<train::impl::stored_tensor> stored;
  for (const train::named_tensor& t : table.tensors) {
    if (t.name == left_out) continue;
    stored.push_back({t.name, {t.extents.begin(), t.extents.end()}, 4, reinterpret_cast<const std::uint8_t*>(m.values.data() + t.first)});
  }
  return stored;
}

}  // namespace

TEST_CASE("weights that layers share are in a file for each of them or once, under either name") {
  const auto table = train::impl::weight_table::of(test::tied_tokens);
  const train::model<> saved = train::initial_model(test::tied_tokens, 5);
  for (const char* left_out : {"", "embed[0] weights", "head[1] weights"}) {
    CAPTURE(left_out);
    const auto stored = stored_without(saved, left_out);
    CHECK(stored.size() == table.tensors.size() - (left_out[0] != '\0' ? 1 : 0));
    train::model<> m = train::initial_model(test::tied_tokens, 1);
    train::impl::fill_from(m, table, stored, "f");
    CHECK(m == saved);
  }
  auto neither = stored_without(saved, "head[1] weights");
  neither.erase(neither.begin());
  train::model<> m = train::initial_model(test::tied_tokens, 1);
  CHECK_THROWS_WITH(train::impl::fill_from(m, table, neither, "f"),
                    "ipuflow: there is no tensor 'embed[0] weights' in 'f', its first is 'mix[0] weights'; load it into the network that it was "
                    "saved from, or rename its tensors");
}

TEST_CASE("a file whose copies differ is refused, and the model stays") {
  const auto table = train::impl::weight_table::of(test::tied_tokens);
  train::model<> other = train::initial_model(test::tied_tokens, 5);
  other.values.back() += 1;
  const train::model<> before = train::initial_model(test::tied_tokens, 1);
  train::model<> m = before;
  CHECK_THROWS_WITH(train::impl::fill_from(m, table, stored_without(other, ""), "f"),
                    "ipuflow: tensor 'head[1] weights' of 'f' differs from 'embed[0] weights', although the network has both as one; leave one of "
                    "them out, or tie the layers no more");
  CHECK(m == before);
}

}  // namespace weight_table_test
