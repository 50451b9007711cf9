// SPDX-License-Identifier: BSL-1.0
// Distributions as a picture: a row for each, to the right powers of two, the darker the more numbers have that magnitude.
// What half precision loses, keeps with fewer bits or finds too large stands behind broken lines.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/report/distribution.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

template <class = void>
[[nodiscard]] std::string distribution_svg(light_span<const named_distribution> all, const std::string& title = "") {
  constexpr std::size_t top = 40;
  constexpr std::size_t row = 20;
  constexpr std::size_t cell = 13;
  std::size_t longest = 8;
  for (const named_distribution& one : all) longest = algorithms::max(longest, one.name.size());
  const std::size_t left = 20 + 6 * longest;
  const std::size_t bottom = top + row * all.size();
  svg_canvas canvas{left + cell * distribution{}.powers.size() + 20, bottom + 40,
                    ".cell{fill:#2f6db3}.cut{stroke:#8a8a84;stroke-dasharray:3 3;fill:none}"};
  const auto x_of = [&](int power) { return left + cell * static_cast<std::size_t>(power - distribution::least_power); };
  canvas.label(left, 14, "key", title);
  for (std::size_t r = 0; r < all.size(); ++r) {
    const distribution& d = all[r].of;
    const std::size_t y = top + row * r;
    canvas.label(left - 8, y + row / 2 + 4, "name", all[r].name);
    canvas.box("lane", left, y + 1, cell * d.powers.size(), row - 2);
    const std::uint64_t most = *algorithms::max_element(d.powers.begin(), d.powers.end());
    for (int p = d.least_power; p <= d.most_power; ++p) {
      if (d.with_power(p) == 0) continue;
      const std::uint64_t hundredths = algorithms::max<std::uint64_t>(d.with_power(p) * 100 / most, 6);
      canvas.box("cell", x_of(p), y + 1, cell - 1, row - 2,
                 impl::joined(all[r].name, ", 2^", std::to_string(p), ": ", impl::with_commas(d.with_power(p)), " of ",
                              impl::with_commas(d.count), ", ", impl::percent(d.with_power(p), d.count), " %"),
                 hundredths >= 100 ? "" : impl::joined(" opacity=\"0.", hundredths < 10 ? "0" : "", std::to_string(hundredths), "\""));
    }
  }
  const auto limit = [&](int power, const char* words) {
    canvas.shape("cut", impl::joined("M", std::to_string(x_of(power)), " ", std::to_string(top - 6), "V", std::to_string(bottom + 2)));
    canvas.label(x_of(power), top - 10, "tick", words);
  };
  limit(-25, "half: lost below");
  limit(-14, "half: fewer bits below");
  limit(16, "half: too large");
  for (int p = distribution::least_power; p <= distribution::most_power; p += 4)
    canvas.label(x_of(p), bottom + 12, "tick", impl::joined("2^", std::to_string(p)));
  canvas.label(left, bottom + 30, "key", "magnitude of each number; zeros are not drawn");
  return canvas.finish();
}

}  // namespace ipuflow::report
