// SPDX-License-Identifier: BSL-1.0
// A session that goes on from another one's state does what that one would have done, bit for bit.
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/training_state.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace training_state_test {

using namespace ipuflow;

namespace {

constexpr auto network = pipeline(input<float, 8>, per_sample<"class", std::uint8_t>,
                                  stage(block<"in">(nn::linear<12>, nn::batch_norm, nn::tanh, nn::dropout<0.2>)).ipu<0>(),
                                  stage(block<"middle">(nn::linear<12>, nn::layer_norm, nn::relu)).ipu<1>(),
                                  stage(block<"out">(nn::linear<4>, use<"class">(nn::cross_entropy))).ipu<2>());
constexpr auto two_stages = regroup(network, stage<"in", "middle">().ipu<0>(), stage<"out">().ipu<1>());

/// The samples of step `s`, a pure function of it.
class step_samples {
 public:
  step_samples(std::size_t s, std::size_t count) : x_(count * 8), classes_(count) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = 2 * nn::random_unit(s, i) - 1;
    for (std::size_t i = 0; i < count; ++i) classes_[i] = static_cast<std::uint8_t>(nn::random_bits(s, i) % 4);
    columns_ = {{x_.data(), count, 8}, {classes_.data(), count}};
  }
  std::size_t size() const { return classes_.size(); }
  const auto& columns() const { return columns_; }

 private:
  std::vector<float> x_;
  std::vector<std::uint8_t> classes_;
  std::tuple<feed::column_view<std::span<const float>>, feed::column_view<std::uint8_t>> columns_{};
};

template <class Session>
void train_on(Session& session, std::size_t from, std::size_t to) {
  for (std::size_t s = from; s < to; ++s) session(step_samples{s, session.samples_per_step()});
}

}  // namespace

TEST_CASE("sessions of any optimiser go on bit for bit, dropout, batch norm, rounding and the scale of the loss with them") {
  const train::options o{.micro_batch = 4, .device_iterations = 2, .scale = {.factor = 1024, .automatic = true, .patience = 3}, .parameters = train::rounding::stochastic};
  const auto check = [&](const auto& optimiser, auto... how) {
    train::session whole{network, schedule::one_f_one_b(network, micro_batches<4>), optimiser, o, how...};
    train_on(whole, 0, 9);
    train::session first{network, schedule::one_f_one_b(network, micro_batches<4>), optimiser, o, how...};
    train_on(first, 0, 4);
    const auto state = first.state();
    CHECK(state.steps == 4);
    CHECK(state.updates == first.updates());
    CHECK(state.micro_batches == 4 * 2 * 4);
    train::session second{network, schedule::one_f_one_b(network, micro_batches<4>), optimiser, o, how...};
    train_on(second, 20, 22);  // it may have trained on its own
    second.go_on(state);
    CHECK(second.state() == state);
    train_on(second, 4, 9);
    CHECK(second.state() == whole.state());
    CHECK(second.state() != state);
  };
  check(train::sgd{.rate = 0.05f});
  check(train::sgd{.rate = 0.05f, .momentum = 0.9f});
  check(train::adamw{.rate = 1e-2f});
  check(train::lamb{.rate = 1e-2f});
  check(train::adamw{.rate = 1e-2f}, train::precision<float, half>{});
  check(train::adamw{.rate = 1e-2f}, train::precision<double>{});
}

TEST_CASE("a state goes on with other stages, another schedule, other threads and a sharded optimiser") {
  const train::adamw optimiser{.rate = 1e-2f};
  const train::options o{.micro_batch = 4, .replicas = 2};
  train::session whole{network, schedule::grouped(network, micro_batches<12>), optimiser, o};
  train_on(whole, 0, 5);
  const auto state = whole.state();
  train_on(whole, 5, 9);
  const auto check = [&](auto session) {
    session->go_on(state);
    CHECK(session->state() == state);
    train_on(*session, 5, 9);
    CHECK(session->state() == whole.state());
  };
  const auto session_of = [&](const auto& pipeline, const auto& timetable, const train::options& how, std::size_t threads) {
    using pipeline_type = std::remove_cvref_t<decltype(pipeline)>;
    using timetable_type = std::remove_cvref_t<decltype(timetable)>;
    return std::make_unique<train::session<pipeline_type, timetable_type, train::adamw>>(pipeline, timetable, optimiser, how, on::threads{.count = threads});
  };
  check(session_of(two_stages, schedule::sequential(two_stages, micro_batches<12>), o, 1));
  check(session_of(network, schedule::one_f_one_b(network, micro_batches<12>), o, 3));
  train::options sharded = o;
  sharded.shard_optimiser = true;
  check(session_of(network, schedule::grouped(network, micro_batches<12>), sharded, 2));
  sharded.shard_at_least = 50;
  check(session_of(two_stages, schedule::grouped(two_stages, micro_batches<12>), sharded, 2));

  // From sharded to whole.
  auto shards = session_of(network, schedule::grouped(network, micro_batches<12>), sharded, 2);
  shards->go_on(state);
  train_on(*shards, 5, 7);
  auto again = session_of(network, schedule::grouped(network, micro_batches<12>), o, 2);
  again->go_on(shards->state());
  train_on(*again, 7, 9);
  CHECK(again->state() == whole.state());

  // Another number of replicas adds gradients up in another order; it loads, and trains on.
  auto one = session_of(network, schedule::grouped(network, micro_batches<24>), train::options{.micro_batch = 4}, 1);
  one->go_on(state);
  CHECK(one->state() == state);
  train_on(*one, 5, 6);
  CHECK(one->updates() == 6);
}

TEST_CASE("a state of another network, optimiser or seed is refused, and changes nothing") {
  const auto timetable = schedule::grouped(network, micro_batches<12>);
  train::session session{network, timetable, train::adamw{.rate = 1e-2f}, {.micro_batch = 4}};
  train_on(session, 0, 2);
  const auto before = session.state();
  const auto refuses = [&](const train::training_state<>& state, const char* why) {
    CHECK_THROWS_WITH(session.go_on(state), why);
    CHECK(session.state() == before);
  };
  train::training_state<> wrong = before;
  wrong.learned.values.pop_back();
  const std::string parameters = std::to_string(before.learned.values.size());
  refuses(wrong, ("ipuflow: a model has " + std::to_string(wrong.learned.values.size()) + " parameters but the pipeline has " + parameters +
                  "; share models between sessions of the same layers")
                     .c_str());
  wrong = before;
  wrong.optimiser_numbers.resize(8);
  refuses(wrong, ("ipuflow: a training state has 8 bytes of its optimiser but the session needs " + std::to_string(before.optimiser_numbers.size()) +
                  "; give the session the network and the optimiser that it began with")
                     .c_str());
  wrong = before;
  wrong.seed = 7;
  refuses(wrong, "ipuflow: a training state began with the seed 7 but the session has 42; give the session the same seed, or its dropout is another one");
  train::session other{network, timetable, train::lamb{.rate = 1e-2f}, {.micro_batch = 4}};
  refuses(other.state(), "ipuflow: a training state of the optimiser train::basic_lamb<> cannot go on with train::basic_adam<train::decay::decoupled>; give the session the "
                         "optimiser that it began with");
}

}  // namespace training_state_test
