// SPDX-License-Identifier: BSL-1.0
// Layers that share weights on host threads: copies stay equal bit by bit, by every schedule, on any number of threads, with replicas,
// and are updated by the gradients of both.
#include "tied_gpt.hpp"

#include <ipuflow/train/optimisers/lamb.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace session_ties_test {

using namespace ipuflow;

namespace {

constexpr std::size_t updates = 20;

template <class P, class T, class Optimiser = train::adamw>
train::model<> trained(const P& network, const T& timetable, std::size_t threads, train::options o = {.micro_batch = 3},
                       const Optimiser& rule = {.rate = 1e-2f}) {
  train::session session{network, timetable, rule, o, on::threads{.count = threads}};
  for (std::size_t step = 0; step < updates; ++step) session(test::made_up_texts{session.samples_per_step(), 7 + step});
  CHECK(test::copies_agree(network, session.parameters()->values));
  CHECK(test::copies_agree(network, session.gradients()));
  return *session.parameters();
}

}  // namespace

TEST_CASE("copies stay equal, and weights do not depend on the schedule or on threads") {
  const train::model<> expected = trained(test::tied_gpt, schedule::tabulate(schedule::sequential(test::tied_gpt, micro_batches<8>)), 1);
  CHECK(expected.values != train::initial_model(test::tied_gpt, train::options{}.seed).values);
  for (const std::string_view name : {"grouped", "interleaved", "gpipe", "1f1b", "zb1p"}) {
    CAPTURE(std::string{name});
    schedule::with_schedule(name, schedule::setup_of(test::tied_gpt, 8), [&](const auto& t) {
      REQUIRE(!t.refused);
      const schedule::table timetable = schedule::tabulate(t);
      for (const std::size_t threads : {1u, 2u, 4u}) CHECK(trained(test::tied_gpt, timetable, threads) == expected);
    });
  }
}

TEST_CASE("it makes no difference which stages and IPUs the table and its copy are on") {
  const train::model<> expected = trained(test::tied_gpt, schedule::tabulate(schedule::one_f_one_b(test::tied_gpt, micro_batches<8>)), 2);
  constexpr auto one_stage = regroup(test::tied_gpt, stage<"embed", "layer[0]", "layer[1]", "head">().ipu<0>());
  CHECK(trained(one_stage, schedule::tabulate(schedule::one_f_one_b(one_stage, micro_batches<8>)), 1) == expected);
  constexpr auto one_ipu = regroup(test::tied_gpt, stage<"embed">().ipu<0>(), stage<"layer[0]", "layer[1]">().ipu<1>(), stage<"head">().ipu<0>());
  CHECK(trained(one_ipu, schedule::tabulate(schedule::gpipe(one_ipu, micro_batches<8>)), 2) == expected);
}

TEST_CASE("the gradient is the sum of those that both layers have when they are apart") {
  const auto t = schedule::one_f_one_b(test::tied_gpt, micro_batches<4>);
  const auto apart_t = schedule::one_f_one_b(test::untied_gpt, micro_batches<4>);
  train::session tied{test::tied_gpt, t, train::sgd{.rate = 0.1f}, {.micro_batch = 3}};
  auto start = std::make_shared<train::model<>>(*tied.parameters());
  train::session apart{test::untied_gpt, apart_t, train::sgd{.rate = 0.1f}, {.micro_batch = 3}, start};
  const test::made_up_texts data{tied.samples_per_step()};
  CHECK(tied(data).back().values == apart(data).back().values);
  const std::size_t copy = test::first_of_copy(test::tied_gpt);
  for (std::size_t i = 0; i < start->values.size(); ++i) {
    const bool shared = i < test::table_size, copied = i >= copy && i < copy + test::table_size;
    const std::size_t in_table = copied ? i - copy : i;
    const float expected = shared || copied ? apart.gradients()[in_table] + apart.gradients()[copy + in_table] : apart.gradients()[i];
    CHECK(tied.gradients()[i] == expected);
  }
}

TEST_CASE("a limit to the length of gradients counts shared ones once") {
  const auto t = schedule::one_f_one_b(test::tied_gpt, micro_batches<4>);
  const auto gradients_for = [&](float most) {
    train::session session{test::tied_gpt, t, train::sgd{.rate = 0.1f}, {.micro_batch = 3, .max_grad_norm = most}};
    session(test::made_up_texts{session.samples_per_step()});
    return std::vector<float>(session.gradients().begin(), session.gradients().end());
  };
  const auto length = [&](const std::vector<float>& all) {
    const std::size_t copy = test::first_of_copy(test::tied_gpt);
    double squares = 0;
    for (std::size_t i = 0; i < all.size(); ++i) squares += i >= copy && i < copy + test::table_size ? 0 : double{all[i]} * double{all[i]};
    return std::sqrt(squares);
  };
  const double whole = length(gradients_for(std::numeric_limits<float>::infinity()));
  CHECK(length(gradients_for(static_cast<float>(whole / 2))) == doctest::Approx(whole / 2).epsilon(1e-6));
  CHECK(length(gradients_for(static_cast<float>(whole * 1.01))) == doctest::Approx(whole).epsilon(1e-9));
}

TEST_CASE("copies stay equal with replicas, shards, scaled losses, groups and stochastic rounding") {
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b(test::tied_gpt, micro_batches<4>));
  const train::model<> expected = trained(test::tied_gpt, t, 1, {.micro_batch = 2, .replicas = 2});
  CHECK(trained(test::tied_gpt, t, 2, {.micro_batch = 2, .replicas = 2, .shard_optimiser = true}) == expected);
  trained(test::tied_gpt, t, 2, {.micro_batch = 3, .scale = {.factor = 1024, .automatic = true}});
  trained(test::tied_gpt, t, 2, {.micro_batch = 3}, train::lamb{.rate = 1e-2f});
  const train::sgd slow{.rate = 1e-3f}, fast{.rate = 0.1f};
  const train::model<> grouped = trained(test::tied_gpt, t, 2, {.micro_batch = 3}, train::in_groups(slow, train::parameter_group{train::of_block<"head">, fast}));
  const train::model<> all_slow = trained(test::tied_gpt, t, 2, {.micro_batch = 3}, slow);
  CHECK(grouped.values != all_slow.values);  // the rest of the head is fast, the table is not
  train::session halves{test::tied_gpt, t, train::sgd{.rate = 1e-2f}, {.micro_batch = 3, .parameters = train::rounding::stochastic},
                        train::precision<float, half>{}};
  for (std::size_t step = 0; step < updates; ++step) halves(test::made_up_texts{halves.samples_per_step(), 7 + step});
  CHECK(test::copies_agree(test::tied_gpt, halves.parameters()->values));
}

TEST_CASE("the optimiser keeps nothing for a copy") {
  const auto t = schedule::one_f_one_b(test::tied_gpt, micro_batches<4>);
  const auto apart_t = schedule::one_f_one_b(test::untied_gpt, micro_batches<4>);
  train::session tied{test::tied_gpt, t, train::adamw{}, {.micro_batch = 3}};
  train::session apart{test::untied_gpt, apart_t, train::adamw{}, {.micro_batch = 3}};
  CHECK(apart.optimiser_bytes() - tied.optimiser_bytes() == test::table_size * 2 * sizeof(float));
}

TEST_CASE("a model whose copies differ is refused") {
  auto model = std::make_shared<train::model<>>(train::initial_model(test::tied_gpt, 1));
  CHECK(test::copies_agree(test::tied_gpt, model->values));
  model->values[1] = 3;
  const auto t = schedule::one_f_one_b(test::tied_gpt, micro_batches<4>);
  const std::string said = "ipuflow: parameter " + std::to_string(test::first_of_copy(test::tied_gpt) + 1) +
                           " of a model is a copy of parameter 1, but they differ; give layers that share weights the same numbers";
  CHECK_THROWS_WITH((train::session{test::tied_gpt, t, train::adamw{}, {.micro_batch = 3}, model}), said.c_str());
}

TEST_CASE("it learns which token is next") {
  train::session session{test::tied_gpt, schedule::tabulate(schedule::grouped(test::tied_gpt, micro_batches<8>)), train::adamw{.rate = 1e-2f},
                         {.micro_batch = 8}};
  double last = 0;
  for (std::size_t step = 0; step < 100; ++step) last = static_cast<double>(session(test::made_up_texts{session.samples_per_step(), 7 + step}).back().values[0]);
  CHECK(last < 0.5);
}

}  // namespace session_ties_test
