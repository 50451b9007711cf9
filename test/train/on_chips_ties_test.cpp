// SPDX-License-Identifier: BSL-1.0
// Layers that share weights on simulated chips: the same as on threads in every way to run them, copies equal bit by bit, and what goes
// between chips for it is counted.
#include "chips_check.hpp"
#include "tied_gpt.hpp"

#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/threads/session_engine.hpp>  // of halves, which ipuflow::compiled has not
#include <ipuflow/zoo/transformers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace on_chips_ties_test {

using namespace ipuflow;
using run::kept_in;

namespace {

const auto& in_turn() {
  static const schedule::table t = schedule::tabulate(schedule::one_f_one_b(test::tied_tokens, micro_batches<4>));
  return t;
}

template <class T = schedule::table>
void check(const train::options& o, const on::chips& where = {}, const T& t = in_turn(), double tolerance = 2e-5) {
  test::check_on_chips<test::made_up_texts>(test::tied_tokens, t, o, where, tolerance);
}

}  // namespace

TEST_CASE("a language model with one table learns on chips what it learns on threads, and copies stay equal") {
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b(test::tied_gpt, micro_batches<4>));
  const train::options o{.micro_batch = 3};
  const train::adamw rule{.rate = 1e-2f, .epsilon = 1e-3f};
  train::session host{test::tied_gpt, t, rule, o};
  train::session tiles{test::tied_gpt, t, rule, o, on::chips{.system = test::small_system(4)}};
  for (std::size_t update = 0; update < 20; ++update) {
    const test::made_up_texts data{host.samples_per_step(), 7 + update};
    const float wanted = host(data).back().values[0];
    CHECK(tiles(data).back().values[0] == doctest::Approx(wanted).epsilon(1e-3));
    CHECK(test::copies_agree(test::tied_gpt, tiles.parameters()->values));
    CHECK(test::copies_agree(test::tied_gpt, tiles.gradients()));
  }
  CHECK(test::farthest(tiles.parameters()->values, host.parameters()->values) < 2e-4);
}

namespace {

constexpr zoo::transformer tiny{.layers = 1, .width = 12, .heads = 2, .vocabulary = 20, .positions = 10, .dropout = 0};
constexpr std::uint8_t not_masked = 255;

template <std::size_t Positions>
constexpr auto bert_in_training = regroup(
    single_stage(input<std::uint8_t, Positions>, per_sample<"segment", tensor<std::uint8_t, Positions>>,
                 per_sample<"text", tensor<std::uint8_t, Positions>>, per_sample<"token", tensor<std::uint8_t, Positions>>,
                 per_sample<"follows", std::uint8_t>, zoo::bert<tiny>, zoo::bert_pretraining<tiny, not_masked>),
    stage<"embeddings">().ipu<0>(), stage<"layer[0]">().ipu<1>(), stage<"pooler", "follows", "tokens">().ipu<2>());

/// Two texts in each sequence; every fourth token is masked.
class made_up_pairs {
 public:
  explicit made_up_pairs(std::size_t count, std::uint64_t seed = 7)
      : tokens_(count * positions), segments_(tokens_.size()), masked_(tokens_.size()), follows_(count) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      tokens_[i] = static_cast<std::uint8_t>(nn::random_bits(seed, i) % tiny.vocabulary);
      segments_[i] = i % positions > 4;
      masked_[i] = i % 4 == 0 ? static_cast<std::uint8_t>((tokens_[i] + 1u) % tiny.vocabulary) : not_masked;
    }
    for (std::size_t i = 0; i < count; ++i) follows_[i] = tokens_[i * positions] % 2;
    columns_ = {{tokens_.data(), count, positions}, {segments_.data(), count, positions}, {segments_.data(), count, positions},
                {masked_.data(), count, positions}, {follows_.data(), count, 1}};
  }

  static constexpr std::size_t positions = 8;
  std::size_t size() const { return follows_.size(); }
  const auto& columns() const { return columns_; }

 private:
  using column = feed::column_view<std::span<const std::uint8_t>>;
  std::vector<std::uint8_t> tokens_, segments_, masked_, follows_;
  std::tuple<column, column, column, column, column> columns_;
};

}  // namespace

TEST_CASE("BERT on three chips learns both of its first tasks, with the table on the first and its copy on the last") {
  constexpr auto network = bert_in_training<made_up_pairs::positions>;
  test::check_on_chips<made_up_pairs>(network, schedule::one_f_one_b(network, micro_batches<4>), {.micro_batch = 2, .max_grad_norm = 1}, {}, 5e-5);
  train::session session{network, schedule::tabulate(schedule::one_f_one_b(network, micro_batches<4>)), train::adamw{.rate = 1e-2f}, {.micro_batch = 8}};
  double first = 0, last = 0;
  for (std::size_t step = 0; step < 100; ++step) {
    const double loss = train::mean_of(session(made_up_pairs{session.samples_per_step(), 7 + step}).back());
    (step == 0 ? first : last) = loss;
  }
  CHECK(last < first / 2);
}

TEST_CASE("by every schedule, also with chips of their own for each half of the micro-batches") {
  std::size_t count = 0;
  for (const std::string_view name : schedule::schedule_names) {
    const schedule::table t = schedule::with_schedule(name, schedule::setup_of(test::tied_tokens, 8), [](const auto& made) { return schedule::tabulate(made); });
    if (t.refused || t.run_for == mode::inference || t.where.stages != 4) continue;
    CAPTURE(std::string{name});
    check({.micro_batch = 2}, {}, t);
    ++count;
  }
  CHECK(count >= 14);
}

TEST_CASE("wherever the table and its copy are") {
  constexpr auto together = regroup(test::tied_tokens, stage<"embed">().ipu<0>(), stage<"mix", "more">().ipu<1>(), stage<"head">().ipu<0>());
  test::check_on_chips<test::made_up_texts>(together, schedule::gpipe(together, micro_batches<4>), {.micro_batch = 3, .max_grad_norm = 0.1f});
  constexpr auto one = regroup(test::tied_tokens, stage<"embed", "mix", "more", "head">().ipu<0>());
  test::check_on_chips<test::made_up_texts>(one, schedule::gpipe(one, micro_batches<4>), {.micro_batch = 3});
}

TEST_CASE("with limits, scales and replicas") {
  check({.micro_batch = 3, .max_grad_norm = 0.1f});
  check({.micro_batch = 3, .scale = {.factor = 64}});
  check({.micro_batch = 3, .scale = {.factor = 1024, .automatic = true}, .max_grad_norm = 0.1f});
  check({.micro_batch = 2, .device_iterations = 2, .replicas = 2, .max_grad_norm = 0.1f});
  test::check_on_chips<test::made_up_texts>(test::tied_tokens, in_turn(), {.micro_batch = 3}, {}, 2e-5, train::lamb{.rate = 1e-2f});
}

TEST_CASE("in halves: parameters, and what gradients are added up in") {
  const auto check_halves = [](auto precision) {
    constexpr train::sgd rule{.rate = 0.05f};
    const train::options o{.micro_batch = 3};
    train::session host{test::tied_tokens, in_turn(), rule, o, precision};
    train::session tiles{test::tied_tokens, in_turn(), rule, o, precision, on::chips{.system = test::small_system(4)}};
    test::check_steps<test::made_up_texts>(host, tiles, 2, 1e-3);
    CHECK(test::copies_agree(test::tied_tokens, tiles.parameters()->values));
  };
  check_halves(train::precision<float, half>{});
  check_halves(train::precision<float, float, half>{});
}

TEST_CASE("in parts over replicas") {
  check({.micro_batch = 2, .replicas = 2, .shard_optimiser = true});
  check({.micro_batch = 2, .replicas = 2, .shard_gradients = true});
  check({.micro_batch = 2, .replicas = 2, .shard_weights = true});
  check({.micro_batch = 2, .replicas = 2, .max_grad_norm = 0.1f, .shard_gradients = true, .shard_weights = true});
}

TEST_CASE("in streaming memory, and with I/O tiles") {
  check({.micro_batch = 3}, {.weights = kept_in::streaming_memory});
  check({.micro_batch = 3}, {.optimiser_state = kept_in::streaming_memory});
  check({.micro_batch = 3}, {.accumulators = kept_in::streaming_memory});
  check({.micro_batch = 3, .scale = {.factor = 1024, .automatic = true}, .max_grad_norm = 0.1f},
        {.weights = kept_in::streaming_memory, .accumulators = kept_in::streaming_memory});
  check({.micro_batch = 2, .replicas = 2}, {.accumulators = kept_in::streaming_memory});
  check({.micro_batch = 3}, {.io_tiles = 2, .sync = run::waits_for::neighbours});
}

TEST_CASE("the gradient goes one way and the new numbers go the other, once an update") {
  const auto bytes_between_chips = [](const auto& whole, auto place, std::size_t iterations) {
    const auto network = place(whole);
    const train::session s{network, schedule::gpipe(network, micro_batches<4>), train::adamw{}, {.micro_batch = 3, .device_iterations = iterations},
                           on::chips{.system = test::small_system(2)}};
    std::uint64_t bytes = 0;
    for (const ipu::chip_profile& c : s.cost().chips.chips) bytes += c.moved.chip_in;
    return bytes;
  };
  const auto apart = [](const auto& whole) { return regroup(whole, stage<"embed", "mix", "more">().template ipu<0>(), stage<"head">().template ipu<1>()); };
  const auto together = [](const auto& whole) {
    return regroup(whole, stage<"embed">().template ipu<0>(), stage<"mix", "more">().template ipu<1>(), stage<"head">().template ipu<0>());
  };
  for (const std::size_t iterations : {1u, 3u}) {
    CHECK(bytes_between_chips(test::tied_tokens, apart, iterations) - bytes_between_chips(test::untied_tokens, apart, iterations) ==
          2 * iterations * test::table_size * sizeof(float));
    CHECK(bytes_between_chips(test::tied_tokens, together, iterations) == bytes_between_chips(test::untied_tokens, together, iterations));
  }
}

}  // namespace on_chips_ties_test
