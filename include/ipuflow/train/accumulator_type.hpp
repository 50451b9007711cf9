// SPDX-License-Identifier: BSL-1.0
// Types of numbers in which the gradients of micro-batches are added up: the session's precision has one for all tensors, and a
// group of parameters may have its own.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/type_name.hpp>

#include <type_traits>

namespace ipuflow::train {

/// The type that gradients are added up in; `of_precision` takes that of the session's precision.
enum class accumulator_type : unsigned char { of_precision, f16, f32, f64 };

enum class accumulator_wrong : unsigned char { nothing, type, on_tiles };
/// `where` is the name of the type.
using accumulator_fault = fault<accumulator_wrong, type_text>;

constexpr message_text sentence(const accumulator_fault& f) {
  if (f.kind == accumulator_wrong::on_tiles)
    return message_text{"ipuflow: tiles have no doubles to add gradients up in, but a group asks for them; say accumulate_as<float> or <half>"};
  return filled("ipuflow: gradients are not added up in {where}; say accumulate_as<half>, <float> or <double>", {{"where", f.where}});
}

namespace impl {

/// Of no other type, `of_precision`.
template <class Number>
inline constexpr accumulator_type accumulator_of = std::is_same_v<Number, half>     ? accumulator_type::f16
                                                   : std::is_same_v<Number, float>  ? accumulator_type::f32
                                                   : std::is_same_v<Number, double> ? accumulator_type::f64
                                                                                    : accumulator_type::of_precision;

template <class Number>
constexpr accumulator_fault verify_accumulator() {
  if (accumulator_of<Number> != accumulator_type::of_precision) return {};
  return {.kind = accumulator_wrong::type, .where = type_name<Number>()};
}

/// The same for a type that has to be one of them.
template <class Number>
constexpr accumulator_type accepted_accumulator() {
  constexpr accumulator_fault found = verify_accumulator<Number>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  return accumulator_of<Number>;
}

}  // namespace impl

/// The type of a group's accumulators: `parameter_group{biases, rule, accumulate_as<half>}`.
template <class Number>
inline constexpr accumulator_type accumulate_as = impl::accepted_accumulator<Number>();

}  // namespace ipuflow::train
