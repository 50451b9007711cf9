// SPDX-License-Identifier: BSL-1.0
// An optimiser whose rate is an argument of the run: `rate_from<"rate">(sgd{})` in a session of a pipeline that declares
// `per_run<"rate", float>`, and `session(step, with<"rate">(0.1f))`.
#pragma once

#include <ipuflow/graph/arguments.hpp>
#include <ipuflow/train/optimisers/groups.hpp>

namespace ipuflow::train {

namespace impl {

template <fixed_string Name, class Rule>
struct rate_given : Rule {
  static constexpr auto rate_name = Name;
};

}  // namespace impl

/// The rule, with a rate that each run is given.
template <fixed_string Name, class Rule>
[[nodiscard]] constexpr impl::rate_given<Name, Rule> rate_from(const Rule& rule) {
  return {rule};
}

namespace impl {

/// The fault of a pipeline that does not declare the argument that an optimiser reads.
template <class P, class Optimiser>
[[nodiscard]] constexpr argument_fault verify_rate() {
  if constexpr (requires { Optimiser::rate_name; }) {
    using all = entering_of<P>;
    for (std::size_t i = 0; i < all::size; ++i) {
      if (all::given[i] && all::names[i] == Optimiser::rate_name.view()) return {};
    }
    return {argument_wrong::unknown, 0, 0, {fixed_string<60>{Optimiser::rate_name.view()}, {}}};
  } else {
    return {};
  }
}

/// Sets the rate that a run is given, of all groups.
template <class Optimiser, class... Argument>
constexpr void set_rate(Optimiser& optimiser, const Argument&... given) {
  using rule = rule_of<Optimiser>;
  if constexpr (requires { rule::rate_name; }) {
    const auto look = [&]<class Given>(const Given& one) {
      if constexpr (Given::name.view() == rule::rate_name.view())
        rules_of<Optimiser>::each(optimiser, [&](rule& each) { each.rate = static_cast<float>(one.value); });
    };
    (look(given), ...);
  }
}

}  // namespace impl

}  // namespace ipuflow::train
