// SPDX-License-Identifier: BSL-1.0
// A reduction makes one gradient of those of a run's micro-batches: micro-batch n of N is added as
// total = total * kept + gradient * added. The mean over all can be made at once (each added with 1/N) or kept running,
// which never grows beyond a gradient and so suits accumulators of few bits.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::train {

/// The joining of gradients of micro-batches and replicas.
enum class reduction : unsigned char { sum, mean, running_mean };

enum class reduction_wrong : unsigned char { nothing, unknown_name };
using reduction_fault = fault<reduction_wrong, fixed_string<40>>;

constexpr message_text sentence(const reduction_fault& f) {
  return filled("ipuflow: '{where}' is no way to reduce gradients; say sum, mean or running_mean", {{"where", f.where}});
}

/// A reduction by its name, in either case.
[[nodiscard]] constexpr reduction reduction_named(std::string_view name) {
  fixed_string<40> lower;
  for (const char c : name) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    lower += std::string_view{&small, 1};
  }
  if (lower.view() == "sum") return reduction::sum;
  if (lower.view() == "mean") return reduction::mean;
  if (lower.view() != "running_mean") {
    throw_if(reduction_fault{.kind = reduction_wrong::unknown_name, .where = fixed_string<40>{name}});
  }
  return reduction::running_mean;
}

namespace impl {

/// The two factors of micro-batch `n`, counted from 0, of `count`.
struct reduction_scales {
  float kept = 1;
  float added = 1;

  friend constexpr bool operator==(const reduction_scales&, const reduction_scales&) = default;
};

[[nodiscard]] constexpr reduction_scales scales_of(reduction how, std::size_t n, std::size_t count) {
  const auto done = static_cast<float>(n);
  switch (how) {
    case reduction::sum:
      return {1, 1};
    case reduction::mean:
      return {1, 1 / static_cast<float>(count)};
    default:
      return {done / (done + 1), 1 / (done + 1)};
  }
}

}  // namespace impl

}  // namespace ipuflow::train
