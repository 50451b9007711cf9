// SPDX-License-Identifier: BSL-1.0
// Random convolutions, of all that plans depend on: groups and channels by themselves, strides, padding, one tap, few samples
// and many, on whole chips and on a few tiles, with little memory.
#pragma once

#include <ipuflow/ipu/ops/conv_shape.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <random>
#include <string>

namespace random_convolutions {

using namespace ipuflow;
using namespace ipuflow::ipu;

struct question {
  architecture chip;
  conv_shape s;
  bytes memory;
};

/// Its sizes, to be told where a check fails.
inline std::string text(const question& q) {
  const conv_shape& s = q.s;
  std::string made = s.turned_round ? "turned" : "";
  for (const std::size_t size : {s.batch, s.in_channels, s.rows, s.columns, s.out_channels, s.kernel_rows, s.kernel_columns, s.stride, s.padding, s.groups,
                                 static_cast<std::size_t>(s.type), q.chip.tiles, std::size_t{q.memory.value}})
    made += " " + std::to_string(size);
  return made;
}

class source {
 public:
  explicit source(unsigned seed) : random_{seed} {}

  question next() {
    for (;;) {
      const conv_shape s = shape();
      const bool fits = s.rows + 2 * s.padding >= s.kernel_rows && s.columns + 2 * s.padding >= s.kernel_columns &&
                        s.padding < s.kernel_columns;
      if (!fits || s.batch * s.rows * s.columns * std::max(s.in_channels, s.out_channels) > 3'000'000) continue;
      question made{
          one_of({0, 1, 2}) == 0 ? mk1 : mk2, s, {one_of({383'385, 383'385, 383'385, 383'385, 60'000, 20'000, 4'000})}};
      if (below(3) == 0) made.chip.tiles = one_of({1, 2, 3, 4, 6, 8, 16, 40, 64, 130, 400});
      if (made.chip.tiles % 2 != 0) made.chip.tiles_per_bus = 1;
      return made;
    }
  }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  std::size_t one_of(std::initializer_list<std::size_t> of) { return of.begin()[below(of.size())]; }
  conv_shape shape() {
    conv_shape s;
    s.batch = one_of({1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 64, 100, 256});
    s.groups = one_of({1, 1, 1, 1, 1, 2, 3, 4, 8, 16, 32});
    std::size_t in = one_of({1, 1, 2, 3, 4, 5, 6, 8, 11, 16, 20, 32, 48, 64, 100}),
                out = one_of({1, 2, 3, 4, 6, 8, 10, 11, 16, 20, 30, 32, 64, 128});
    if (below(4) == 0) s.groups = one_of({3, 8, 11, 16, 32, 64}), in = out = 1;
    s.in_channels = in * s.groups, s.out_channels = out * s.groups;
    s.rows = 1 + below(32), s.columns = below(2) == 0 ? s.rows : 1 + below(32);
    s.kernel_rows = one_of({1, 1, 2, 3, 3, 4, 5, 7}), s.kernel_columns = below(4) == 0 ? one_of({1, 2, 3, 5}) : s.kernel_rows;
    s.stride = one_of({1, 1, 1, 2, 2, 3, 4}), s.padding = below(2) == 0 ? s.kernel_rows / 2 : 0;
    s.type = static_cast<amp_precision>(below(3));
    return s;
  }

  std::mt19937 random_;
};

}  // namespace random_convolutions
