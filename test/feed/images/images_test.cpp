// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/cache.hpp>
#include <ipuflow/feed/images/convert.hpp>
#include <ipuflow/feed/images/crop.hpp>
#include <ipuflow/feed/adaptors/filter.hpp>
#include <ipuflow/feed/images/flip.hpp>
#include <ipuflow/feed/images/images.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/images/resize.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace images_test {

using namespace ipuflow;
using namespace ipuflow::feed;

namespace {

std::vector<std::uint8_t> pixels(std::size_t count) {
  std::vector<std::uint8_t> made(count);
  std::iota(made.begin(), made.end(), std::uint8_t{0});
  return made;
}

}  // namespace

TEST_CASE("a sample in memory is seen as an image where it lies, its label stays") {
  const auto memory = pixels(36);
  const std::vector<int> labels{7, 8, 9};
  const auto d = zip(rows<12>(memory), labels) | images<3, 2, 2>();
  const auto [picture, label] = d[2];
  CHECK(picture.data() == memory.data() + 24);
  CHECK(picture(2, 1, 1) == 35);
  CHECK(&label == &labels[2]);
  CHECK((rows(memory, 12) | images(3, 2, 2))[1](1, 0, 1) == 17);
  CHECK((rows(memory, 12) | images<3, 2, 2>())[1](1, 0, 1) == 17);
}

TEST_CASE("a sample that was made for this call is kept by its image") {
  const std::vector<int> numbers{1, 2};
  const auto d = numbers | map([](int i) { return std::array{i, 2 * i, 3 * i, 4 * i}; }) | images<1, 2, 2>();
  static_assert(std::is_same_v<sample_t<decltype(d)>, image<std::array<int, 4>, image_extents<1, 2, 2>>>);
  CHECK(d[1](0, 1, 0) == 6);
  const auto pairs = numbers | map([](int i) { return std::pair{std::vector<int>(4, i), i}; }) | images(1, 2, 2) | flip();
  CHECK(std::get<0>(pairs[1])(0, 1, 0) == 2);
  CHECK(std::get<1>(pairs[1]) == 2);
}

TEST_CASE("a recipe of images serves datasets and ranges") {
  constexpr auto recipe = images<1, 2, 2>() | flip() | crop<1, 1>();
  const std::array<int, 4> one{1, 2, 3, 4};
  const std::vector<std::array<int, 4>> indexed{one};
  const std::list<std::array<int, 4>> listed{one};
  CHECK((indexed | recipe)[0](0, 0, 0) == 2);
  for (const auto& picture : listed | recipe) CHECK(picture(0, 0, 0) == 2);
  constexpr auto fixed = std::to_array({std::array{1, 2, 3, 4}});
  static_assert((fixed | recipe)[0](0, 0, 0) == 2);
}

TEST_CASE("dear transforms before a cache, those that draw behind it") {
  const auto memory = pixels(64 * 784);
  const std::vector<std::uint8_t> labels(64, 3);
  const auto digits = zip(rows<28, 28>(memory), labels);
  // begin: augment
  constexpr auto augment = feed::crop_at_random<32, 32>(7, 4) | feed::flip_at_random(8) | feed::convert<float>(1.0 / 255);
  const auto training = digits | feed::filter([](auto, std::uint8_t label) { return label < 5; }) |
                        feed::images<1, 28, 28>() | feed::resize<32, 32>() | feed::cache(1_GiB) | augment |
                        feed::shuffle(9);
  // end: augment
  static_assert(std::is_same_v<sample_t<decltype(training)>,
                               std::tuple<image<std::array<float, 1024>, image_extents<1, 32, 32>>, std::uint8_t>>);
  CHECK(training.size() == 64);
  CHECK(std::get<0>(training.sample(5, 0)).elements() != std::get<0>(training.sample(5, 1)).elements());
  std::size_t samples = 0;
  for (auto& [pictures, of] : async(training, 16, {.workers = 2})) samples += pictures.size();
  CHECK(samples == 64);
}

TEST_CASE("what is drawn depends on seed, epoch and index, and not on the workers") {
  const auto memory = pixels(256);
  const auto d = rows<16>(memory) | images<1, 4, 4>() | flip_at_random(5) | crop_at_random<4, 4>(6, 2) | shuffle(7);
  std::vector<std::vector<std::uint8_t>> alone, together;
  const auto load_into = [&](auto& all_of, std::size_t workers) {
    auto steps = async(d, 4, {.workers = workers});
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (auto& [pictures] : steps) all_of.emplace_back(pictures.elements().begin(), pictures.elements().end());
    }
  };
  load_into(alone, 1);
  load_into(together, 3);
  CHECK(alone == together);
  CHECK(alone[0] != alone[4]);
  CHECK(d.origin(3, 1) == (rows<16>(memory) | shuffle(7)).origin(3, 1));
}

TEST_CASE("as many elements as the extents make, also where that shows only at run time") {
  const auto memory = pixels(36);
  CHECK_THROWS_AS((void)(rows(memory, 12) | images(3, 2, 3))[0], ipuflow::error);
}

}  // namespace images_test
