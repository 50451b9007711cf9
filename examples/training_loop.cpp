// SPDX-License-Identifier: BSL-1.0
// Ten iterations on the device side: each takes two tensors from the infeed and puts their sum and their difference into
// the outfeed. Prints how many iterations ran and what the host got.
// begin: whole
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/device/outfeed.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <ranges>
#include <utility>

using namespace ipuflow;

using tensor800 = std::array<float, 800>;

struct sum_and_difference {
  tensor800 d1;
  tensor800 d2;
};

int main() {
  tensor800 ones{};
  ones.fill(1.0f);
  auto endless = std::views::iota(0) | std::views::transform([&](int) { return std::pair{ones, ones}; });

  feed::infeed in{endless};                 // reads ahead, three iterations by default
  feed::outfeed<sum_and_difference> out{};  // all results, by default

  const std::size_t ran = in.run(10, [&](const tensor800& x1, const tensor800& x2) {
    sum_and_difference d{};
    for (std::size_t i = 0; i < x1.size(); ++i) {
      d.d1[i] = x1[i] + x2[i];
      d.d2[i] = x1[i] - x2[i];
    }
    out.enqueue(d);
  }, out);

  std::printf("counter %zu\n", ran);
  for (std::size_t iteration = 0; const auto& [d1, d2] : out) {
    std::printf("%zu: d1 %g ... %g, d2 %g ... %g\n", iteration++, d1.front(), d1.back(), d2.front(), d2.back());
  }
}
// end: whole
