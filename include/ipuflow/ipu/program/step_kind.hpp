// SPDX-License-Identifier: BSL-1.0
// Telling steps apart: by concepts where the kind is a type, by a visitor that is called with it where it is a value.
// A visitor that forgets a kind does not compile.
#pragma once

#include <ipuflow/ipu/program/step.hpp>

#include <cstddef>
#include <type_traits>
#include <variant>

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
  if (auto* const kind = std::get_if<repeat_of>(&s)) return &kind->steps;
  if (auto* const kind = std::get_if<parallel_of>(&s)) return &kind->steps;
  if (auto* const kind = std::get_if<label_of>(&s)) return &kind->steps;
  auto* const kind = std::get_if<sequence_of>(&s);
  return kind == nullptr ? nullptr : &kind->steps;
}

template <class = void>
bool is_made_of_steps(const step& s) {
  return steps_in(s) != nullptr || std::holds_alternative<overlap_of>(s);
}

/// Calls `visitor` with the kind that a step is of, as std::visit does; that one takes many times as long to compile.
template <class Step, class Visitor>
decltype(auto) visit_kind(Step& s, Visitor&& visitor) {
  static_assert(step::kinds == 18, "each kind has its line");
  switch (s.index()) {
    case 0: return visitor(*std::get_if<0>(&s));
    case 1: return visitor(*std::get_if<1>(&s));
    case 2: return visitor(*std::get_if<2>(&s));
    case 3: return visitor(*std::get_if<3>(&s));
    case 4: return visitor(*std::get_if<4>(&s));
    case 5: return visitor(*std::get_if<5>(&s));
    case 6: return visitor(*std::get_if<6>(&s));
    case 7: return visitor(*std::get_if<7>(&s));
    case 8: return visitor(*std::get_if<8>(&s));
    case 9: return visitor(*std::get_if<9>(&s));
    case 10: return visitor(*std::get_if<10>(&s));
    case 11: return visitor(*std::get_if<11>(&s));
    case 12: return visitor(*std::get_if<12>(&s));
    case 13: return visitor(*std::get_if<13>(&s));
    case 14: return visitor(*std::get_if<14>(&s));
    case 15: return visitor(*std::get_if<15>(&s));
    case 16: return visitor(*std::get_if<16>(&s));
    default: return visitor(*std::get_if<17>(&s));
  }
}

}  // namespace impl

/// Calls `visit(step)` for each step that `s` is made of; functions that are called are no part of it.
template <class Step, class Visit>
void for_each_inner(Step& s, Visit&& visit) {
  const auto each = [&](auto& steps) {
    for (auto& inner : steps) visit(inner);
  };
  if (auto* const both = std::get_if<impl::overlap_of>(&s)) {
    each(both->transfers);
    each(both->compute);
  } else if (auto* const steps = impl::steps_in(s)) {
    each(*steps);
  }
}

}  // namespace ipuflow::ipu
