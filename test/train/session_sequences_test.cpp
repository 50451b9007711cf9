// SPDX-License-Identifier: BSL-1.0
// A language model learns the same bits by every schedule and on any number of threads, and learns something.
#include "small_gpt.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace session_sequences_test {

using namespace ipuflow;

namespace {

train::options in_micro_batches(std::size_t samples) {
  return {.micro_batch = samples, .device_iterations = 2};
}

template <class T>
train::model<> trained(const T& timetable, std::size_t threads, std::size_t micro_batch = 3) {
  train::session session{test::small_gpt, timetable, train::adamw{.rate = 1e-2f}, in_micro_batches(micro_batch), on::threads{.count = threads}};
  for (std::size_t step = 0; step < 3; ++step) session(test::made_up_texts{session.samples_per_step(), 7 + step});
  return *session.parameters();
}

}  // namespace

TEST_CASE("weights of a language model do not depend on the schedule or on threads") {
  const train::model<> expected = trained(schedule::tabulate(schedule::sequential(test::small_gpt, micro_batches<8>)), 1);
  for (const std::string_view name : {"grouped", "interleaved", "gpipe", "1f1b", "zb1p"}) {
    CAPTURE(std::string{name});
    schedule::with_schedule(name, schedule::setup_of(test::small_gpt, 8), [&](const auto& t) {
      REQUIRE(!t.refused);
      const schedule::table timetable = schedule::tabulate(t);
      for (const std::size_t threads : {1u, 2u, 4u}) CHECK(trained(timetable, threads) == expected);
    });
  }
}

TEST_CASE("it learns which token is next") {
  train::session session{test::small_gpt, schedule::tabulate(schedule::grouped(test::small_gpt, micro_batches<8>)), train::adamw{.rate = 1e-2f},
                         in_micro_batches(8)};
  double first = 0, last = 0;
  for (std::size_t step = 0; step < 60; ++step) {
    const auto& results = session(test::made_up_texts{session.samples_per_step(), 7 + step});
    (step == 0 ? first : last) = static_cast<double>(results.back().values[0]);
  }
  CHECK(first == doctest::Approx(3).epsilon(0.1));  // the logarithm of 20
  CHECK(last < 0.3);
}

TEST_CASE("a regrouped model is the same model") {
  constexpr auto two = regroup(test::small_gpt, stage<"embed", "layer[0]">().ipu<0>(), stage<"layer[1]", "head">().ipu<1>());
  train::session session{two, schedule::tabulate(schedule::one_f_one_b(two, micro_batches<8>)), train::adamw{.rate = 1e-2f}, in_micro_batches(3)};
  for (std::size_t step = 0; step < 3; ++step) session(test::made_up_texts{session.samples_per_step(), 7 + step});
  CHECK(*session.parameters() == trained(schedule::tabulate(schedule::one_f_one_b(test::small_gpt, micro_batches<8>)), 2));
}

}  // namespace session_sequences_test
