// SPDX-License-Identifier: BSL-1.0
// A prediction for one sample is that of the same sample in a step, bit for bit.
#include <ipuflow/train/predict.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace predict_test {

using namespace ipuflow;

namespace {

const auto learned = std::make_shared<train::model<>>(train::initial_model(test::small_network, 5));

}  // namespace

TEST_CASE("a sample alone gives what it gives in a step; the label is not wanted") {
  const test::made_up samples{8};
  auto session = train::inference(test::small_network, schedule::inference(test::small_network, micro_batches<4>), learned,
                                  {.micro_batch = 2, .inputs = {.scale = 1.0f / 255}});
  const auto all = session(samples)[0].values;
  train::predictor one{test::small_network, learned, {.inputs = {.scale = 1.0f / 255}}};
  const std::span<const std::uint8_t> pixels = std::get<0>(samples.columns()).elements();
  for (std::size_t i = 0; i < 8; ++i) {
    const auto image = pixels.subspan(36 * i, 36);
    const std::array<float, 4> alone = train::predict(session, image);
    CHECK(std::equal(alone.begin(), alone.end(), all.begin() + static_cast<std::ptrdiff_t>(4 * i)));
    CHECK(one(image) == alone);
  }
  const auto timetable = schedule::inference(test::small_network, micro_batches<1>);
  const auto first = pixels.subspan(0, 36);
  CHECK(train::predict(train::inference(test::small_network, timetable, learned, {.inputs = {.scale = 1.0f / 255}}), first) == one(first));
}

TEST_CASE("an image may be an array of rows, a vector, or come with its label") {
  train::predictor one{test::small_network, learned};
  std::array<std::array<float, 6>, 6> rows{};
  std::vector<float> flat(36);
  rows[1][2] = flat[8] = 1;
  const auto expected = one(flat);
  CHECK(one(rows) == expected);
  CHECK(one(flat, std::uint8_t{3}) == expected);
  CHECK(train::largest(expected) < 4);
  CHECK(train::largest(std::array<float, 3>{1, 3, 2}) == 1);
  CHECK_THROWS_WITH_AS((void)one(std::vector<float>(35)),
                       "ipuflow: value 0 of a sample has 35 numbers but the pipeline takes 36; feed it what its input says",
                       rejected<train::session_fault>);
}

TEST_CASE("arguments of the run stand behind the sample") {
  constexpr auto shifted = pipeline(input<float, 4>, per_sample<"more", tensor<float, 4>>, per_run<"shift", float, 4>, per_run<"rate", float>,
                                    block<"a">(use<"shift">(nn::add)), block<"b">(use<"more">(nn::add)));
  auto nothing_learned = std::make_shared<train::model<>>(train::initial_model(shifted, 1));
  train::predictor one{shifted, nothing_learned};
  const std::array<float, 4> x{1, 2, 3, 4}, more{10, 20, 30, 40}, shift{0.5f, 0.25f, 0, 8};
  CHECK(one(x, with<"rate">(0.1f), with<"shift">(shift)) == std::array<float, 4>{1.5f, 2.25f, 3, 12});
  CHECK(one(x, more, with<"shift">(shift), with<"rate">(0.1f)) == std::array<float, 4>{11.5f, 22.25f, 33, 52});
  auto session = train::inference(shifted, schedule::inference(shifted, micro_batches<1>), nothing_learned, {});
  CHECK(train::predict(session, x, more, with<"shift">(shift), with<"rate">(0.1f)) == std::array<float, 4>{11.5f, 22.25f, 33, 52});
}

}  // namespace predict_test
