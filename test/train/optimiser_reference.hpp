// SPDX-License-Identifier: BSL-1.0
// Runs an optimiser over made-up gradients, and beside it a plain formula in double precision, one parameter after the
// other.
#pragma once

#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ipuflow::test {

/// A number between -1 and 1.
inline float made_up_number(std::uint64_t stream, std::size_t index) { return 2 * nn::random_unit(stream, index) - 1; }

/// The state of some parameters, whatever its types: zeros at first.
template <class Optimiser>
class remembered {
 public:
  explicit remembered(std::size_t n)
      : count_{n}, bytes_(train::impl::rounded_count(n) * train::impl::state_layout_of<Optimiser>::bytes) {}
  auto view() { return train::impl::state_at<Optimiser>({bytes_.data(), count_, 0}, count_); }

 private:
  std::size_t count_;
  std::vector<std::byte> bytes_;
};

/// `plain(parameter, gradient, state[2], step)` changes parameter and state, all doubles.
template <class Optimiser, class Plain>
void check_against(const Optimiser& optimiser, Plain plain, double tolerance = 1e-5) {
  constexpr std::size_t count = 37;
  std::vector<float> parameters(count), gradients(count);
  remembered<Optimiser> state{count};
  std::vector<double> expected(count), kept(2 * count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = double{parameters[i] = made_up_number(1, i)};
  for (std::size_t step = 1; step <= 30; ++step) {
    for (std::size_t i = 0; i < count; ++i) gradients[i] = made_up_number(step + 1, i);
    optimiser.update(std::span{parameters}, std::span<const float>{gradients}, state.view(), step);
    for (std::size_t i = 0; i < count; ++i) plain(expected[i], double{gradients[i]}, &kept[2 * i], step);
  }
  for (std::size_t i = 0; i < count; ++i)
    CHECK(double{parameters[i]} == doctest::Approx(expected[i]).epsilon(tolerance));
}

/// The first update of one parameter that is 1.
template <class Number = float, class Optimiser>
Number first_update(const Optimiser& optimiser, float gradient = 0.5f) {
  Number parameter = 1;
  remembered<Optimiser> state{1};
  optimiser.update(std::span{&parameter, 1}, std::span{&gradient, 1}, state.view(), 1);
  return parameter;
}

/// Whether a parameter of double is changed by as much as the rate says, however little that is.
template <class Optimiser>
bool doubles_keep_small_changes(Optimiser optimiser) {
  optimiser.rate = 1e-3f;
  const double large = 1 - first_update<double>(optimiser);
  optimiser.rate = 1e-9f;
  const double small = 1 - first_update<double>(optimiser);
  return large > 0 && std::fabs(small / large * 1e6 - 1) < 1e-3;
}

/// Whether parameters that never had a slope stay, although nothing but epsilon would keep their divisor from zero.
template <class Optimiser>
bool no_slope_no_change(Optimiser optimiser) {
  optimiser.epsilon = 0;
  optimiser.weight_decay = 0;
  return first_update(optimiser, 0.0f) == 1;
}

/// Whether updating in two parts is updating at once, bit for bit.
template <class Optimiser>
bool parts_do_not_matter(const Optimiser& optimiser) {
  constexpr std::size_t count = 20, cut = 7;
  std::vector<float> whole(count), gradients(count);
  for (std::size_t i = 0; i < count; ++i) whole[i] = made_up_number(1, i), gradients[i] = made_up_number(2, i);
  std::vector<float> parts = whole;
  remembered<Optimiser> all{count}, front{cut}, back{count - cut};
  const std::span<const float> slopes{gradients};
  for (std::size_t step = 1; step < 4; ++step) {
    optimiser.update(std::span{whole}, slopes, all.view(), step);
    optimiser.update(std::span{parts}.first(cut), slopes.first(cut), front.view(), step);
    optimiser.update(std::span{parts}.subspan(cut), slopes.subspan(cut), back.view(), step);
  }
  return whole == parts;
}

}  // namespace ipuflow::test
