// SPDX-License-Identifier: BSL-1.0
// Sessions with everything that may fail failing in turn: layers, optimiser, memory, threads. After a step that fails the
// model is what it was, and the next step gives what it gives in a session that never failed.
#include "injection.hpp"

#include "../train/chips_check.hpp"
#include "../train/fragile.hpp"
#include "../train/small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/feed/load.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>

namespace trust_train_test {

using namespace ipuflow;

using fragile_descent = test::fragile_descent<&trust::user_call>;

constexpr auto network = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                  block<"a">(nn::conv2d<2, 3>, nn::relu, nn::flatten), block<"b">(nn::linear<4>),
                                  block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);

train::options small_options() {
  auto o = test::small_options(3);
  o.device_iterations = 1;
  return o;
}

TEST_CASE("a session is made, trains a step and is gone") {
  for (const std::size_t threads : {1u, 3u}) {
    trust::walk_all(("session, " + std::to_string(threads) + " threads").c_str(), [&] {
      train::session session{network, timetable, fragile_descent{}, small_options(), on::threads{.count = threads}};
      const test::made_up data{session.samples_per_step()};
      session(data);
    });
  }
}

TEST_CASE("a step that fails leaves the model as it was, and the next one works") {
  for (const std::size_t threads : {1u, 2u, 3u}) {
    train::session session{network, timetable, fragile_descent{}, small_options(), on::threads{.count = threads}};
    train::session other{network, timetable, fragile_descent{}, small_options(), on::threads{.count = 1}};
    const test::made_up data{session.samples_per_step()};
    auto before = *session.parameters();
    trust::walk_all_of_one(
        ("step, " + std::to_string(threads) + " threads").c_str(),
        [&] {
          before = *session.parameters();
          session(data);
          other(data);  // as often as the other one has succeeded
        },
        [&](bool threw) {
          if (!threw) {
            while (other.updates() < session.updates()) other(data);
            return;
          }
          if (session.updates() > other.updates()) {  // it was `other` that failed
            other(data);
          } else {
            CHECK(*session.parameters() == before);
          }
          session(data);
          other(data);
          CHECK(*session.parameters() == *other.parameters());
        });
    CHECK(*session.parameters() == *other.parameters());
  }
}

TEST_CASE("inference with the trained model") {
  train::session session{network, timetable, fragile_descent{}, small_options()};
  constexpr auto forwards = schedule::inference(network, micro_batches<4>);
  const test::made_up data{session.samples_per_step()};
  trust::walk_all("inference", [&] {
    auto trained = train::inference(network, forwards, session.parameters(), small_options(), on::threads{.count = 2});
    trained(data);
  });
}

TEST_CASE("the same on simulated chips") {
  const auto session_on_chips = [] {
    train::session session{network, timetable, fragile_descent{}, small_options(),
                           on::chips{.system = test::small_system(3)}};
    const test::made_up data{session.samples_per_step()};
    session(data);
  };
  const auto nothing = [](bool) {};
  trust::walk("session on chips", trust::fault::allocation, session_on_chips, nothing, true, trust::far_apart);
  trust::walk("session on chips", trust::fault::call, session_on_chips, nothing);
}

std::stop_source* to_stop = nullptr;

/// Hands on what it is given; forward and backward are places at which a step may be stopped.
struct watched_t {};
inline constexpr watched_t watched{};
void may_stop() {
  if (trust::ends_here()) to_stop->request_stop();
}
template <element E, std::size_t... Extent>
constexpr tensor<E, Extent...> output_of(watched_t, tensor<E, Extent...>) {
  return {};
}
template <element E, std::size_t... Extent>
constexpr nn::layer_facts facts(watched_t, tensor<E, Extent...>) {
  return {.whole_batch = true, .inputs_need_input = false};
}
template <class T, class Shape>
void forward(watched_t, nn::forward_pass<T, nn::in<Shape>, nn::out<Shape>> pass) {
  may_stop();
  const auto [x] = pass.in;
  std::copy_n(x.data, x.size(), get<0>(pass.out).data);
}
template <class T, class Shape>
void backward_inputs(watched_t, nn::inputs_pass<T, nn::in<Shape>, nn::out<Shape>> pass) {
  may_stop();
  const auto [d_y] = pass.d_out;
  std::copy_n(d_y.data, d_y.size(), get<0>(pass.d_in).data);
}

constexpr auto watched_network =
    pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::flatten, nn::linear<5>, watched),
             block<"b">(nn::linear<4>, watched), block<"c">(nn::linear<4>, watched),
             block<"d">(watched, nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto watched_loop = regroup(watched_network, stage<"a">().ipu<0>(), stage<"b">().ipu<1>(), stage<"c">().ipu<0>(),
                                      stage<"d">().ipu<1>());

TEST_CASE("a step is stopped at every call, under every schedule") {
  std::size_t schedules = 0, stopped = 0;
  const auto with = [&](std::string_view name, const auto& p, const schedule::setup& asked) {
    schedule::with_schedule(name, asked, [&](const auto& t) {
      if (t.refused || t.run_for == mode::inference || t.where.stages != 4) return;
      ++schedules;
      for (std::size_t threads = 1; threads <= 4; ++threads) {
        const std::string what = std::string{name} + " on " + std::to_string(asked.ipus) + ", " + std::to_string(threads) + " threads";
        std::optional<train::model<>> whole;  // what a step that is not stopped makes
        trust::walk(what.c_str(), trust::fault::end, [&] {
          std::stop_source stop;
          to_stop = &stop;
          train::session session{p, schedule::any_timetable{t}, train::sgd{}, small_options(),
                                 on::threads{.count = threads, .stop = stop.get_token()}};
          const test::made_up data{session.samples_per_step()};
          const train::model<> before = *session.parameters();
          try {
            session(data);
            if (!whole) whole = *session.parameters();
            CHECK(*session.parameters() == *whole);
          } catch (const rejected<train::session_fault>& e) {
            CHECK(e.found().kind == train::session_wrong::stopped);
            CHECK(stop.stop_requested());
            ++stopped;
            CHECK(*session.parameters() == before);
          }
        }, [](bool) {}, true, trust::far_apart > 1 ? 11 : 1);
      }
    });
  };
  for (const std::string_view name : schedule::schedule_names) {
    with(name, watched_network, schedule::setup_of(watched_network, 4));
    with(name, watched_loop, schedule::setup{.ipus = 2, .stages_per_ipu = 2, .micro_batches = 4});
  }
  CHECK(schedules >= 20);
  CHECK(stopped > (trust::far_apart > 1 ? 200 : 2000));
}

/// Samples that a loader's workers make.
struct made_by_workers {
  std::size_t size() const { return 48; }
  std::tuple<std::array<float, 36>, std::uint8_t> operator[](std::size_t i) const {
    std::array<float, 36> x{};
    for (std::size_t k = 0; k < 36; ++k) x[k] = 2 * nn::random_unit(i, k) - 1;
    return {x, static_cast<std::uint8_t>(i % 4)};
  }
};

TEST_CASE("a session is destroyed at every call, while a loader works for it") {
  for (std::size_t workers = 1; workers <= 4; ++workers) {
    for (const bool loader_first : {false, true}) {
      const std::string what = std::string{"session and loader, "} + std::to_string(workers) + " workers, " +
                               (loader_first ? "the loader goes first" : "the session goes first");
      trust::walk(what.c_str(), trust::fault::end, [&] {
        std::stop_source stop;
        to_stop = &stop;
        using loader = decltype(feed::load(made_by_workers{}, 12));
        std::optional<loader> last, first;
        {
          train::session session{watched_network, schedule::one_f_one_b(watched_network, micro_batches<4>), train::sgd{}, small_options(),
                                 on::threads{.count = 2}};
          loader& steps = (loader_first ? first : last).emplace(feed::load(made_by_workers{}, session.samples_per_step(), {.workers = workers}));
          for (auto&& step : steps) {
            session(step);
            if (stop.stop_requested()) break;
          }
          first.reset();
        }
      }, [](bool) {}, true, trust::far_apart > 1 ? 23 : 5);
    }
  }
}

}  // namespace trust_train_test
