// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/step_data.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

namespace step_data_test {

using namespace ipuflow;

namespace {

template <class T, std::size_t Width>
struct memory {
  explicit memory(std::size_t samples)
      : lanes(nn::groups_for(samples) * Width, nn::lanes<T>::all(T{})),
        batch{lanes.data(), nn::groups_for(samples), samples} {}
  float operator()(std::size_t sample, std::size_t element) const {
    return static_cast<float>(lanes[sample / nn::lane_count * Width + element][sample % nn::lane_count]);
  }

  ipuflow::light_vector<nn::lanes<T>> lanes;
  nn::batch<T, shape<Width>> batch;
};

template <class T, bool Round = false>
void check_scaled(double tolerance) {
  constexpr std::size_t samples = nn::lane_count + 3;
  ipuflow::light_vector<std::uint8_t> pixels(samples * 5);
  std::iota(pixels.begin(), pixels.end(), std::uint8_t{1});
  memory<T, 5> to{samples};
  train::impl::load_samples<Round>(pixels.data(), samples, to.batch, train::scaling::of_pixels(0.5f, 0.25f));
  for (std::size_t i = 0; i < samples; ++i) {
    const double x = pixels[i * 5 + 2];
    CHECK(static_cast<double>(to(i, 2)) == doctest::Approx((x / 255 - 0.5) / 0.25).epsilon(tolerance));
    if (Round) CHECK(to(i, 2) == static_cast<float>(half{to(i, 2)}));
  }
  for (std::size_t l = samples; l < 2 * nn::lane_count; ++l) CHECK(to(l, 2) == 0);
}

}  // namespace

TEST_CASE("pixels become numbers around zero, padding stays zero, in every precision") {
  check_scaled<float>(1e-5);
  check_scaled<double>(1e-6);
  check_scaled<half>(1e-3);
  check_scaled<float, true>(1e-3);
}

TEST_CASE("numbers that are real already, and labels, are taken as they are") {
  const ipuflow::light_vector<float> values{1.5f, -2, 3, 4};
  memory<float, 2> to{2};
  train::impl::load_samples<false>(values.data(), 2, to.batch, {.scale = 9, .shift = 9});
  CHECK(to(1, 0) == 3);
  const ipuflow::light_vector<std::uint8_t> labels{3, 9};
  memory<std::uint8_t, 1> of_labels{2};
  train::impl::load_samples<false>(labels.data(), 2, of_labels.batch, {.scale = 9, .shift = 9});
  CHECK(of_labels(1, 0) == 9);
}

TEST_CASE("of fewer samples than a micro-batch the rest is zero") {
  const ipuflow::light_vector<float> values(3, 5.0f);
  memory<float, 1> to{2 * nn::lane_count};
  to.lanes.assign(to.lanes.size(), nn::lanes<float>::all(7));
  train::impl::load_samples<false>(values.data(), 3, to.batch, {});
  CHECK(to(2, 0) == 5);
  for (std::size_t i = 3; i < 2 * nn::lane_count; ++i) CHECK(to(i, 0) == 0);
  train::impl::load_samples<false>(values.data(), 0, to.batch, {});
  CHECK(to(0, 0) == 0);
}

TEST_CASE("of a sequence just the vectors of its positions are written, whatever is rounded or missing") {
  using sequence = shape<4, 8>;
  for (const std::size_t room : {std::size_t{1}, std::size_t{3}, nn::lane_count - 1, nn::lane_count + 1}) {
    const ipuflow::light_vector<float> values(room * 32, 5.0f);
    const std::size_t vectors = nn::batch<float, sequence>{nullptr, nn::groups_for(room), room}.size();
    ipuflow::light_vector<nn::lanes<float>> memory(vectors + 64, nn::lanes<float>::all(7));
    const nn::batch<float, sequence> to{memory.data(), nn::groups_for(room), room};
    for (std::size_t count = 0; count <= room; ++count) {
      for (std::size_t i = 0; i < vectors; ++i) memory[i] = nn::lanes<float>::all(3);
      train::impl::load_samples<true>(values.data(), count, to, {});
      for (std::size_t sample = 0; sample < room; ++sample) {
        const nn::lane_place at = decltype(to)::place_of(sample, 31);
        CHECK(to[at.vector][at.lane] == (sample < count ? 5.0f : 0.0f));
      }
      for (std::size_t i = vectors; i < memory.size(); ++i) CHECK(memory[i][0] == 7);
    }
  }
}

TEST_CASE("lanes become rows; a loss becomes its mean; sums add up") {
  memory<float, 2> from{3};
  for (std::size_t i = 0; i < 3; ++i) from.lanes[0].set(i, static_cast<float>(i)), from.lanes[1].set(i, 10);
  ipuflow::light_vector<float> row(6), room;
  train::impl::store_samples<false>(from.batch.read(), 3, false, std::span{row}, room);
  CHECK(row == ipuflow::light_vector<float>{0, 10, 1, 10, 2, 10});
  train::impl::store_samples<false>(from.batch.read(), 3, true, std::span{row}, room);
  CHECK(row == ipuflow::light_vector<float>{0, 20, 2, 20, 4, 20});
  ipuflow::light_vector<nn::lanes<float>> losses{from.lanes[0]};
  const nn::batch<const float, shape<>> loss{losses.data(), 1, 3};
  ipuflow::light_vector<float> mean{5};
  train::impl::store_samples<true>(loss, 3, true, std::span{mean}, room);
  CHECK(mean[0] == 6);
  train::impl::store_samples<true>(loss, 2, false, std::span{mean}, room);
  CHECK(mean[0] == 0.5f);
}

TEST_CASE("a column is micro-batches, the last one perhaps a part") {
  const train::result_column column{{1, 2, 3, 4, 5}, 2};
  CHECK(column.size() == 3);
  CHECK(column[1][0] == 3);
  CHECK(column[2].size() == 1);
  CHECK(train::result_column{{1, 2}, 0}.size() == 0);
}

TEST_CASE("A number that would become another whole one is found, with its sample") {
  using train::impl::verify_numbers;
  const int labels[] = {0, 255, 7, 256, 300, -1};
  CHECK(!verify_numbers<std::uint8_t>(labels, 3, 1));
  CHECK(verify_numbers<std::uint8_t>(labels, 4, 1) == train::session_fault{train::session_wrong::number_cut, 3, 8});
  CHECK(verify_numbers<std::uint8_t>(labels, 2, 2) == train::session_fault{train::session_wrong::number_cut, 1, 8});
  CHECK(!verify_numbers<std::uint16_t>(labels, 5, 1));
  CHECK(verify_numbers<std::uint16_t>(labels, 6, 1).got == 5);
  CHECK(verify_numbers<std::uint32_t>(labels, 6, 1).limit == 32);
  CHECK(!verify_numbers<std::int64_t>(labels, 6, 1));
  const std::uint32_t large[] = {0x8000'0000};
  CHECK(verify_numbers<std::int32_t>(large, 1, 1));
  const float real[] = {0, 255, 7, 0.5f, 256, -1, std::numeric_limits<float>::quiet_NaN(), 3e38f};
  CHECK(!verify_numbers<std::uint8_t>(real, 3, 1));
  CHECK(verify_numbers<std::uint8_t>(real, 4, 1) == train::session_fault{train::session_wrong::number_not_whole, 3, 8});
  CHECK(verify_numbers<std::uint8_t>(real + 4, 4, 1) == train::session_fault{train::session_wrong::number_cut, 0, 8});
  CHECK(verify_numbers<std::uint16_t>(real + 4, 4, 1) == train::session_fault{train::session_wrong::number_cut, 1, 16});
  CHECK(verify_numbers<std::int32_t>(real + 4, 4, 2) == train::session_fault{train::session_wrong::number_not_whole, 1, 32});
  CHECK(verify_numbers<std::int64_t>(real + 7, 1, 1) == train::session_fault{train::session_wrong::number_cut, 0, 64});
  CHECK(!verify_numbers<float>(real, 8, 1));
  CHECK(verify_numbers<bool>(real, 2, 1).got == 1);
  const double precise[] = {1, 1e-300};
  CHECK(verify_numbers<std::int32_t>(precise, 2, 1) == train::session_fault{train::session_wrong::number_not_whole, 1, 32});
  const half halves[] = {half{2.0f}, half{2.5f}};
  CHECK(verify_numbers<std::int64_t>(halves, 2, 1) == train::session_fault{train::session_wrong::number_not_whole, 1, 64});
  CHECK(message(train::session_fault{train::session_wrong::number_not_whole, 3, 8}).view() ==
        "ipuflow: sample 3 of a micro-batch has a number with a fraction, or no number, where the pipeline takes whole numbers of 8 "
        "bits; declare float there, or feed whole ones");
  CHECK(message(train::session_fault{train::session_wrong::number_cut, 3, 8}).view() ==
        "ipuflow: sample 3 of a micro-batch has a whole number that does not fit into the 8 bits that the pipeline has for it; "
        "declare a wider type there, or look at the data");
}

}  // namespace step_data_test
