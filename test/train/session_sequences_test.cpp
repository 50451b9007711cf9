// SPDX-License-Identifier: BSL-1.0
// A language model learns the same bits by every schedule and on any number of threads, and learns something.
#include "small_gpt.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

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

namespace {

/// Rows of numbers that enter as a sequence.
class made_up_rows {
 public:
  explicit made_up_rows(std::size_t count) : numbers_(count * 32) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = static_cast<float>(nn::random_bits(5, i) % 1000) / 500 - 1;
    columns_ = {{numbers_.data(), count, 32}};
  }
  std::size_t size() const { return numbers_.size() / 32; }
  const auto& columns() const { return columns_; }

 private:
  std::vector<float> numbers_;
  std::tuple<feed::column_view<std::span<const float>>> columns_;
};

/// What a sample becomes does not depend on how many go with it, nor on what a micro-batch before had in their places.
template <class P>
void check_rows(const P& rows) {
  const auto model = std::make_shared<train::model<>>(train::initial_model(rows, 3));
  const auto outputs = [&](std::size_t micro_batch, std::size_t samples) {
    auto session = train::inference(rows, schedule::tabulate(schedule::sequential(inference(rows), micro_batches<4>)), model,
                                    train::options{.micro_batch = micro_batch});
    std::vector<float> made;
    const made_up_rows full(session.samples_per_step()), some(samples);
    session(full);
    made = session(some)[0].values;
    made.resize(samples * 12);
    return made;
  };
  const std::vector<float> alone = outputs(1, 3);
  for (const std::size_t micro_batch : {std::size_t{1}, std::size_t{3}, std::size_t{4}, nn::lane_count + 1}) {
    const std::vector<float> together = outputs(micro_batch, 3);
    for (std::size_t i = 0; i < alone.size(); ++i) CHECK(together[i] == doctest::Approx(alone[i]).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("real sequences enter in micro-batches that fill no vector, and in steps that are not full") {
  check_rows(pipeline(input<float, 4, 8>, block<"mix">(nn::linear<3>), block<"say">(nn::tanh)));
  check_rows(pipeline(input<half, 4, 8>, block<"mix">(nn::linear<3>), block<"say">(nn::tanh)));
}

}  // namespace session_sequences_test
