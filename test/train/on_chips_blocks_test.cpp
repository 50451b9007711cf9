// SPDX-License-Identifier: BSL-1.0
// Weights that are stored in the blocks of their product: their tiles are in no order, and some of those in between have none. What is
// learned is what threads learn, by every optimiser, in parts of replicas too.
#include "chips_check.hpp"

#include <ipuflow/train/optimisers/lamb.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace on_chips_blocks_test {

using namespace ipuflow;

namespace {

/// Samples of `X` numbers and as many labels of `Y`.
template <std::size_t X, std::size_t Y>
struct made_up_rows {
  using column = feed::column_view<std::span<const float>>;

  explicit made_up_rows(std::size_t samples, std::uint64_t seed = 7) : x(samples * X), y(samples * Y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(nn::random_bits(seed, i) % 200) / 100 - 1;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(nn::random_bits(seed + 1, i) % 200) / 100 - 1;
    both = {column{x.data(), samples, X}, column{y.data(), samples, Y}};
  }
  made_up_rows(const made_up_rows&) = delete;
  made_up_rows& operator=(const made_up_rows&) = delete;
  std::size_t size() const { return y.size() / Y; }
  const auto& columns() const { return both; }

  std::vector<float> x, y;
  std::tuple<column, column> both;
};

template <class Data, class P, class Rule>
void learns_what_threads_do(const P& network, const Rule& rule, const train::options& o, std::size_t tiles) {
  const schedule::table t = schedule::tabulate(schedule::sharded(network, micro_batches<2>));
  train::session host{network, t, rule, o};
  train::session chips{network, t, rule, o, on::chips{.system = test::small_system(o.replicas, tiles), .allow_out_of_memory = true}};
  test::check_steps<Data>(host, chips, 2, 2e-5);
}

}  // namespace

TEST_CASE("every weight is updated, and lengths are those of whole tensors") {
  constexpr auto network = single_stage(input<float, 32, 20>, per_sample<"y", tensor<float, 32, 20>>,
      block<"a">(nn::linear<20>, keep<"r">, nn::linear<60>, nn::causal_attention<2>, nn::linear<20>, use<"r">(nn::add), nn::layer_norm, nn::linear<20>,
                 use<"y">(nn::mean_squared_error)));
  train::options o;
  o.micro_batch = 1;
  using data = made_up_rows<640, 640>;
  learns_what_threads_do<data>(network, train::sgd{.rate = 0.05f, .momentum = 0.9f}, o, 32);
  learns_what_threads_do<data>(network, train::lamb{.rate = 0.02f, .epsilon = 1e-2f}, o, 32);
  o.max_grad_norm = 0.01f;
  learns_what_threads_do<data>(network, train::sgd{.rate = 0.05f}, o, 32);
}

TEST_CASE("tensors that replicas cannot share evenly are padded on their own tiles") {
  constexpr auto network = single_stage(input<float, 97>, per_sample<"y", tensor<float, 3>>,
      block<"a">(nn::linear<97>, nn::tanh, nn::linear<3>, use<"y">(nn::mean_squared_error)));
  train::options o;
  o.micro_batch = 256;
  o.replicas = 2;
  o.shard_weights = true;
  learns_what_threads_do<made_up_rows<97, 3>>(network, train::sgd{.rate = 0.05f}, o, 16);
}

}  // namespace on_chips_blocks_test
