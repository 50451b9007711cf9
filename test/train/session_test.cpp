// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/session.hpp>

#include "small_network.hpp"

#include <ipuflow/train/evaluation.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace session_test {

using namespace ipuflow;

namespace {

constexpr auto timetable = schedule::one_f_one_b(test::small_network, micro_batches<8>);
constexpr auto forwards = schedule::inference(test::small_network, micro_batches<8>);

}  // namespace

TEST_CASE("a network learns, and a session that infers sees what another has learned") {
  auto o = test::small_options();
  o.outputs = feed::output_mode::all;
  train::session session{test::small_network, timetable, train::adamw{.rate = 1e-2f}, o};
  CHECK(session.samples_per_step() == 5 * 8 * 2);
  constexpr auto halves = regroup(test::small_network, stage<"a", "b">().ipu<0>(), stage<"c", "d">().ipu<1>());
  auto trained = train::inference(halves, schedule::inference(halves, micro_batches<4>), session.parameters(),
                                  {.micro_batch = 10, .inputs = o.inputs});
  const test::made_up data{session.samples_per_step()}, unseen{40, 99};
  const auto accuracy = [&] { return train::count_right(trained(unseen)[0], unseen.labels(), 4); };
  const double before = train::mean_of(session(data)[1]);
  const std::size_t right_before = accuracy();
  for (int i = 0; i < 30; ++i) session(data);
  CHECK(train::mean_of(session(data)[1]) < before / 2);
  CHECK(accuracy() > right_before);
  CHECK(accuracy() >= 34);
  CHECK(session.updates() == 32 * 2);
}

TEST_CASE("the same seed gives the same training, another seed another one") {
  auto o = test::small_options();
  const auto once = test::trained(test::small_network, timetable, o);
  CHECK(once == test::trained(test::small_network, timetable, o));
  o.seed = 43;
  CHECK(once != test::trained(test::small_network, timetable, o));
}

TEST_CASE("options may be left out, with or without something behind them") {
  train::session plain{test::small_network, timetable, train::sgd{.rate = 0.1f}, {}};
  train::session left_out{test::small_network, timetable, train::sgd{.rate = 0.1f}};
  train::session one_thread{test::small_network, timetable, train::sgd{.rate = 0.1f}, on::threads{.count = 1}, train::precision<float>{}};
  static_assert(std::is_same_v<decltype(plain), decltype(left_out)> && std::is_same_v<decltype(plain), decltype(one_thread)>);
  CHECK(one_thread.threads() == 1);
  const test::made_up data{plain.samples_per_step()};
  plain(data), left_out(data), one_thread(data);
  CHECK(plain.parameters()->values == left_out.parameters()->values);
  CHECK(plain.parameters()->values == one_thread.parameters()->values);
  CHECK(train::inference(test::small_network, forwards, plain.parameters()).samples_per_step() == 8);
}

TEST_CASE("a rate of zero learns nothing; the rate may change between steps") {
  auto o = test::small_options();
  train::session session{test::small_network, timetable, train::sgd{.rate = 0}, o};
  const auto before = session.parameters()->values;
  const test::made_up data{session.samples_per_step()};
  session(data);
  CHECK(session.parameters()->values == before);
  session.optimiser().rate = 0.1f;
  session(data);
  CHECK(session.parameters()->values != before);
}

TEST_CASE("what is written into the model between steps is what the next step begins with") {
  auto o = test::small_options();
  train::session a{test::small_network, timetable, train::sgd{.rate = 0.1f}, o};
  train::session b{test::small_network, timetable, train::sgd{.rate = 0.1f}, o};
  const auto first = *a.parameters();
  test::train_for(a, 2);
  *a.parameters() = first;
  const test::made_up data{a.samples_per_step()};
  a(data), a(data);  // dropout goes on counting micro-batches, so b must have seen as many
  b(data), b(data);
  *b.parameters() = first;
  b(data), b(data);
  CHECK(*a.parameters() == *b.parameters());
}

TEST_CASE("a model that has become one of another network is refused, and not read beyond its end") {
  train::session session{test::small_network, timetable, train::sgd{}, test::small_options()};
  const test::made_up data{session.samples_per_step()};
  const auto whole = *session.parameters();
  session.parameters()->values.resize(3);
  CHECK_THROWS_AS(session(data), rejected<train::model_fault>);
  *session.parameters() = {whole.values, {}};
  CHECK_THROWS_AS(session(data), rejected<train::model_fault>);
  *session.parameters() = whole;
  session(data);
  CHECK(session.updates() == test::small_options().device_iterations);
}

TEST_CASE("inference changes nothing, running statistics neither") {
  auto o = test::small_options();
  auto shared = std::make_shared<train::model<>>(train::initial_model(test::small_network, 1));
  const auto before = *shared;
  auto trained = train::inference(test::small_network, forwards, shared, o);
  CHECK(trained.optimiser_bytes() == 0);
  trained(test::made_up{trained.samples_per_step()});
  CHECK(*shared == before);
}

TEST_CASE("inference in an order in which an IPU does all of one stage before it takes up the next") {
  const schedule::grid where{.ipus = 2, .stages = 4, .micro_batches = 8};
  const auto by_stages = schedule::from_function(
      where, 18,
      [](std::size_t ipu, std::size_t step) {
        const std::size_t at = step - ipu;
        const schedule::op o{schedule::pass::forward, at / 8 * 2 + ipu, at % 8};
        return step >= ipu && at < 16 ? std::optional{o} : std::nullopt;
      },
      mode::inference);
  REQUIRE_FALSE(schedule::verify(by_stages));
  auto o = test::small_options();
  o.device_iterations = 1;
  auto shared = std::make_shared<train::model<>>(train::initial_model(test::small_network, 1));
  auto one = train::inference(test::small_network, forwards, shared, o);
  const test::made_up data{one.samples_per_step()};
  const auto expected = one(data)[0].values;
  for (std::size_t threads = 1; threads <= 2; ++threads) {
    auto other = train::inference(test::small_network, by_stages, shared, o, on::threads{.count = threads});
    CHECK(other(data)[0].values == expected);
  }
}

TEST_CASE("what cannot be trained or run is refused") {
  auto o = test::small_options();
  train::session session{test::small_network, timetable, train::adamw{}, o};
  CHECK_THROWS_WITH(session(test::made_up{79}), doctest::Contains("a step is given 79 samples of 80"));
  CHECK_THROWS_WITH(session(test::made_up{81}), doctest::Contains("a step is given 81 samples but takes 80"));
  constexpr auto halves = regroup(test::small_network, stage<"a", "b">().ipu<0>(), stage<"c", "d">().ipu<1>());
  using two_stages = train::session<std::remove_cvref_t<decltype(halves)>, std::remove_cvref_t<decltype(timetable)>>;
  CHECK_THROWS_WITH((two_stages{halves, timetable, {}, o}),
                    doctest::Contains("the timetable is for 4 stages but the pipeline has 2"));
  CHECK_THROWS_WITH((void)train::inference(test::small_network, forwards, std::make_shared<train::model<>>(), o),
                    doctest::Contains("a model has 0 parameters but the pipeline has 510"));
}

TEST_CASE("a network without a loss is used, and not trained in silence") {
  constexpr auto scores = pipeline(input<float, 4>, stage(block<"a">(nn::linear<8>)).ipu<0>(), stage(block<"b">(nn::linear<3>)).ipu<1>());
  const auto trained = schedule::one_f_one_b(scores, micro_batches<4>);
  CHECK_THROWS_WITH_AS((train::session{scores, trained, train::sgd{}, {}}),
                       "ipuflow: a network without a loss is to be trained, which would change nothing; let its last layer be one, as "
                       "use<\"class\">(nn::cross_entropy), or use the model, with train::inference",
                       rejected<train::session_fault>);
  const auto model = std::make_shared<train::model<>>(train::initial_model(scores, 0));
  CHECK(train::inference(scores, schedule::inference(scores, micro_batches<4>), model, {}).samples_per_step() == 4);
}

TEST_CASE("concurrent stages are trained once, whatever the number of their IPUs and of threads") {
  constexpr auto forked = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                   stage(block<"in">(nn::flatten, nn::linear<8>, nn::tanh)).ipu<0>(),
                                   concurrent(stage(block<"left">(nn::linear<6>, nn::relu)).ipu<1>(),
                                              stage(block<"right">(nn::linear<6>, nn::tanh)).ipu<2>()),
                                   stage(block<"out">(nn::add, nn::linear<4>, use<"label">(nn::cross_entropy))).ipu<3>());
  auto o = test::small_options();
  o.outputs = feed::output_mode::all;
  const auto learned = [&](std::size_t threads) {
    train::session session{forked, schedule::grouped(forked, micro_batches<12>), train::adamw{.rate = 1e-2f}, o,
                           on::threads{.count = threads}};
    const test::made_up data{session.samples_per_step()};
    const double before = train::mean_of(session(data)[1]);
    for (int i = 0; i < 15; ++i) session(data);
    CHECK(train::mean_of(session(data)[1]) < before / 2);
    return *session.parameters();
  };
  const auto one = learned(1);
  for (const std::size_t threads : {2u, 4u}) CHECK(learned(threads) == one);
}

TEST_CASE("gradients are those that the optimiser got, whatever the scale of the loss, the replicas and the shards") {
  auto o = test::small_options();
  o.device_iterations = 1;
  for (const std::size_t replicas : {1u, 2u}) {
    for (const bool shards : {false, true}) {
      for (const float most : {1e-3f, 1e9f}) {
        o.replicas = replicas;
        o.shard_optimiser = shards && replicas > 1;
        o.max_grad_norm = most;
        o.scale.factor = shards ? 64 : 1;
        train::session session{test::small_network, timetable, train::sgd{.rate = 0.5f, .momentum = 0, .weight_decay = 0}, o};
        const auto before = session.parameters()->values;
        session(test::made_up{session.samples_per_step()});
        const auto& after = session.parameters()->values;
        const std::span<const float> slopes = session.gradients();
        REQUIRE(slopes.size() == before.size());
        double squares = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
          CHECK(after[i] == doctest::Approx(before[i] - 0.5f * slopes[i]).epsilon(1e-6));
          squares += static_cast<double>(slopes[i]) * static_cast<double>(slopes[i]);
        }
        CHECK((most > 1 ? squares > 1e-4 : squares == doctest::Approx(1e-6)));
      }
    }
  }
  const auto used = train::inference(test::small_network, forwards, std::make_shared<train::model<>>(train::initial_model(test::small_network, 1)), {});
  CHECK(used.gradients().empty());
}

}  // namespace session_test
