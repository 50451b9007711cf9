// SPDX-License-Identifier: BSL-1.0
// A codelet: a callable on spans of one tile's memory, with a name, the size of its code, and its cost as a function of
// the lengths of those spans. A span of const elements is read, any other is written. The cost is said once, here; the
// engine that runs codelets and the one that only counts both ask for it.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>
#include <ipuflow/ipu/machine/workers.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

using name_text = fixed_string<31>;

[[nodiscard]] constexpr name_text name_from(std::string_view text) { return name_text{text}; }

inline constexpr std::size_t most_operands = 8;

/// The memory that one vertex is given, operand by operand.
struct vertex_memory {
  std::array<std::byte*, most_operands> data{};
  std::array<std::size_t, most_operands> elements{};
  std::size_t index = 0;  // of the vertex in its group

  template <class Element>
  [[nodiscard]] std::span<Element> operand(std::size_t i) const {
    return {reinterpret_cast<Element*>(data[i]), elements[i]};
  }
};

using lengths = std::span<const std::size_t>;

/// A parameter that a codelet reads and writes in place.
template <class Element>
struct inout : std::span<Element> {
  constexpr explicit inout(std::span<Element> elements) : std::span<Element>{elements} {}
};

/// What an operand of a codelet is.
struct operand_kind {
  element_type type = element_type::f32;
  bool read = false;
  bool written = false;

  friend constexpr bool operator==(const operand_kind&, const operand_kind&) = default;
};

namespace detail {

template <class>
struct parameter;
template <class Element>
struct parameter<std::span<Element>> {
  using element = Element;
  static constexpr operand_kind kind{element_type_of<Element>(), std::is_const_v<Element>, !std::is_const_v<Element>};
};
template <class Element>
struct parameter<inout<Element>> {
  using element = Element;
  static constexpr operand_kind kind{element_type_of<Element>(), true, true};
};

template <class>
struct body_of;
template <class Body, class... Parameter>
struct body_of<void (Body::*)(Parameter...) const> {
  static std::vector<operand_kind> operands() { return {parameter<Parameter>::kind...}; }
  static void call(const Body& body, const vertex_memory& memory) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      body(Parameter{memory.operand<typename parameter<Parameter>::element>(I)}...);
    }(std::index_sequence_for<Parameter...>{});
  }
};
template <class Body, class... Parameter>
struct body_of<void (Body::*)(std::size_t, Parameter...) const> : body_of<void (Body::*)(Parameter...) const> {
  static void call(const Body& body, const vertex_memory& memory) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      body(memory.index, Parameter{memory.operand<typename parameter<Parameter>::element>(I)}...);
    }(std::index_sequence_for<Parameter...>{});
  }
};

}  // namespace detail

class codelet {
 public:
  /// `body(span...)` or `body(vertex index, span...)`, and `cost(architecture, lengths)`.
  template <class Body, class Cost>
  codelet(name_text name, bytes code, Body body, Cost cost)
      : name_{name},
        code_{code},
        operands_{traits<Body>::operands()},
        what_{static_cast<const void*>(new parts<Body, Cost>{std::move(body), std::move(cost)}), &destroy<Body, Cost>},
        run_{[](const void* what, const vertex_memory& memory) {
          traits<Body>::call(static_cast<const parts<Body, Cost>*>(what)->body, memory);
        }},
        cost_{[](const void* what, const architecture& chip, lengths n) -> vertex_cost {
          return static_cast<const parts<Body, Cost>*>(what)->cost(chip, n);
        }} {}

  [[nodiscard]] const name_text& name() const { return name_; }
  [[nodiscard]] bytes code() const { return code_; }
  [[nodiscard]] const std::vector<operand_kind>& operands() const { return operands_; }
  void run(const vertex_memory& memory) const { run_(what_.get(), memory); }
  [[nodiscard]] vertex_cost cost(const architecture& chip, lengths n) const { return cost_(what_.get(), chip, n); }

  /// Bytes of state of one vertex: a pointer and a length for each operand, and its entry address.
  [[nodiscard]] bytes state() const { return {4 + 8 * operands_.size()}; }

 private:
  template <class Body>
  using traits = detail::body_of<decltype(&Body::operator())>;
  template <class Body, class Cost>
  struct parts {
    Body body;
    Cost cost;
  };
  /// One kind of shared pointer for all codelets: what it costs to compile is not paid for each of them.
  template <class Body, class Cost>
  static void destroy(const void* what) {
    delete static_cast<const parts<Body, Cost>*>(what);
  }

  name_text name_;
  bytes code_;
  std::vector<operand_kind> operands_;
  std::shared_ptr<const void> what_;
  void (*run_)(const void*, const vertex_memory&);
  vertex_cost (*cost_)(const void*, const architecture&, lengths);
};

}  // namespace ipuflow::ipu
