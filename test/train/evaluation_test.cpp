// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/evaluation.hpp>

#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/session.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <tuple>
#include <vector>

namespace evaluation_test {

using namespace ipuflow;

namespace {

const train::result_column predictions{{0, 2, 1, 5, 4, 3, -3, -2, -1}, 3};  // the largest are 1, 0, 2

std::size_t right(std::span<const std::uint8_t> labels) { return train::count_right(predictions, labels, 3); }

}  // namespace

TEST_CASE("a prediction is right if its largest number is at the label") {
  CHECK(right(std::array<std::uint8_t, 3>{1, 0, 2}) == 3);
  CHECK(right(std::array<std::uint8_t, 3>{1, 1, 2}) == 2);
}

TEST_CASE("predictions of the last samples alone are compared with the last labels") {
  CHECK(right(std::array<std::uint8_t, 5>{0, 0, 1, 0, 2}) == 3);
}

namespace {

/// Predictions are the inputs; there is nothing to train.
constexpr auto pointing = single_stage(input<float, 3>, per_sample<"label", std::uint8_t>,
                                       block<"b">(nn::relu, use<"label">(nn::cross_entropy)));

/// A step whose predictions are its inputs: 24 samples, of which every third is wrong.
struct known_step {
  std::vector<float> x = std::vector<float>(72);
  std::vector<std::uint8_t> labels = std::vector<std::uint8_t>(24);

  known_step() {
    for (std::size_t i = 0; i < 24; ++i) {
      labels[i] = static_cast<std::uint8_t>(i % 2);
      x[3 * i + (i % 3 == 0 ? 2 : i % 2)] = 1;
    }
  }
  std::size_t size() const { return 24; }
  std::tuple<feed::column_view<std::span<const float, 3>>, feed::column_view<std::uint8_t>> columns() const {
    return {{x.data(), 24}, {labels.data(), 24}};
  }
};

/// The samples of a micro-batch of 2 whose place in the step is given, compared by hand.
train::compared by_hand(std::initializer_list<std::size_t> places) {
  train::compared all;
  for (const std::size_t place : places) {
    for (const std::size_t i : {2 * place, 2 * place + 1}) {
      ++all.samples;
      all.right += i % 3 != 0;
    }
  }
  return all;
}

template <class Timetable>
train::compared accuracy_of(const Timetable& timetable, const train::options& o) {
  static const known_step data;
  train::session session{pointing, timetable, train::sgd{.rate = 0}, o};
  REQUIRE(session.samples_per_step() == 24);
  const auto& results = session(data);
  train::score score;
  score.add(results[1], results[0], std::span<const std::uint8_t>{data.labels});
  return {score.right, score.samples};
}

}  // namespace

TEST_CASE("an accuracy counts the predictions that came back, whatever outputs are asked for") {
  // 2 iterations of 3 micro-batches of 2 replicas, each of 2 samples: 12 places in the order iteration, accumulation, replica.
  constexpr auto timetable = schedule::sharded(pointing, micro_batches<3>);
  train::options o{.micro_batch = 2, .device_iterations = 2, .replicas = 2};
  CHECK(accuracy_of(timetable, o) == by_hand({10, 11}));  // the default
  o.outputs = feed::output_mode::final;
  CHECK(accuracy_of(timetable, o) == by_hand({10, 11}));
  o.outputs = feed::output_mode::all;
  CHECK(accuracy_of(timetable, o) == by_hand({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  o.outputs = feed::output_mode::every_n;
  o.output_period = 2;
  CHECK(accuracy_of(timetable, o) == by_hand({2, 3, 6, 7, 10, 11}));
  o = {.micro_batch = 2, .device_iterations = 2, .replicas = 2, .outputs = feed::output_mode::sum};
  CHECK_THROWS_WITH_AS(accuracy_of(timetable, o),
                       "ipuflow: these predictions are sums over the micro-batches of a step, and no label belongs to a sum; ask for "
                       ".outputs = feed::output_mode::all, final or every_n",
                       rejected<train::evaluation_fault>);
}

namespace {

/// Predictions are the inputs, one for each of two positions of a sample.
constexpr auto pointing_twice = single_stage(input<float, 2, 3>, per_sample<"next", tensor<std::uint8_t, 2>>,
                                             block<"b">(nn::relu, use<"next">(nn::cross_entropy)));

/// The same numbers, as 12 sequences.
struct sequences : known_step {
  std::size_t size() const { return 12; }
  std::tuple<feed::column_view<std::span<const float>>, feed::column_view<std::span<const std::uint8_t>>> columns() const {
    return {{x.data(), 12, 6}, {labels.data(), 12, 2}};
  }
};

}  // namespace

TEST_CASE("an accuracy of sequences counts their positions, each of which has a label") {
  const sequences data;
  for (const auto mode : {feed::output_mode::all, feed::output_mode::final}) {
    train::session session{pointing_twice, schedule::sharded(pointing_twice, micro_batches<3>), train::sgd{.rate = 0},
                           {.micro_batch = 2, .replicas = 2, .outputs = mode}};
    const auto& results = session(data);
    train::score score;
    score.add(results[1], results[0], std::span<const std::uint8_t>{data.labels});
    CHECK(train::compared{score.right, score.samples} == (mode == feed::output_mode::all ? train::compared{16, 24} : by_hand({8, 9, 10, 11})));
  }
}

namespace {

/// One of the two losses ignores a label that is a class; one of them stands alone in its stage, so that predictions leave as a copy.
constexpr auto pointing_at_both = pipeline(
    input<float, 3>, per_sample<"label", std::uint8_t>, stage(block<"in">(nn::relu)).ipu<0>(),
    concurrent(stage(block<"some">(use<"label">(nn::cross_entropy_of<{.ignored = 0}>))).ipu<1>(),
               stage(block<"all">(nn::relu, use<"label">(nn::cross_entropy))).ipu<2>()));

}  // namespace

TEST_CASE("what a loss ignores does not count though its label is a class, in the predictions of that loss alone") {
  const known_step data;
  const std::span<const std::uint8_t> labels{data.labels};
  train::session session{pointing_at_both, schedule::grouped(pointing_at_both, micro_batches<8>), train::sgd{.rate = 0},
                         {.micro_batch = 3, .outputs = feed::output_mode::all}};
  const auto& results = session(data);
  CHECK(train::compare(results[0], labels, 3) == train::compared{8, 12});  // those whose label is 1
  CHECK(train::compare(results[2], labels, 3) == train::compared{16, 24});
}

TEST_CASE("samples with labels that are no class, as those that a loss ignores, do not count") {
  CHECK(train::compare(predictions, std::span<const std::uint8_t>{std::array<std::uint8_t, 3>{1, 255, 0}}, 3) == train::compared{1, 2});
  CHECK(train::compare(predictions, std::span<const int>{std::array<int, 4>{1, -1, 0, -100}}, 3) == train::compared{1, 1});
  static constexpr auto ignoring = single_stage(input<float, 3>, per_sample<"label", std::uint8_t>,
                                                block<"b">(nn::relu, use<"label">(nn::cross_entropy_of<{.ignored = 255}>)));
  known_step data;
  for (const std::size_t i : {3u, 20u}) data.labels[i] = 255;  // the first of them was wrong, the second right
  train::session session{ignoring, schedule::sharded(ignoring, micro_batches<6>), train::sgd{.rate = 0},
                         {.micro_batch = 4, .outputs = feed::output_mode::all}};
  const auto& results = session(data);
  train::score score;
  score.add(results[1], results[0], std::span<const std::uint8_t>{data.labels});
  CHECK(train::compared{score.right, score.samples} == train::compared{15, 22});
}

TEST_CASE("predictions that say no classes are refused, and not divided by them") {
  train::score s;
  const std::array<std::uint8_t, 3> labels{1, 0, 2};
  CHECK_THROWS_WITH_AS(s.add({{1}}, predictions, std::span<const std::uint8_t>{labels}),
                       "ipuflow: predictions are compared that have no classes; set the classes of a column that is made by hand, or give "
                       "their number to train::compare",
                       rejected<train::evaluation_fault>);
  train::result_column known = predictions;
  known.elements = 3;
  s.add({{1}}, known, std::span<const std::uint8_t>{labels});
  CHECK(s.right == 3);
}

TEST_CASE("labels of another step are refused if they are too few") {
  train::result_column c{{0, 1, 1, 0}, 4, 2, 3};
  CHECK_THROWS_WITH_AS((void)train::count_right(c, std::span<const std::uint8_t>{std::array<std::uint8_t, 5>{}}, 2),
                       "ipuflow: 5 labels are given but predictions came back for sample 5 of the step; give the labels of all samples "
                       "of the same step",
                       rejected<train::evaluation_fault>);
}

TEST_CASE("predictions of other classes than are asked for are refused") {
  const train::result_column c{{0, 1, 1, 0}, 2, 2, 1};
  CHECK_THROWS_WITH_AS((void)train::count_right(c, std::span<const std::uint8_t>{std::array<std::uint8_t, 2>{}}, 4),
                       "ipuflow: 2 numbers of a micro-batch are compared as predictions of 4 classes, of which they are no whole number; "
                       "give the numbers of a prediction, those of the network's last layer",
                       rejected<train::evaluation_fault>);
  CHECK(train::count_right(c, std::span<const std::uint8_t>{std::array<std::uint8_t, 2>{1, 0}}, 2) == 2);
  const train::result_column none{{0, 1, 1, 0}, 0, 2, 1};
  CHECK_THROWS_AS((void)train::count_right(none, std::span<const std::uint8_t>{std::array<std::uint8_t, 2>{1, 0}}, 2),
                  rejected<train::evaluation_fault>);
}

TEST_CASE("scores add up; a step counts by its samples, its loss by its steps") {
  train::score s;
  CHECK(s.accuracy() == 0);
  CHECK(s.mean_loss() == 0);
  s.add(2, 3, 4);
  s.add(1, 6, 8);
  CHECK(s.accuracy() == 75);
  CHECK(s.mean_loss() == 1.5);
  CHECK(train::mean_of({{1, 2, 6}, 1}) == 3);
  CHECK(train::mean_of({}) == 0);
}

}  // namespace evaluation_test
