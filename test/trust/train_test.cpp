// SPDX-License-Identifier: BSL-1.0
// Sessions with everything that may fail failing in turn: layers, optimiser, memory, threads. After a step that fails the
// model is what it was, and the next step gives what it gives in a session that never failed.
#include "injection.hpp"

#include "../train/chips_check.hpp"
#include "../train/small_network.hpp"

#include <ipuflow/chips.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace trust_train_test {

using namespace ipuflow;

/// Plain descent, unless it is its turn to throw.
struct fragile_descent {
  using state_type = float;
  static constexpr std::size_t states = 1;
  static constexpr std::size_t operations = 4;

  template <class Number>
  void update(std::span<Number> values, std::span<const float> gradients, std::span<float> state, std::size_t) const {
    trust::user_call();
    for (std::size_t i = 0; i < values.size(); ++i) {
      state[i] = 0.5f * state[i] + gradients[i];
      values[i] = static_cast<Number>(values[i] - 0.01f * state[i]);
    }
  }
};

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

}  // namespace trust_train_test
