// SPDX-License-Identifier: BSL-1.0
// Telling steps apart: by concepts where the kind is a type, by a visitor that is called with it where it is a value.
// A visitor that forgets a kind does not compile.
#pragma once

#include <ipuflow/ipu/program/step.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::ipu {

namespace impl {

template <class Kind>
concept made_of_steps =
    std::is_same_v<Kind, sequence_of> || std::is_same_v<Kind, repeat_of> || std::is_same_v<Kind, parallel_of> ||
    std::is_same_v<Kind, overlap_of> || std::is_same_v<Kind, label_of>;
/// A step that chips do. A visitor of leaves has an overload for each, so a kind that is forgotten does not compile.
template <class Kind>
concept leaf_step = !made_of_steps<Kind> && !std::is_same_v<Kind, call>;
/// A leaf that moves one variable, to or from somewhere that is no variable.
template <class Kind>
concept transfer_step = leaf_step<Kind> && requires(const Kind& s) { s.variable; };

/// The steps that one is made of; of two lists that overlap, none.
template <class Step>
auto* steps_in(Step& s) {
  if (auto* const kind = s.template get_if<repeat_of>()) return &kind->steps;
  if (auto* const kind = s.template get_if<parallel_of>()) return &kind->steps;
  if (auto* const kind = s.template get_if<label_of>()) return &kind->steps;
  auto* const kind = s.template get_if<sequence_of>();
  return kind == nullptr ? nullptr : &kind->steps;
}

template <class = void>
bool is_made_of_steps(const step& s) {
  return steps_in(s) != nullptr || s.is<overlap_of>();
}

/// Calls `visitor` with what a step of its kind holds.
template <class Step, class Visitor>
decltype(auto) visit_kind(Step& s, Visitor&& visitor) {
  static_assert(step::kinds == 18, "each kind has its line");
  switch (s.index()) {
    case 0: return visitor(s.template as<step::kind<0>>());
    case 1: return visitor(s.template as<step::kind<1>>());
    case 2: return visitor(s.template as<step::kind<2>>());
    case 3: return visitor(s.template as<step::kind<3>>());
    case 4: return visitor(s.template as<step::kind<4>>());
    case 5: return visitor(s.template as<step::kind<5>>());
    case 6: return visitor(s.template as<step::kind<6>>());
    case 7: return visitor(s.template as<step::kind<7>>());
    case 8: return visitor(s.template as<step::kind<8>>());
    case 9: return visitor(s.template as<step::kind<9>>());
    case 10: return visitor(s.template as<step::kind<10>>());
    case 11: return visitor(s.template as<step::kind<11>>());
    case 12: return visitor(s.template as<step::kind<12>>());
    case 13: return visitor(s.template as<step::kind<13>>());
    case 14: return visitor(s.template as<step::kind<14>>());
    case 15: return visitor(s.template as<step::kind<15>>());
    case 16: return visitor(s.template as<step::kind<16>>());
    default: return visitor(s.template as<step::kind<17>>());
  }
}

}  // namespace impl

/// Calls `visit(step)` for each step that `s` is made of; functions that are called are no part of it.
template <class Step, class Visit>
void for_each_inner(Step& s, Visit&& visit) {
  const auto each = [&](auto& steps) {
    for (auto& inner : steps) visit(inner);
  };
  if (auto* const both = s.template get_if<impl::overlap_of>()) {
    each(both->transfers);
    each(both->compute);
  } else if (auto* const steps = impl::steps_in(s)) {
    each(*steps);
  }
}

}  // namespace ipuflow::ipu
