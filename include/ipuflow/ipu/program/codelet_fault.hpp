// SPDX-License-Identifier: BSL-1.0
// Faults of the code of a codelet, of the fields of its vertices and of the steps of a program. Types decide them, so the
// compiler says the sentence where something else is handed over.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>

namespace ipuflow::ipu {

enum class codelet_wrong : unsigned char { nothing, body, operand, element, many_operands, cost, fields, step };

/// `where` is the name of the type that was handed over.
using codelet_fault = fault<codelet_wrong, type_text>;

constexpr const char* wording(codelet_wrong wrong) {
  switch (wrong) {
    case codelet_wrong::nothing:
      return "";
    case codelet_wrong::body:
      return "ipuflow: {where} is no code of a codelet; give a lambda of spans, without mutable or auto, that returns nothing";
    case codelet_wrong::operand:
      return "ipuflow: {where} is no operand of a codelet; let it be a std::span, of const elements if it is only read, or an ipu::inout";
    case codelet_wrong::element:
      return "ipuflow: a codelet has an operand {where}; let its elements be half, float, std::int32_t, std::uint32_t or std::uint8_t";
    case codelet_wrong::many_operands:
      return "ipuflow: a codelet has {got} operands, a vertex has at most {limit}; give numbers as fields, or let operands share a variable";
    case codelet_wrong::cost:
      return "ipuflow: {where} is no cost of this codelet; give a function of (const ipu::architecture&, ipu::lengths), and the fields if it has "
             "any, that returns an ipu::vertex_cost";
    case codelet_wrong::fields:
      return "ipuflow: {where} cannot be a field of a vertex; fields are copied byte by byte, so let it be plain data";
    case codelet_wrong::step:
      return "ipuflow: {where} is no step of a program; give what a function of ipu made, or one of the kinds in ipu/program/step.hpp";
  }
  return "";
}

constexpr message_text sentence(const codelet_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

}  // namespace ipuflow::ipu
