// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/matrix_kernel.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace matrix_kernel_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

/// Whole numbers, so that every order of adding gives the same bits.
template <class Element>
std::vector<Element> numbers(std::mt19937& random, std::size_t n) {
  std::vector<Element> made(n);
  for (Element& x : made) x = Element{static_cast<float>(random() % 9) - 4};
  return made;
}

template <class Element>
void check(std::mt19937& random, const matrix_shape& s) {
  const auto a = numbers<Element>(random, s.m * s.k);
  const auto b = numbers<Element>(random, s.k * s.n);
  std::vector<float> out(s.m * s.n, 99);
  matrix_scratch scratch;
  multiply<Element, float>(s, a, b, out, scratch);
  bool same = true;
  for (std::size_t i = 0; i < s.m; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < s.k; ++k) {
        sum += float{a[s.left_transposed ? k * s.m + i : i * s.k + k]} *
               float{b[s.right_transposed ? j * s.k + k : k * s.n + j]};
      }
      same = same && out[i * s.n + j] == sum;
    }
  }
  CHECK(same);
}

}  // namespace

TEST_CASE("products of every small shape, either operand turned, half and float") {
  std::mt19937 random(1);
  for (std::size_t m = 1; m < 14; ++m) {
    for (const std::size_t n : {1u, 7u, 31u, 32u, 33u, 70u}) {
      const matrix_shape s{m, 1 + random() % 40, n, random() % 2 == 0, random() % 2 == 0};
      check<half>(random, s);
      check<float>(random, s);
    }
  }
}

}  // namespace matrix_kernel_test
