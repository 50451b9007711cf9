// SPDX-License-Identifier: BSL-1.0
// All schedules by name, for programs that learn at run time which one is wanted.
#pragma once

#include <ipuflow/schedule/generators/chimera.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/interleaved.hpp>
#include <ipuflow/schedule/generators/interleaved_1f1b.hpp>
#include <ipuflow/schedule/generators/looped_bfs.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/phased.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>
#include <ipuflow/schedule/generators/v_half.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/generators/zb1p.hpp>
#include <ipuflow/schedule/generators/zb2p.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace ipuflow::schedule {

namespace impl {

/// Some generators, and a call for each of them.
template <const auto&... Generator>
struct generator_list {
  static constexpr std::string_view names[] = {Generator.name...};

  /// Calls `visit(generator)` until that returns true; false if it never did.
  template <class Visit>
  static constexpr bool any_of(Visit visit) {
    return (visit(Generator) || ...);
  }
};

}  // namespace impl

/// Every schedule there is: a new one needs its header and its word here.
using catalogue =
    impl::generator_list<grouped, interleaved, sequential, sharded, phased, gpipe, one_f_one_b, eager_1f1b, interleaved_1f1b,
                   looped_bfs, zb1p, zb2p, zbv, v_half, v_min, dualpipe, dualpipev, chimera, forwards_only>;

inline constexpr const auto& schedule_names = catalogue::names;

enum class name_wrong : unsigned char { nothing, unknown, unknown_of_plan };

using name_fault = fault<name_wrong, fixed_string<40>>;

constexpr message_text sentence(const name_fault& f) {
  message_text text = filled("ipuflow: no schedule is called '{where}'; use one of", {{"where", f.where}});
  for (const std::string_view name : schedule_names) {
    text += " ";
    text += name;
  }
  if (f.kind == name_wrong::unknown_of_plan) text += " popart search";
  return text;
}

namespace impl {

template <const auto& First, const auto&... Rest, class Use>
constexpr decltype(auto) with_one_of(std::string_view name, const setup& asked, Use& use) {
  if constexpr (sizeof...(Rest) > 0) {
    if (name != First.name) return with_one_of<Rest...>(name, asked, use);
  } else if (name != First.name) {
    throw_if(name_fault{.kind = name_wrong::unknown, .where = fixed_string<40>{name}});
  }
  if constexpr (requires { First.by_costs(asked, use.costs, use.use); }) {
    return First.by_costs(asked, use.costs, use.use);
  } else {
    return First.by_name(asked, use);
  }
}

/// A use that knows what passes cost.
template <class Costs, class Use>
struct use_for_costs {
  const Costs& costs;
  Use& use;

  template <class T>
  constexpr decltype(auto) operator()(const T& t) const {
    return use(t);
  }
};

template <const auto&... Generator, class Use>
constexpr decltype(auto) with_one_of(generator_list<Generator...>, std::string_view name, const setup& asked,
                                     Use& use) {
  return with_one_of<Generator...>(name, asked, use);
}

}  // namespace impl

/// Calls `use(timetable)` with the schedule of that name; a name that there is none of is thrown.
template <class Use>
constexpr decltype(auto) with_schedule(std::string_view name, const setup& asked, Use&& use) {
  return impl::with_one_of(catalogue{}, name, asked, use);
}

/// The same for passes that cost as much: a schedule whose order depends on that is the one for these costs.
template <pricing Costs, class Use>
constexpr decltype(auto) with_schedule(std::string_view name, const setup& asked, const Costs& c, Use&& use) {
  impl::use_for_costs<Costs, std::remove_reference_t<Use>> for_costs{c, use};
  return impl::with_one_of(catalogue{}, name, asked, for_costs);
}

/// True if the order of that schedule depends on costs.
[[nodiscard]] constexpr bool depends_on_costs(std::string_view name) {
  return catalogue::any_of([name](const auto& generator) { return generator.name == name && requires { generator.depends_on_costs; }; });
}

}  // namespace ipuflow::schedule
