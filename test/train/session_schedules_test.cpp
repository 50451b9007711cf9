// SPDX-License-Identifier: BSL-1.0
// What a network learns does not depend on the schedule, on threads, on recomputation or on how blocks are grouped:
// weights and running statistics are equal bit for bit.
#include "small_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace session_schedules_test {

using namespace ipuflow;

namespace {

constexpr auto loop = regroup(test::small_network, stage<"a">().ipu<0>(), stage<"b">().ipu<1>(), stage<"c">().ipu<0>(),
                              stage<"d">().ipu<1>());

const train::model<>& expected() {
  static const train::model<> m = test::trained(
      test::small_network, schedule::sequential(test::small_network, micro_batches<16>), test::small_options());
  return m;
}

/// True if each stage is on one IPU, which adds up its gradients in the order of micro-batches.
template <class T>
bool adds_up_in_order(const T& t) {
  if (t.where.directions() != 1) return false;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::vector<std::size_t> next(t.where.stages, 0);
    for (auto w = t.walk(ipu); w; ++w) {
      if (w->kind != schedule::pass::backward && w->kind != schedule::pass::backward_weights) continue;
      if (w->micro_batch != next[w->stage]++) return false;
    }
  }
  return true;
}

/// Trains by every schedule of the library that allows these sizes, and gives the numbers of schedules in order and out of order.
template <class P>
std::pair<std::size_t, std::size_t> check_all(const P& pipeline, const schedule::setup& asked) {
  std::size_t in_order = 0, out_of_order = 0;
  for (const std::string_view name : schedule::schedule_names) {
    CAPTURE(std::string{name});
    schedule::with_schedule(name, asked, [&](const auto& t) {
      if (t.refused || t.run_for == mode::inference || t.where.stages != P::stage_count) return;
      const train::model<> found = test::trained(pipeline, t, test::small_options(), {.count = 1});
      for (const std::size_t threads : {2u, 4u, 8u}) {
        CAPTURE(threads);
        CHECK(test::trained(pipeline, t, test::small_options(), {.count = threads}) == found);
      }
      if (adds_up_in_order(t)) {
        ++in_order;
        CHECK(found == expected());
      } else {
        ++out_of_order;
        double apart = 0;
        for (std::size_t i = 0; i < found.values.size(); ++i)
          apart = std::max(apart, std::abs(static_cast<double>(found.values[i] - expected().values[i])));
        CHECK(apart < 1e-2);
        CHECK(apart > 0);
      }
    });
  }
  return {in_order, out_of_order};
}

}  // namespace

// Where gradients are added up in another order, rounding differs: nearly the same, and the same on any number of threads.
TEST_CASE("every schedule with a stage on each IPU") {
  const auto [in_order, out_of_order] = check_all(test::small_network, schedule::setup_of(test::small_network, 16));
  CHECK(in_order >= 11);
  CHECK(out_of_order >= 3);  // two directions, or the last micro-batch first
}

TEST_CASE("every schedule with several stages on an IPU") {
  const auto [in_order, out_of_order] = check_all(loop, schedule::setup{2, 2, 16});
  CHECK(in_order >= 10);
  CHECK(out_of_order >= 1);
}

TEST_CASE("with activations recomputed") {
  auto o = test::small_options();
  for (const std::size_t threads : {1u, 2u, 4u}) {
    CHECK(test::trained(test::small_network,
                        schedule::grouped(test::small_network, micro_batches<16>,
                                          {.recompute = schedule::recomputation::automatic}),
                        o, {.count = threads}) == expected());
  }
}

TEST_CASE("with checkpoints: the same weights and running statistics from less memory") {
  constexpr auto deep =
      pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
               block<"a">(nn::conv2d<3, 3>, nn::batch_norm, nn::relu, nn::conv2d<3, 1>, nn::tanh, nn::conv2d<3, 1>,
                          nn::relu, nn::checkpoint, nn::conv2d<3, 1>, nn::batch_norm, nn::tanh, nn::conv2d<3, 1>,
                          nn::relu, nn::conv2d<1, 1>, nn::tanh),
               block<"b">(nn::flatten, nn::linear<8>, nn::tanh, keep<"skip">, nn::dropout<0.25>, nn::relu,
                          nn::linear<8>, nn::tanh, nn::linear<8>, nn::tanh, nn::checkpoint, nn::linear<8>,
                          nn::dropout<0.25>, nn::tanh, nn::linear<8>, nn::tanh, use<"skip">(nn::add)),
               block<"c">(nn::linear<8>, nn::tanh, nn::linear<8>, nn::tanh, nn::checkpoint, use<"skip">(nn::add),
                          nn::linear<8>, nn::tanh, nn::linear<4>, use<"label">(nn::cross_entropy)));
  using schedule::recomputation;
  const auto train = [&](const auto& timetable, std::size_t threads) {
    auto o = test::small_options();
    train::session session{deep, timetable, train::adamw{.rate = 1e-2f}, o, on::threads{.count = threads}};
    const auto learned = test::train_for(session);
    return std::tuple{learned, session.stash_bytes(0), session.stash_bytes(1), session.stash_bytes(2)};
  };
  const auto kept = train(schedule::grouped(deep, micro_batches<12>), 1);
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const auto before =
        train(schedule::grouped(deep, micro_batches<12>, {.recompute = recomputation::automatic}), threads);
    const auto within =
        train(schedule::grouped(deep, micro_batches<12>, {.recompute = recomputation::and_backpropagate}), threads);
    CHECK(std::get<0>(before) == std::get<0>(kept));
    CHECK(std::get<0>(within) == std::get<0>(kept));
    CHECK(2 * std::get<1>(within) < std::get<1>(kept));
    CHECK(std::get<1>(within) < std::get<1>(before));
    CHECK(std::get<2>(within) < std::get<2>(kept));
    if (threads > 1) continue;
    MESSAGE("bytes of stage 0: " << std::get<1>(kept) << ", made again before the backward " << std::get<1>(before)
                                 << ", segment by segment " << std::get<1>(within));
  }
  for (const std::size_t threads : {1u, 2u}) {
    const auto one = train(schedule::sharded(deep, micro_batches<12>, recomputation::automatic), threads);
    CHECK(std::get<0>(one) == std::get<0>(kept));
  }
}

TEST_CASE("Any stages recompute within their backwards, under every schedule: the same bits from smaller stashes") {
  const auto learned = [](const auto& t, const schedule::stage_set& again, std::size_t threads) {
    auto o = test::small_options();
    o.recompute = again;
    train::session session{test::small_network, t, train::adamw{.rate = 1e-2f}, o, on::threads{.count = threads}};
    std::vector<std::size_t> bytes;
    const auto model = test::train_for(session);
    for (std::size_t s = 0; s < 4; ++s) bytes.push_back(session.stash_bytes(s));
    return std::pair{model, bytes};
  };
  std::size_t smaller = 0;
  for (const std::string_view name : schedule::schedule_names) {
    CAPTURE(std::string{name});
    schedule::with_schedule(name, schedule::setup_of(test::small_network, 8), [&](const auto& t) {
      if (t.refused || t.run_for == mode::inference || t.where.stages != 4) return;
      const auto kept = learned(t, {}, 1);
      for (const schedule::stage_set& again : {schedule::stage_set{0}, schedule::stage_set{1, 3}, schedule::all_stages}) {
        for (const std::size_t threads : {1u, 2u}) {
          const auto found = learned(t, again, threads);
          CHECK(found.first == kept.first);
          for (std::size_t s = 0; s < 4; ++s) {
            if (!again.has(s)) CHECK(found.second[s] == kept.second[s]);
            smaller += found.second[s] < kept.second[s] ? 1u : 0u;
          }
        }
      }
    });
  }
  CHECK(smaller >= 40);  // of few values that wait, those of the one that is made again are more
  const auto gpipe = schedule::gpipe(test::small_network, micro_batches<8>);  // micro-batches wait for its last stage, too
  for (std::size_t s = 0; s < 4; ++s) CHECK(learned(gpipe, {s}, 1).second[s] < learned(gpipe, {}, 1).second[s]);
  auto o = test::small_options();
  o.recompute = {1, 4};
  CHECK_THROWS_WITH((train::session{test::small_network, gpipe, train::sgd{}, o}),
                    "ipuflow: stage 4 is named of 4 stages; name stages from 0 on, or all_stages");
}

TEST_CASE("the same blocks in two stages") {
  auto o = test::small_options();
  constexpr auto halves = regroup(test::small_network, stage<"a", "b", "c">().ipu<0>(), stage<"d">().ipu<1>());
  CHECK(test::trained(halves, schedule::grouped(halves, micro_batches<16>), o, {.count = 2}) == expected());
}

TEST_CASE("gradients that are shortened are the same for all schedules and threads, and as long as they may be") {
  auto o = test::small_options();
  const auto learned = [&](const auto& timetable, std::size_t threads) {
    train::session session{test::small_network, timetable, train::adamw{.rate = 1e-2f}, o, on::threads{.count = threads}};
    const auto made = test::train_for(session);
    double squares = 0;
    for (const float g : session.gradients()) squares += static_cast<double>(g) * static_cast<double>(g);
    CHECK(std::sqrt(squares) == doctest::Approx(static_cast<double>(o.max_grad_norm)).epsilon(1e-5));
    return made;
  };
  o.max_grad_norm = 0.05f;
  const auto wanted = learned(schedule::sequential(test::small_network, micro_batches<16>), 1);
  CHECK(wanted != expected());
  for (const std::size_t threads : {1u, 2u, 4u}) {
    CHECK(learned(schedule::grouped(test::small_network, micro_batches<16>), threads) == wanted);
    CHECK(learned(schedule::one_f_one_b(test::small_network, micro_batches<16>), threads) == wanted);
    CHECK(learned(schedule::zb1p(test::small_network, micro_batches<16>), threads) == wanted);
  }
}

}  // namespace session_schedules_test
