// SPDX-License-Identifier: BSL-1.0
// Proportions of a tile's memory that operations may take besides their operands: one for all chips, or one for each chip of a replica,
// as a pipeline's stages leave them room.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/light_span.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::ipu {

enum class proportions_wrong : unsigned char { nothing, count };
using proportions_fault = fault<proportions_wrong>;

/// `0.25` is that of all chips, `{0.1, 0.2}` those of two chips in their order.
struct memory_proportions {
  static constexpr std::size_t most = 64;  ///< chips that may have one each
  double shares[most]{0.6};                ///< poplibs' default
  std::size_t count = 1;                   ///< that were given; those behind `most` are not kept

  constexpr memory_proportions() = default;
  constexpr memory_proportions(double of_all) : shares{of_all} {}
  constexpr memory_proportions(std::initializer_list<double> of_chips) : memory_proportions(light_span<const double>{of_chips.begin(), of_chips.size()}) {}
  constexpr explicit memory_proportions(light_span<const double> of_chips) : shares{}, count{of_chips.size()} {
    for (std::size_t chip = 0; chip < count && chip < most; ++chip) shares[chip] = of_chips[chip];
  }

  /// That of a chip of a replica.
  [[nodiscard]] constexpr double of(std::size_t chip) const { return shares[count == 1 || chip >= most ? 0 : chip]; }
  /// Those that were given.
  [[nodiscard]] constexpr light_span<const double> given() const { return {shares, count < most ? count : most}; }
  /// For what is on no chip yet.
  [[nodiscard]] constexpr double mean() const {
    double sum = 0;
    for (const double share : given()) sum += share;
    return sum / static_cast<double>(count == 0 ? 1 : given().size());
  }
  [[nodiscard]] constexpr double largest() const {
    double found = shares[0];
    for (const double share : given()) found = share > found ? share : found;
    return found;
  }
  constexpr memory_proportions& operator/=(double by) {
    for (double& share : shares) share /= by;
    return *this;
  }

  friend constexpr bool operator==(const memory_proportions&, const memory_proportions&) = default;
};

constexpr const char* wording(proportions_wrong wrong) {
  switch (wrong) {
    case proportions_wrong::nothing:
      break;
    case proportions_wrong::count:
      return "ipuflow: memory_proportion has {got} number{s} for a replica of {limit} chip{s}; give one for all, or one for each of at most {most}";
  }
  return "";
}

constexpr message_text sentence(const proportions_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"most", memory_proportions::most}});
}

/// A list that is neither one number nor one for each chip of a replica.
[[nodiscard]] constexpr proportions_fault verify(const memory_proportions& p, std::size_t chips) {
  const bool right = p.count == 1 || (p.count == chips && p.count <= memory_proportions::most);
  return right ? proportions_fault{} : proportions_fault{proportions_wrong::count, p.count, chips};
}

}  // namespace ipuflow::ipu
