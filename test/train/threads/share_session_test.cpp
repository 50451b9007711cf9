// SPDX-License-Identifier: BSL-1.0
// A session that several processes share learns what one process learns, bit for bit, however its IPUs are dealt out.
#include <ipuflow/train/threads/share_session.hpp>

#include "small_network.hpp"
#include "thread_processes.hpp"

#include <ipuflow/run/trace.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/threads/lanes.hpp>
#include <ipuflow/train/threads/session_engine.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace share_session_test {

using namespace ipuflow;

namespace {

struct learned {
  train::model<> model;
  std::vector<float> losses;
  std::vector<std::byte> optimiser;
  std::size_t optimiser_bytes = 0;

  friend bool operator==(const learned&, const learned&) = default;
};

template <class P, class T, class Optimiser>
learned learn(const P& pipeline, const T& timetable, const Optimiser& rule, const train::options& o, const on::threads& where) {
  train::session session{pipeline, timetable, rule, o, where};
  auto model = test::train_for(session, 3);
  const test::made_up data{session.samples_per_step()};
  const auto losses = session(data)[1].values;
  return {std::move(model), losses, session.state().optimiser_numbers, session.optimiser_bytes()};
}

/// What each of so many processes has learned.
template <class P, class T, class Optimiser = train::adamw>
std::vector<learned> learned_by(std::size_t processes, const P& pipeline, const T& timetable, const train::options& o, const Optimiser& rule = {.rate = 1e-2f},
                                std::size_t threads = 1) {
  std::vector<learned> all(processes);
  test::in_processes(processes, [&](train::other_processes& others) {
    const auto shared = train::share_session<train::precision<>>(others, o.replicas * timetable.where.ipus);
    all[others.process()] = learn(pipeline, timetable, rule, o, {.count = threads, .others = shared.get()});
  });
  return all;
}

constexpr auto& network = test::small_network;

}  // namespace

TEST_CASE("replicas over processes and threads") {
  auto o = test::small_options();
  o.replicas = 4;
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);
  const learned alone = learn(network, timetable, train::adamw{.rate = 1e-2f}, o, {.count = 1});
  for (const std::size_t processes : {2u, 3u, 4u}) {
    for (const learned& l : learned_by(processes, network, timetable, o, train::adamw{.rate = 1e-2f}, processes == 2 ? 2 : 1)) CHECK(l == alone);
  }
}

TEST_CASE("optimiser state that is sharded, and lengths of gradients") {
  auto o = test::small_options();
  o.replicas = 4;
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);
  for (const float norm : {std::numeric_limits<float>::infinity(), 0.05f}) {
    o.max_grad_norm = norm;
    o.shard_optimiser = false;
    o.shard_at_least = 0;
    const learned whole = learn(network, timetable, train::adamw{.rate = 1e-2f}, o, {.count = 1});
    o.shard_optimiser = true;
    for (const std::size_t at_least : {0u, 20u}) {
      o.shard_at_least = at_least;
      for (const learned& l : learned_by(2, network, timetable, o)) {
        CHECK(l.model == whole.model);
        CHECK(l.optimiser == whole.optimiser);
        CHECK(l.optimiser_bytes < whole.optimiser_bytes);
      }
    }
  }
}

TEST_CASE("a loss scale that is automatic, and an optimiser of whole tensors") {
  auto o = test::small_options();
  o.replicas = 2;
  o.scale = {.factor = 1e38f, .automatic = true};
  constexpr auto timetable = schedule::gpipe(network, micro_batches<2>);
  const learned alone = learn(network, timetable, train::lamb{}, o, {.count = 1});
  o.shard_optimiser = true;
  for (const learned& l : learned_by(2, network, timetable, o, train::lamb{})) CHECK(l.model == alone.model);
}

TEST_CASE("a pipeline over processes, and replicas of it") {
  auto o = test::small_options();
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<8>);
  constexpr auto both_ways = schedule::chimera(network, micro_batches<8>);
  for (const std::size_t replicas : {1u, 2u}) {
    o.replicas = replicas;
    const learned one = learn(network, timetable, train::adamw{.rate = 1e-2f}, o, {.count = 1});
    const learned two = learn(network, both_ways, train::adamw{.rate = 1e-2f}, o, {.count = 1});
    for (const std::size_t processes : {2u, 3u, 4u}) {
      for (const learned& l : learned_by(processes, network, timetable, o)) CHECK(l == one);
      for (const learned& l : learned_by(processes, network, both_ways, o)) CHECK(l == two);
    }
  }
}

TEST_CASE("gradients of stages that are done are sent while others run their backward passes") {
  auto o = test::small_options();
  o.replicas = 2;
  o.device_iterations = 1;
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);
  test::in_processes(2, [&](test::thread_process& others) {
    const auto shared = train::share_session<train::precision<>>(others, 2 * timetable.where.ipus);
    run::trace events{1000};
    train::session session{network, timetable, train::adamw{}, o, on::threads{.count = 1, .events = &events, .others = shared.get()}};
    session(test::made_up{session.samples_per_step()});
    REQUIRE(others.first_send.has_value());
    if (others.process() == 0) CHECK(*others.first_send < events.events().back().finish);  // it sends those of the last stages
  });
}

TEST_CASE("concurrent branches in two processes") {
  constexpr auto forked = pipeline(
      input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, stage(block<"a">(nn::conv2d<3, 3>, nn::relu)).ipu<0>(),
      concurrent(stage(block<"b">(nn::flatten, nn::linear<4>)).ipu<1>(), stage(block<"c">(nn::conv2d<2, 3>, nn::flatten, nn::linear<4>)).ipu<2>()),
      stage(block<"d">(nn::add, use<"label">(nn::cross_entropy))).ipu<3>());
  constexpr auto timetable = schedule::grouped(forked, micro_batches<12>);
  const auto o = test::small_options();
  const learned alone = learn(forked, timetable, train::adamw{.rate = 1e-2f}, o, {.count = 1});
  for (const std::size_t processes : {2u, 4u}) {
    for (const learned& l : learned_by(processes, forked, timetable, o)) CHECK(l == alone);
  }
}

TEST_CASE("results that are not gathered are those of the own replicas") {
  auto o = test::small_options();
  o.replicas = 4;
  o.outputs = feed::output_mode::all;
  constexpr auto timetable = schedule::gpipe(network, micro_batches<2>);
  const learned alone = learn(network, timetable, train::adamw{.rate = 1e-2f}, o, {.count = 1});
  std::vector<std::vector<float>> own(2);
  test::in_processes(2, [&](train::other_processes& others) {
    const auto shared = train::share_session<train::precision<>>(others, 4 * timetable.where.ipus);
    own[others.process()] = learn(network, timetable, train::adamw{.rate = 1e-2f}, o, {.count = 1, .others = shared.get()}).losses;
  }, false);
  REQUIRE(own[0].size() == alone.losses.size() / 2);
  for (std::size_t row = 0; row < alone.losses.size(); ++row) CHECK(own[row % 4 / 2][row / 4 * 2 + row % 2] == alone.losses[row]);
}

TEST_CASE("inference by two processes, with a part of a step") {
  const auto model = std::make_shared<train::model<>>(train::initial_model(network, 1));
  constexpr auto timetable = schedule::inference(network, micro_batches<4>);
  const train::options o{.micro_batch = 3, .replicas = 2};
  const test::made_up data{20};
  auto alone = train::inference(network, timetable, model, o, on::threads{.count = 1});
  const std::vector<float> scores = alone(data)[0].values;
  CHECK(scores.size() == 20 * 4);
  test::in_processes(2, [&](train::other_processes& others) {
    const auto shared = train::share_session<train::precision<>>(others, 2 * timetable.where.ipus);
    const auto copy = std::make_shared<train::model<>>(*model);
    auto both = train::inference(network, timetable, copy, o, on::threads{.count = 1, .others = shared.get()});
    if (both(data)[0].values != scores) throw std::runtime_error{"other scores"};
  });
}

TEST_CASE("a pipeline that infers over processes loses nothing where its first stages are some runs ahead") {
  const auto model = std::make_shared<train::model<>>(train::initial_model(network, 1));
  constexpr auto timetable = schedule::inference(network, micro_batches<4>);
  const train::options o{.micro_batch = 3, .device_iterations = 25, .replicas = 2};
  const test::made_up data{3 * 4 * 25 * 2};
  auto alone = train::inference(network, timetable, model, o, on::threads{.count = 1});
  const auto& wanted = alone(data)[0];
  for (const std::size_t processes : {3u, 4u, 8u}) {
    std::vector<std::size_t> rows(processes);
    test::in_processes(processes, [&](train::other_processes& others) {
      const auto shared = train::share_session<train::precision<>>(others, 2 * timetable.where.ipus);
      const auto copy = std::make_shared<train::model<>>(*model);
      auto part = train::inference(network, timetable, copy, o, on::threads{.count = 1, .others = shared.get()});
      for (int step = 0; step < 3; ++step) {
        const auto& mine = part(data)[0];
        rows[others.process()] = mine.size();
        const std::size_t replica = others.process() == train::process_of_lane(3, 8, processes) ? 0 : 1;  // the one whose last stage is here
        for (std::size_t row = 0; row < mine.size(); ++row) {
          if (!std::ranges::equal(mine[row], wanted[2 * row + replica])) throw std::runtime_error{"other scores"};
        }
      }
    }, false);
    std::size_t all = 0;
    for (const std::size_t r : rows) all += r;
    CHECK(all == wanted.size());
  }
}

TEST_CASE("sessions that differ are refused, and more processes than IPUs") {
  constexpr auto timetable = schedule::gpipe(network, micro_batches<2>);
  const auto differ_by = [&](auto change) {
    CHECK_THROWS_WITH(test::in_processes(2, [&](train::other_processes& others) {
      auto o = test::small_options();
      change(o, others.process() == 1);
      const auto shared = train::share_session<train::precision<>>(others, 4);
      train::session session{network, timetable, train::adamw{}, o, on::threads{.others = shared.get()}};
    }), "facts differ");
  };
  differ_by([](train::options& o, bool other) { o.seed = other; });
  differ_by([](train::options& o, bool other) { o.max_grad_norm = other ? 1e-7f : 2e-7f; });
  differ_by([](train::options& o, bool other) { o.scale.factor = other ? 0x1.000002p0f : 1; });
  differ_by([](train::options& o, bool other) { o.scale = {.factor = 4, .automatic = true, .patience = other ? 1u : 2u}; });
  differ_by([](train::options& o, bool other) { o.check_loss = other; });
  CHECK_THROWS_WITH(test::in_processes(3, [](train::other_processes& others) { (void)train::share_session<train::precision<>>(others, 2); }),
                    "ipuflow: 3 processes share a session that has 2 IPUs in all its replicas; start at most as many, or set more replicas");
}

namespace {

/// Plain descent of a user, by a figure that the library does not know.
struct own_descent {
  using state_type = float;
  static constexpr std::size_t states = 1;
  float step_length = 0.01f;
  std::size_t doubles_at = 1000000;

  template <class Number>
  void update(std::span<Number> values, std::span<const float> gradients, std::span<float>, std::size_t step) const {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= static_cast<Number>((step < doubles_at ? 1 : 2) * step_length * gradients[i]);
  }
};

/// The update after which each of so many processes is refused, of which one has another optimiser; 0: none is.
template <class Optimiser, class Change>
std::size_t refused_after(std::size_t processes, bool sharded, const Optimiser& rule, Change change, std::size_t steps = 2) {
  constexpr auto timetable = schedule::gpipe(network, micro_batches<2>);
  auto o = test::small_options(1);
  o.replicas = 4;
  o.shard_optimiser = sharded;
  std::vector<std::size_t> refused(processes);
  test::in_processes(processes, [&](train::other_processes& others) {
    auto mine = rule;
    if (others.process() == processes - 1) change(mine);
    const auto shared = train::share_session<train::precision<>>(others, 4 * timetable.where.ipus);
    train::session session{network, timetable, mine, o, on::threads{.count = 1, .others = shared.get()}};
    const test::made_up data{session.samples_per_step()};
    try {
      for (std::size_t i = 0; i < steps; ++i) session(data);
    } catch (const rejected<train::session_fault>& e) {
      CHECK(e.found().kind == train::session_wrong::weights_differ);
      CHECK(e.found().got == processes - 1);
      CHECK(session.steps() == (e.found().limit - 1) / 2);  // the step is taken back
      refused[others.process()] = e.found().limit;
    }
  });
  for (const std::size_t each : refused) CHECK(each == refused[0]);
  return refused[0];
}

}  // namespace

TEST_CASE("optimisers that differ are refused after the first update that shows it, in all processes") {
  for (const bool sharded : {false, true}) {
    CAPTURE(sharded);
    for (const std::size_t processes : {2u, 3u, 8u}) {
      CAPTURE(processes);
      CHECK(refused_after(processes, sharded, train::adamw{}, [](auto&) {}) == 0);
      CHECK(refused_after(processes, sharded, train::adamw{}, [](auto& rule) { rule.rate = 1.0001e-3f; }) == 1);
      CHECK(refused_after(processes, sharded, train::lamb{}, [](auto& rule) { rule.rate = 2e-3f; }) == 1);
    }
    CHECK(refused_after(2, sharded, train::adamw{}, [](auto& rule) { rule.beta1 = 0.91f; }) > 0);
    CHECK(refused_after(2, sharded, train::adamw{}, [](auto& rule) { rule.weight_decay *= 2; }) > 0);
    CHECK(refused_after(2, sharded, train::adamw{}, [](auto& rule) { rule.rate = train::learning_rate{1e-3f}.then_linear(500); }) > 0);
    CHECK(refused_after(2, sharded, own_descent{}, [](auto& rule) { rule.step_length = 0.02f; }) == 1);
    CHECK(refused_after(2, sharded, own_descent{}, [](auto& rule) { rule.doubles_at = 9; }, 40) == 64);
    const auto grouped = train::in_groups(train::sgd{}, train::parameter_group{train::biases, train::sgd{.rate = 1e-2f}});
    CHECK(refused_after(2, sharded, grouped, [](auto& rule) { rule.others.rate = 2e-2f; }) == 1);
    CHECK(refused_after(2, sharded, grouped, [](auto& rule) { rule.chosen[0].rule.rate = 2e-2f; }) == 1);
  }
}

TEST_CASE("weights that differ from the beginning are refused, too") {
  constexpr auto timetable = schedule::gpipe(network, micro_batches<2>);
  CHECK_THROWS_WITH(test::in_processes(2, [&](train::other_processes& others) {
    const auto shared = train::share_session<train::precision<>>(others, 4);
    const auto begun = std::make_shared<train::model<>>(train::initial_model(network, others.process()));
    train::session session{network, timetable, train::sgd{}, test::small_options(), begun, on::threads{.count = 1, .others = shared.get()}};
    session(test::made_up{session.samples_per_step()});
  }), "ipuflow: process 1 has other weights than process 0 after update 1; begin with the same weights in all processes, and give them one optimiser, "
      "with the same rate and all other figures");
}

namespace {

/// The same samples, but the last one has another label.
class other_label {
 public:
  explicit other_label(const test::made_up& of) : labels_(of.labels().begin(), of.labels().end()), columns_{of.columns()} {
    labels_.back() ^= 1;
    std::get<1>(columns_) = {labels_.data(), labels_.size()};
  }
  std::size_t size() const { return labels_.size(); }
  const auto& columns() const { return columns_; }

 private:
  std::vector<std::uint8_t> labels_;
  std::remove_cvref_t<decltype(std::declval<const test::made_up&>().columns())> columns_;
};

}  // namespace

TEST_CASE("samples that differ are refused in all processes before the step learns from them, and where none compares they are not") {
  constexpr auto timetable = schedule::gpipe(network, micro_batches<2>);
  auto o = test::small_options(1);
  o.replicas = 4;
  for (const std::size_t differs_from : {1u, 3u, 6u}) {  // the step from which on the last process has others
    for (const bool compares : {true, false}) {
      CAPTURE(differs_from);
      CAPTURE(compares);
      const std::size_t refused_in = differs_from <= 4 ? differs_from : 64;
      test::in_processes(3, [&](train::other_processes& others) {
        const auto shared = train::share_session<train::precision<>>(others, 4 * timetable.where.ipus);
        train::session session{network, timetable, train::sgd{}, o, on::threads{.count = 1, .others = shared.get()}};
        const test::made_up data{session.samples_per_step()};
        const other_label changed{data};
        std::size_t step = 0;
        try {
          while (++step <= (compares ? 64u : 8u)) others.process() == 2 && step >= differs_from ? session(changed) : session(data);
          CHECK(!compares);
        } catch (const rejected<train::session_fault>& e) {
          CHECK(compares);
          CHECK(e.found().kind == train::session_wrong::samples_differ);
          CHECK(e.found().got == 2);
          CHECK(e.found().limit == refused_in);
          CHECK(step == refused_in);
          CHECK(session.steps() == refused_in - 1);  // the step is taken back
        }
      }, true, compares);
    }
  }
}

TEST_CASE("who was given other samples is told in which step") {
  constexpr auto timetable = schedule::gpipe(network, micro_batches<2>);
  CHECK_THROWS_WITH(test::in_processes(2, [&](train::other_processes& others) {
    const auto shared = train::share_session<train::precision<>>(others, 4);
    train::session session{network, timetable, train::sgd{}, test::small_options(), on::threads{.count = 1, .others = shared.get()}};
    session(test::made_up{session.samples_per_step(), 7 + others.process()});
  }), "ipuflow: process 1 was given other samples than process 0 in step 1; give all processes the same, as loaders with one seed do, or say "
      "compares_samples = false if each fills in those of its own IPUs alone");
}

TEST_CASE("lanes are dealt out whole replicas by their work, else neighbours together") {
  constexpr auto timetable = schedule::gpipe(network, micro_batches<4>);
  const std::vector<std::size_t> work{9, 1, 1, 1};
  CHECK(train::impl::deal_lanes_here(timetable, 2, {4, 8}, work) == run::dealt{{4}, {5, 6, 7}});
  CHECK(train::impl::deal_lanes_here(timetable, 2, {2, 6}, work) == run::dealt{{2, 3}, {4, 5}});
}

}  // namespace share_session_test
