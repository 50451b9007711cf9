// SPDX-License-Identifier: BSL-1.0
// The three answers of a closed form agree: what an IPU does in order, what it does at a step, when an operation runs.
#include "every_schedule.hpp"

#include <ipuflow/schedule/forms/modular.hpp>

#include <doctest/doctest.h>

namespace modular_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(closed_form<modular<>> && closed_form<modular<device_map<4>>>);

template <auto Value>
struct as_argument {};
static_assert(std::is_same_v<as_argument<one_f_one_b({.ipus = 4, .micro_batches = 8})>,
                             as_argument<one_f_one_b({.ipus = 4, .micro_batches = 8})>>);

static_assert(modular<>{}.steps() == 0, "nothing runs, so no step does");

TEST_CASE("walk, ops and step_of") {
  every::schedule({.ipus = 6, .chunks = 3, .micro_batches = 16}, [](auto, const setup&, const auto& t) {
    if constexpr (closed_form<std::remove_cvref_t<decltype(t)>> && requires { t.parts; }) {
      std::size_t last = 0;
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        std::size_t ran = 0;
        auto w = t.walk(ipu);
        for (std::size_t step = 0; step < t.steps(); ++step) {
          for (const op& o : t.ops(ipu, step)) {
            REQUIRE(w);
            CHECK(static_cast<const op&>(*w) == o);
            CHECK(w->step == step);
            CHECK(t.step_of(o) == step);
            CHECK(t.where.ipu_of(o.stage, o.micro_batch) == ipu);
            last = step > last ? step : last;
            ++w;
            ++ran;
          }
        }
        CHECK_FALSE(w);
        CHECK(ran == t.count(ipu));
      }
      CHECK(t.steps() == last + 1);
      CHECK(t.ops(0, t.steps()).empty());
    }
  });
}

TEST_CASE("a million micro-batches are answered at once") {
  const auto t = one_f_one_b({.ipus = 64, .micro_batches = 1'000'000});
  CHECK(t.steps() == 2'000'126);
  CHECK(t.ops(63, 2'000'062)[0] == op{pass::backward, 63, 999'999});
  CHECK(t.count(5) == 2'000'000);
}

}  // namespace modular_test
