// SPDX-License-Identifier: BSL-1.0
#include "../ipu/said.hpp"
#include "chips_check.hpp"

#include <ipuflow/train/named_tensors.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/lars.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace on_chips_test {

using namespace ipuflow;

namespace {

train::options with(auto change) {
  train::options o = test::small_options(3);
  change(o);
  return o;
}

const auto& four() {
  static const schedule::table t = schedule::tabulate(schedule::grouped(test::small_network, micro_batches<8>));
  return t;
}

/// Descends by gradients and a little noise, of which it remembers the generator of each parameter. It is written for floats alone.
struct shaken {
  using state_type = std::uint32_t;
  static constexpr std::size_t states = 1;

  void update(std::span<float> parameters, std::span<const float> gradients, std::span<std::uint32_t> state, std::size_t) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      state[i] = state[i] * 1664525u + 1013904223u;
      parameters[i] -= 0.01f * (gradients[i] + 0x1p-32f * static_cast<float>(state[i] * 69069u));
    }
  }
};

}  // namespace

TEST_CASE("A session on tiles gives the results and learns the model of one on threads, whatever comes back") {
  for (const auto mode : {feed::output_mode::all, feed::output_mode::final, feed::output_mode::sum})
    test::check_on_chips(test::small_network, four(), with([&](auto& o) { o.outputs = mode; }));
  test::check_on_chips(test::small_network, four(), with([](auto& o) {
                         o.outputs = feed::output_mode::every_n;
                         o.output_period = 2;
                       }));
  test::check_on_chips(test::small_network, schedule::grouped(test::small_network, micro_batches<8>), with([](auto& o) {
                         o.device_iterations = 3;
                         o.outputs = feed::output_mode::every_n;
                         o.output_period = 3;  // which does not divide the micro-batches of a run
                       }));
}

TEST_CASE("Gradients are added up as asked for, over micro-batches and replicas; dropout counts through all of them") {
  for (const auto how : {train::reduction::sum, train::reduction::mean, train::reduction::running_mean}) {
    test::check_on_chips(test::small_network, four(), with([&](auto& o) { o.gradients = how; }));
    test::check_on_chips(test::small_network, four(), with([&](auto& o) {
                           o.gradients = how;
                           o.replicas = 2;
                           o.outputs = feed::output_mode::all;
                         }));
  }
  test::check_on_chips(test::small_network, four(), with([](auto& o) { o.scale.factor = 1024; }));
}

TEST_CASE(
    "The optimiser's state may be sharded over replicas, or live off the chips, or both; weights and stashes too") {
  const on::chips off{.optimiser_state = run::kept_in::streaming_memory};
  const auto shards = with([](auto& o) {
    o.replicas = 2;
    o.shard_optimiser = true;
  });
  test::check_on_chips(test::small_network, four(), shards);
  test::check_on_chips(test::small_network, four(), with([](auto&) {}), off);
  test::check_on_chips(test::small_network, four(), shards, off);
  test::check_on_chips(
      test::small_network, four(), with([](auto&) {}),
      {.activations = run::kept_in::streaming_memory, .weights = run::kept_in::streaming_memory});
}

TEST_CASE("Small tensors may stay whole where others are sharded: the same learning, and the state of both kinds") {
  for (const float most : {0.125f, std::numeric_limits<float>::infinity()}) {
    const auto shards = [&](std::size_t at_least) {
      return with([&](auto& o) {
        o.replicas = 2;
        o.shard_optimiser = true;
        o.shard_at_least = at_least;
        o.max_grad_norm = most;
      });
    };
    test::check_on_chips(test::small_network, four(), shards(30));
    test::check_on_chips(test::small_network, four(), shards(30), {}, 2e-5, train::lamb{.rate = 1e-2f, .epsilon = 1e-3f});
    const auto numbers = [&](const train::options& o) {
      train::session s{test::small_network, four(), train::adamw{}, o, on::chips{.system = test::small_system(8)}};
      std::size_t sum = 0;
      for (const auto& stage : s.stages()) {
        for (const ipu::variable_id v : stage.update.state) sum += s.program().graph()[v].elements();
      }
      return sum;
    };
    std::size_t all = 0;
    std::size_t some = 0;
    for (const train::named_tensor& t : train::named_tensors(test::small_network)) {
      all += 2 * t.count;
      some += 2 * (t.count < 30 ? t.count : (t.count + 1) / 2);
    }
    CHECK(numbers(shards(30)) == some);
    CHECK(numbers(shards(1 << 20)) == all);
  }
}

TEST_CASE("Gradients may be added up off the chips, whoever looks at them before the update") {
  const on::chips off{.accumulators = run::kept_in::streaming_memory};
  test::check_on_chips(test::small_network, four(), with([](auto&) {}), off);
  test::check_on_chips(test::small_network, schedule::chimera(schedule::setup{4, 0, 8}), with([](auto&) {}), off);
  test::check_on_chips(test::small_network, four(), with([](auto& o) {
                         o.replicas = 2;
                         o.shard_optimiser = true;
                         o.max_grad_norm = 0.125f;
                       }), off);
}

TEST_CASE("Optimisers that look at tensors as a whole get them whole") {
  test::check_on_chips(test::small_network, four(), with([](auto&) {}), {}, 2e-5,
                       train::lamb{.rate = 1e-2f, .epsilon = 1e-3f});
}

TEST_CASE("Gradients of all stages together have the length that they may have, on tiles, over replicas and shards") {
  for (const bool shards : {false, true}) {
    const auto o = with([&](auto& all) {
      all.max_grad_norm = 0.125f;
      all.device_iterations = 1;
      all.replicas = shards ? 2 : 1;
      all.shard_optimiser = shards;
      all.scale.factor = 1024;
    });
    const train::sgd rule{.rate = 1};
    test::check_on_chips(test::small_network, four(), o, {}, 2e-5, rule);
    train::session s{test::small_network, four(), rule, o, on::chips{.system = test::small_system(8)}};
    const std::vector<float> before = s.parameters()->values;
    s(test::made_up{s.samples_per_step()});
    double squares = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double moved = static_cast<double>(s.parameters()->values[i]) - static_cast<double>(before[i]);
      squares += moved * moved;
    }
    CHECK(std::sqrt(squares) == doctest::Approx(0.125).epsilon(1e-3));
  }
  test::check_on_chips(test::small_network, schedule::dualpipe(test::small_network, micro_batches<8>),
                       with([](auto& o) { o.max_grad_norm = 0.125f; }), {}, 2e-5, train::sgd{.rate = 0.1f});
}

TEST_CASE("A limit that gradients keep changes nothing") {
  const auto learned = [](float most) {
    train::session s{test::small_network, four(), train::adamw{}, with([&](auto& o) { o.max_grad_norm = most; }),
                     on::chips{.system = test::small_system(4)}};
    return test::train_for(s, 1);
  };
  CHECK(learned(1e6f) == learned(train::options{}.max_grad_norm));
}

TEST_CASE("Groups of parameters have their own figures on tiles too") {
  const train::adamw rule{.rate = 1e-2f, .epsilon = 1e-3f};
  train::adamw still = rule, quick = rule;
  still.weight_decay = 0;
  quick.rate = 3e-2f;
  test::check_on_chips(test::small_network, four(), with([](auto&) {}), {}, 2e-5,
                       train::in_groups(rule, train::parameter_group{train::biases, still},
                                        train::parameter_group{train::of_block<"b">, quick}));
}

TEST_CASE("LARS with biases at the rate as it is, over replicas that share what it remembers") {
  const train::lars rule{.rate = 20.0f, .trust = 0.01f};
  const train::lars plain{.rate = 0.1f, .by_length = false};
  const auto groups = train::in_groups(rule, train::parameter_group{train::biases, plain});
  test::check_on_chips(test::small_network, four(), with([](auto&) {}), {}, 2e-5, groups);
  const auto shards = with([](auto& o) {
    o.replicas = 2;
    o.shard_optimiser = true;
  });
  test::check_on_chips(test::small_network, four(), shards, {}, 2e-5, groups);
}

TEST_CASE("Numbers of the optimiser's state may differ in type, on tiles, over replicas and off the chips") {
  const train::basic_adam<train::decay::decoupled, half, float> mixed{.rate = 1e-2f, .epsilon = 1e-3f, .bias_correction = false};
  const on::chips off{.optimiser_state = run::kept_in::streaming_memory};
  const auto shards = with([](auto& o) {
    o.replicas = 2;
    o.shard_optimiser = true;
  });
  test::check_on_chips(test::small_network, four(), with([](auto&) {}), {}, 1e-3, mixed);
  test::check_on_chips(test::small_network, four(), shards, off, 1e-3, mixed);
}

TEST_CASE("State off the chips: less memory, more cycles, by as many bytes as the optimiser remembers") {
  const auto o = with([](auto&) {});
  const auto costs = [&](run::kept_in where) {
    const train::session s{test::small_network, four(), train::adamw{}, o,
                           on::chips{.system = test::small_system(4), .optimiser_state = where}};
    return s.cost();
  };
  const auto always = [](const run::chips_profile& p) {
    std::uint64_t sum = 0;
    for (const ipu::tile_memory& t : p.chips.memory.tiles) sum += t[ipu::memory_category::always_live];
    return sum;
  };
  const run::chips_profile here = costs(run::kept_in::tiles), away = costs(run::kept_in::streaming_memory);
  CHECK(away.chips.total > here.chips.total);
  CHECK(always(here) - always(away) ==
        2 * sizeof(float) * train::impl::offsets_of<std::remove_const_t<decltype(test::small_network)>>.all_values());
}

TEST_CASE("Using a model on tiles gives what using it on threads gives, of a part of a step too") {
  train::options o = test::small_options(3);
  const auto t = schedule::tabulate(schedule::inference(schedule::setup_of(test::small_network, 6, mode::inference)));
  auto model = std::make_shared<train::model<>>(train::initial_model(test::small_network, 4));
  for (std::size_t i = 0; i < model->state.size(); ++i) model->state[i] = 0.5f + static_cast<float>(i % 3);
  auto host = train::inference(test::small_network, t, model, o);
  auto tiles = train::inference(test::small_network, t, model, o,
                                on::chips{.system = test::small_system(4), .checked = true});
  for (const std::size_t samples : {host.samples_per_step(), std::size_t{10}, std::size_t{1}}) {
    const test::made_up data{samples};
    const auto& wanted = host(data);
    const auto& got = tiles(data);
    for (std::size_t c = 0; c < wanted.size(); ++c) CHECK(test::farthest(got[c].values, wanted[c].values) < 2e-5);
  }
  CHECK(tiles.updates() == 0);
}

TEST_CASE("Transfers on tiles of their own change no number") {
  auto o = with([](auto& all) { all.outputs = feed::output_mode::all; });
  constexpr auto alone = regroup(test::small_network, stage<"a", "b", "c", "d">().ipu<0>());
  const auto t = schedule::sharded(schedule::setup{.ipus = 1, .micro_batches = 4});
  test::check_on_chips(alone, t, o, {.io_tiles = 4});
  test::check_on_chips(test::small_network,
                       schedule::grouped(test::small_network, micro_batches<16>, {.io_tiles = true}), o,
                       {.io_tiles = 4});
}

TEST_CASE("Halves on tiles are halves on threads to about eleven bits, parameters rounded at random with its numbers") {
  constexpr auto coarse = pipeline(
      input<half, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::conv2d<3, 3>, nn::relu),
      block<"b">(nn::flatten, nn::linear<8>, nn::tanh), block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  auto o = with([](auto& all) {
    all.parameters = train::rounding::stochastic;
    all.outputs = feed::output_mode::all;
  });
  const schedule::table t = schedule::tabulate(schedule::grouped(coarse, micro_batches<6>));
  auto host = train::session(coarse, t, train::sgd{.rate = 0.05f}, o, train::precision<float, half>{});
  auto tiles = train::session(coarse, t, train::sgd{.rate = 0.05f}, o, train::precision<float, half>{},
                              on::chips{.system = test::small_system(3), .checked = true});
  test::check_steps(host, tiles, 2, 1e-2);
  for (const float v : tiles.parameters()->values) CHECK(static_cast<float>(half{v}) == v);
}

TEST_CASE("A model that has become one of another network is refused, on tiles too") {
  train::session tiles{test::small_network, schedule::sequential(test::small_network, micro_batches<2>), train::sgd{}, test::small_options(),
                       on::chips{.system = test::small_system(4)}};
  const test::made_up data{tiles.samples_per_step()};
  tiles.parameters()->values.resize(3);
  CHECK_THROWS_AS(tiles(data), rejected<train::model_fault>);
}

TEST_CASE("A step that fails leaves model and optimiser as they were: the next one goes on as if nothing had been") {
  const auto o = with([](auto& all) {
    all.replicas = 2;
    all.shard_optimiser = true;
  });
  for (const auto where : {run::kept_in::tiles, run::kept_in::streaming_memory}) {
    const on::chips chips{.system = test::small_system(8), .optimiser_state = where};
    train::session s{test::small_network, four(), train::adamw{}, o, chips};
    train::session unharmed{test::small_network, four(), train::adamw{}, o, chips};
    const test::made_up first{s.samples_per_step()}, second{s.samples_per_step(), 9};
    s(first);
    unharmed(first);
    const train::model<> before = *s.parameters();
    test::made_up wrong{s.samples_per_step()};
    const_cast<std::uint8_t&>(wrong.labels()[3]) = 77;  // the test's own data, which nobody else sees
    CHECK(said_by([&] { s(wrong); }).find("has label 77 but the network has 4 classes") != std::string::npos);
    CHECK(*s.parameters() == before);
    s(second);
    unharmed(second);
    CHECK(*s.parameters() == *unharmed.parameters());
    CHECK(*s.parameters() != before);
  }
}

TEST_CASE("State of whole numbers is what it was after a step that fails, however large its numbers are") {
  for (const auto where : {run::kept_in::tiles, run::kept_in::streaming_memory}) {
    const on::chips chips{.system = test::small_system(4), .optimiser_state = where};
    train::session s{test::small_network, four(), shaken{}, with([](auto&) {}), chips};
    train::session unharmed{test::small_network, four(), shaken{}, with([](auto&) {}), chips};
    const test::made_up first{s.samples_per_step()}, second{s.samples_per_step(), 9};
    s(first);
    unharmed(first);
    test::made_up wrong{s.samples_per_step()};
    const_cast<std::uint8_t&>(wrong.labels()[3]) = 77;  // the test's own data, which nobody else sees
    CHECK(said_by([&] { s(wrong); }).find("has label 77 but the network has 4 classes") != std::string::npos);
    s(second);
    unharmed(second);
    CHECK(*s.parameters() == *unharmed.parameters());
  }
}

TEST_CASE("An optimiser that is written for floats alone trains on tiles as on threads") {
  test::check_on_chips(test::small_network, four(), with([](auto& o) { o.replicas = 2; }), {}, 2e-5, shaken{});
}

}  // namespace on_chips_test
