// SPDX-License-Identifier: BSL-1.0
// The known errors of predictions: of each class of published measurements the median and the worst. `ipu_validation` works them out row by
// row and fails if this table says anything else.
#pragma once

#include <ipuflow/plan/predict/counted_chip.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace ipuflow::report {

/// Classes of what is predicted.
enum class measured_class : unsigned char {
  codelets, stencils, convolutional, transformers, perceptrons, variables, state_and_code, exchange_code, transfers, parameters
};

/// Errors of a class, in per cent of what was measured.
struct known_error {
  std::string_view of{};
  std::size_t rows = 0;
  double median = 0;          ///< of their sizes
  double worst = 0;           ///< with its sign
  std::string_view row{};     ///< the worst one, as docs/chips.md numbers them
};

inline constexpr std::array<known_error, 10> known_errors{{{"single codelets", 13, 0.9, -6.8, "H3"},
                                                           {"stencils", 13, 1.5, -24.1, "H7"},
                                                           {"convolutional networks", 13, 6.0, 556.5, "N"},
                                                           {"transformers", 8, 1.9, 8.5, "T3"},
                                                           {"perceptrons", 5, 5.2, 14.3, "P"},
                                                           {"memory: variables", 2, 3.6, -6.7, "B1"},
                                                           {"memory: state and code", 15, 18.8, -29.8, "B3"},
                                                           {"memory: exchange code", 6, 17.7, 87.8, "B2"},
                                                           {"transfers", 2, 0.0, 0.0, "S1"},
                                                           {"numbers of parameters", 9, 0.0, 0.0, "C"}}};

[[nodiscard]] constexpr const known_error& error_of(measured_class c) { return known_errors[static_cast<std::size_t>(c)]; }

/// The class that the bytes of a use are of. Stacks and gaps are code's.
[[nodiscard]] constexpr measured_class class_of(plan::memory_use u) {
  using plan::memory_use;
  if (u == memory_use::exchange_code) return measured_class::exchange_code;
  return u < memory_use::vertex_code ? measured_class::variables : measured_class::state_and_code;
}

}  // namespace ipuflow::report
