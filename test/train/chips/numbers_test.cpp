// SPDX-License-Identifier: BSL-1.0
#include "chips_check.hpp"

namespace numbers_test {

using namespace ipuflow;

namespace {

using P = std::remove_const_t<decltype(test::small_network)>;

/// Writes a model of made-up numbers to the chips and reads it back.
train::model<> there_and_back(const train::options& o, on::chips how, const train::model<>& m) {
  const auto t = schedule::grouped(test::small_network, micro_batches<8>);
  how.system = test::small_system(4 * o.replicas);
  const train::session s{test::small_network, t, train::adamw{}, o, how};
  const train::impl::chips_numbers numbers{s.program(), s.stages()};
  ipu::engine e = s.program().engine();
  for (std::size_t r = 0; r < o.replicas; ++r) numbers.write(e, m, r);
  train::model<> back{std::vector<float>(m.values.size()), std::vector<float>(m.state.size())};
  numbers.read(e, back);
  return back;
}

train::model<> made_up_model() {
  train::model<> m = train::initial_model(test::small_network, 3);
  for (std::size_t i = 0; i < m.state.size(); ++i) m.state[i] = static_cast<float>(i) + 0.5f;
  return m;
}

}  // namespace

TEST_CASE("Every number of a model has a place on the chips, wherever parameters live") {
  train::options o = test::small_options(2);
  const train::model<> m = made_up_model();
  CHECK(there_and_back(o, {}, m) == m);
  CHECK(there_and_back(o, {.weights = run::kept_in::streaming_memory}, m) == m);
  o.replicas = 2;
  o.shard_optimiser = true;
  CHECK(there_and_back(o, {}, m) == m);
}

TEST_CASE("Each replica is given its part of every tensor") {
  train::options o = test::small_options(2);
  o.replicas = 2;
  o.shard_optimiser = true;
  const auto t = schedule::grouped(test::small_network, micro_batches<8>);
  const train::session s{test::small_network, t, train::adamw{}, o, on::chips{.system = test::small_system(8)}};
  const train::impl::chips_numbers numbers{s.program(), s.stages()};
  ipu::engine e = s.program().engine();
  const train::model<> m = made_up_model();
  for (const std::size_t r : {0u, 1u}) numbers.write(e, m, r);
  for (std::size_t part = 0; part < s.stages().size(); ++part) {
    for (const train::impl::parameter_shard& shard : s.stages()[part].update.shards) {
      const plan::trained_tensor& tensor = s.program().part(part).parameters[shard.parameter];
      const std::size_t each = s.program().graph()[shard.value].elements();
      const std::size_t all = s.program().graph()[tensor.value].elements();
      for (const std::size_t r : {0u, 1u}) {
        const std::vector<float> mine = e.read<float>(shard.value, r);
        for (std::size_t i = 0; i < each; ++i) {
          const std::size_t at = r * each + i;
          const std::size_t first = s.stages()[part].values_begin + tensor.first;
          CHECK(mine[i] == (at < all ? m.values[first + tensor.order.index_of(at)] : 0));
        }
      }
    }
  }
}

}  // namespace numbers_test
