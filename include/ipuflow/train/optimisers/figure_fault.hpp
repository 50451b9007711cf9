// SPDX-License-Identifier: BSL-1.0
// Faults of the figures of an optimiser: one that is not a number would train, and give a model that has none.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <initializer_list>
#include <string_view>

namespace ipuflow::train {

enum class figure_wrong : unsigned char { nothing, no_amount, no_share };

/// `where` is the name of the figure.
using figure_fault = fault<figure_wrong, fixed_string<16>>;

constexpr const char* wording(figure_wrong wrong) {
  switch (wrong) {
    case figure_wrong::nothing:
      break;
    case figure_wrong::no_amount:
      return "ipuflow: {where} of the optimiser is negative, infinite or no number; give it 0 or more";
    case figure_wrong::no_share:
      return "ipuflow: {where} of the optimiser is not from 0 to below 1; give it a share, such as 0.9";
  }
  return "";
}

[[gnu::cold]] constexpr message_text sentence(const figure_fault& f) {
  return filled(wording(f.kind), {{"where", f.where}});
}

/// A figure has to be a number from 0.
[[nodiscard]] constexpr figure_fault verify_amount(float figure, std::string_view name) {
  constexpr float most = 0x1.fffffep+127f;
  return figure >= 0 && figure <= most ? figure_fault{} : figure_fault{.kind = figure_wrong::no_amount, .where = fixed_string<16>{name}};
}

/// A figure has to be a number from 0 to below 1.
[[nodiscard]] constexpr figure_fault verify_share(float figure, std::string_view name) {
  return figure >= 0 && figure < 1 ? figure_fault{} : figure_fault{.kind = figure_wrong::no_share, .where = fixed_string<16>{name}};
}

/// The first of some faults.
[[nodiscard]] constexpr figure_fault first_wrong(std::initializer_list<figure_fault> found) {
  for (const figure_fault& f : found) {
    if (f) return f;
  }
  return {};
}

namespace impl {

/// Throws if an optimiser that knows its figures, as those of this library do, has a wrong one.
template <class Optimiser>
void check_figures(const Optimiser& optimiser) {
  if constexpr (requires { optimiser.verify(); }) throw_if(optimiser.verify());
}

}  // namespace impl

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::figure_fault>;
}
#endif
