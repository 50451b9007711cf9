// SPDX-License-Identifier: BSL-1.0
// Faults of the shapes of operations, and of variables that are not of their shape: said where the operation is made.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace ipuflow::ipu {

enum class operation_wrong : unsigned char { nothing, no_size, large_window, wide_padding, uneven, elements };

/// The operation, the size or variable in question, and of what it has to be a multiple.
struct operation_place {
  fixed_string<32> operation{};
  name_text what{};
  fixed_string<16> parts{};

  friend constexpr bool operator==(const operation_place&, const operation_place&) = default;
};

using operation_fault = fault<operation_wrong, operation_place>;

template <class = void>
constexpr const char* wording(operation_wrong wrong) {
  switch (wrong) {
    case operation_wrong::nothing:
      break;
    case operation_wrong::no_size:
      return "ipuflow: ipu::{operation} is given 0 as {what}; give at least {limit}";
    case operation_wrong::large_window:
      return "ipuflow: ipu::{operation} has windows of {got} {what}, but images have {limit} with their padding; make windows no larger";
    case operation_wrong::wide_padding:
      return "ipuflow: ipu::{operation} has {got} pixels of padding on each side, so windows of {limit} may hold nothing else; pad by at most half "
             "a window";
    case operation_wrong::uneven:
      return "ipuflow: ipu::{operation} has {got} {what}, no multiple of {limit} {parts}; give whole ones";
    case operation_wrong::elements:
      return "ipuflow: ipu::{operation} is given '{what}' of {got} element{s}, but by its shape that has {limit}; give both alike";
  }
  return "";
}

template <class = void>
constexpr message_text sentence(const operation_fault& f) {
  const auto& [operation, what, parts] = f.where;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"operation", operation}, {"what", what},
                                  {"parts", parts}});
}

namespace impl {

using operation_name = std::string_view;

struct named_size {
  std::string_view what;
  std::size_t size;
};
/// The first size of a shape that is 0.
template <class = void>
constexpr operation_fault verify_sizes(operation_name of, std::initializer_list<named_size> sizes) {
  for (const named_size& s : sizes) {
    if (s.size == 0) return {operation_wrong::no_size, 0, 1, {fixed_string<32>{of}, name_from(s.what), {}}};
  }
  return {};
}

/// Windows lie on images that are padded on both sides.
template <class = void>
constexpr operation_fault verify_window(operation_name of, named_size window, std::size_t image, std::size_t padding) {
  const operation_place where{fixed_string<32>{of}, name_from(window.what), {}};
  const std::size_t padded = image + 2 * padding;
  return window.size > padded ? operation_fault{operation_wrong::large_window, window.size, padded, where} : operation_fault{};
}

template <class = void>
constexpr operation_fault verify_multiple(operation_name of, named_size all, named_size part) {
  const operation_place where{fixed_string<32>{of}, name_from(all.what), fixed_string<16>{part.what}};
  return all.size % part.size != 0 ? operation_fault{operation_wrong::uneven, all.size, part.size, where} : operation_fault{};
}

template <class = void>
constexpr operation_fault verify_elements(operation_name of, const name_text& what, std::size_t got, std::size_t wanted) {
  if (got == wanted) return {};
  return {operation_wrong::elements, got, wanted, {fixed_string<32>{of}, what, {}}};
}

struct wanted_size {
  variable_id variable;
  std::size_t elements;
};
/// Throws if a variable is not of the size that a shape gives it.
template <class = void>
void check_elements(const graph& g, operation_name of, std::initializer_list<wanted_size> variables) {
  for (const auto& [id, elements] : variables) throw_if(verify_elements(of, g[id].name(), g[id].elements(), elements));
}

}  // namespace impl

}  // namespace ipuflow::ipu
