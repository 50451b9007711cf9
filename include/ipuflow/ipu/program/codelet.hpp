// SPDX-License-Identifier: BSL-1.0
// A codelet: a callable on spans of one tile's memory, with a name, the size of its code, and its cost as a function of
// the lengths of those spans. A span of const elements is read, any other is written. A vertex may have fields besides:
// a value of its own. The cost is said once, here; the engine that runs codelets and the one that only counts both ask.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>
#include <ipuflow/ipu/program/codelet_fault.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace ipuflow::ipu {

using name_text = fixed_string<31>;

constexpr name_text name_from(std::string_view text) { return name_text{text}; }

namespace impl {

inline constexpr std::size_t most_operands = 8;

/// The memory that one vertex is given, operand by operand.
struct vertex_memory {
  std::array<std::byte*, most_operands> data{};
  std::array<std::size_t, most_operands> elements{};
  const std::byte* fields = nullptr;

  template <class Element>
  std::span<Element> operand(std::size_t i) const {
    return {reinterpret_cast<Element*>(data[i]), elements[i]};
  }
};

}  // namespace impl

using lengths = light_span<const std::size_t>;

namespace impl {

/// The fields that each vertex of a group has besides its operands: values of one type that may be copied byte by byte.
class vertex_fields {
 public:
  vertex_fields() = default;
  template <class Fields>
    requires requires(const Fields& f) { f.data(), f.size(); }
  vertex_fields(const Fields& of_vertices) : size_{sizeof(*of_vertices.data())}, bytes_(of_vertices.size() * size_) {
    using Field = std::remove_cvref_t<decltype(*of_vertices.data())>;
    constexpr bool plain = std::is_trivially_copyable_v<Field>;
    constexpr codelet_fault found{.kind = plain ? codelet_wrong::nothing : codelet_wrong::fields, .where = type_name<Field>()};
    [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
    if (!bytes_.empty()) std::memcpy(bytes_.data(), of_vertices.data(), bytes_.size());
    if constexpr (plain) same_ = &same<Field>;
  }

  std::size_t bytes() const { return bytes_.size(); }
  /// Bytes of those of one vertex.
  std::size_t each() const { return size_; }
  /// True if a vertex has the same as the one before it; of fields with padding, or with real numbers, `==` says so.
  bool repeats(std::size_t vertex) const { return bytes_.empty() || same_(of(vertex - 1), of(vertex)); }
  const std::byte* of(std::size_t vertex) const { return bytes_.empty() ? nullptr : bytes_.data() + vertex * size_; }

 private:
  /// Padding holds anything, so bytes are compared only of fields that have none.
  template <class Field>
  static bool same(const std::byte* one, const std::byte* other) {
    if constexpr (std::has_unique_object_representations_v<Field>) {
      return std::memcmp(one, other, sizeof(Field)) == 0;
    } else if constexpr (requires(const Field& a, const Field& b) { Field{}, static_cast<bool>(a == b); }) {
      Field a{}, b{};
      std::memcpy(&a, one, sizeof a), std::memcpy(&b, other, sizeof b);
      return a == b;
    } else {
      return false;
    }
  }

  std::size_t size_ = 0;
  bool (*same_)(const std::byte*, const std::byte*) = nullptr;
  light_vector<std::byte> bytes_;
};

}  // namespace impl

/// A parameter that a codelet reads and writes in place.
template <class Element>
struct inout : std::span<Element> {
  constexpr explicit inout(std::span<Element> elements) : std::span<Element>{elements} {}
};

namespace impl {

/// The kind of an operand of a codelet.
struct operand_kind {
  element_type type = element_type::f32;
  bool read = false;
  bool written = false;

  friend constexpr bool operator==(const operand_kind&, const operand_kind&) = default;
};

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

template <class Element>
constexpr bool computed_on_tiles =
    std::is_same_v<Element, half> || std::is_same_v<Element, float> || std::is_same_v<Element, std::int32_t> ||
    std::is_same_v<Element, std::uint32_t> || std::is_same_v<Element, std::uint8_t>;

template <class Given>
constexpr codelet_fault verify_operand() {
  if constexpr (!requires { typename parameter<Given>::element; }) {
    return {.kind = codelet_wrong::operand, .where = type_name<Given>()};
  } else if (!computed_on_tiles<std::remove_cv_t<typename parameter<Given>::element>>) {
    return {.kind = codelet_wrong::element, .where = type_name<Given>()};
  }
  return {};
}

template <class... Given>
constexpr codelet_fault verify_operands() {
  codelet_fault first;
  if (sizeof...(Given) > most_operands) return {codelet_wrong::many_operands, sizeof...(Given), most_operands};
  ((first ? void() : void(first = verify_operand<Given>())), ...);
  return first;
}

/// `call(span...)` with the operands of a vertex.
template <class... Parameter, class Call>
void on_operands(const vertex_memory& memory, Call&& call) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    call(Parameter{memory.operand<typename parameter<Parameter>::element>(I)}...);
  }(std::index_sequence_for<Parameter...>{});
}

template <class>
struct body_of;
template <class Body, class... Parameter>
struct body_of<void (Body::*)(Parameter...) const> {
  static constexpr std::size_t field_size = 0;
  static constexpr codelet_fault verify() { return verify_operands<Parameter...>(); }
  static light_vector<operand_kind> operands() { return {parameter<Parameter>::kind...}; }
  static void call(const Body& body, const vertex_memory& memory) { on_operands<Parameter...>(memory, body); }
};
template <class Body, class Field, class... Parameter>
  requires(!requires { typename parameter<Field>::element; })
struct body_of<void (Body::*)(Field, Parameter...) const> {
  static constexpr std::size_t field_size = sizeof(Field);
  static constexpr codelet_fault verify() { return verify_operands<Parameter...>(); }
  static light_vector<operand_kind> operands() { return {parameter<Parameter>::kind...}; }
  static auto field(const std::byte* from) {
    std::remove_cvref_t<Field> made;
    std::memcpy(&made, from, sizeof made);
    return made;
  }
  static void call(const Body& body, const vertex_memory& memory) {
    on_operands<Parameter...>(memory, [&](Parameter... operands) { body(field(memory.fields), operands...); });
  }
};

/// The code in place of a body that is none: all that a codelet asks for, so that its sentence is the first error.
template <class Body, class = void>
struct code_of {
  static constexpr std::size_t field_size = 0;
  static constexpr codelet_fault verify() { return {.kind = codelet_wrong::body, .where = type_name<Body>()}; }
  static light_vector<operand_kind> operands() { return {}; }
  static void call(const Body&, const vertex_memory&) {}
};
template <class Body>
struct code_of<Body, std::void_t<decltype(body_of<decltype(&Body::operator())>::field_size)>>
    : body_of<decltype(&Body::operator())> {};

}  // namespace impl

class codelet {
 public:
  /// `body(span...)` or `body(fields, span...)`; `cost(architecture, lengths)` or `cost(architecture, lengths, fields)`.
  template <class Body, class Cost>
  codelet(name_text name, bytes code, Body body, Cost cost)
      : name_{name},
        code_{code},
        operands_{traits<Body>::operands()},
        field_size_{traits<Body>::field_size},
        cost_varies_{!cost_of_lengths<Cost>},
        what_{new parts<Body, Cost>{std::move(body), std::move(cost)}, &destroy<Body, Cost>},
        run_{[](const void* what, const impl::vertex_memory& memory) {
          traits<Body>::call(static_cast<const parts<Body, Cost>*>(what)->body, memory);
        }},
        cost_{[](const void* what, const architecture& chip, lengths n, const std::byte* fields) -> vertex_cost {
          const Cost& cost_of = static_cast<const parts<Body, Cost>*>(what)->cost;
          if constexpr (cost_of_lengths<Cost>)
            return cost_of(chip, n);
          else if constexpr (cost_of_fields<Body, Cost>)
            return cost_of(chip, n, traits<Body>::field(fields));
          else
            return {};  // refused below
        }} {
    constexpr codelet_fault found = verify<Body, Cost>();
    [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  }

  const name_text& name() const { return name_; }
  bytes code() const { return code_; }
  const light_vector<impl::operand_kind>& operands() const { return operands_; }
  void run(const impl::vertex_memory& memory) const { run_(what_.get(), memory); }
  vertex_cost cost(const architecture& chip, lengths n, const std::byte* fields = nullptr) const {
    return cost_(what_.get(), chip, n, fields);
  }
  /// Bytes of the fields of a vertex, and whether its cost depends on them.
  std::size_t field_size() const { return field_size_; }
  bool cost_varies() const { return cost_varies_; }

  /// Bytes of state of one vertex: a pointer and a length for each operand, and its entry address.
  bytes state() const { return {4 + 8 * operands_.size()}; }

 private:
  template <class Body>
  using traits = impl::code_of<Body>;
  template <class Cost>
  static constexpr bool cost_of_lengths = std::is_invocable_v<const Cost&, const architecture&, lengths>;
  template <class Body, class Cost>
  static constexpr bool cost_of_fields = requires(const Cost& cost_of, const architecture& chip, const std::byte* fields) {
    cost_of(chip, lengths{}, traits<Body>::field(fields));
  };
  template <class Body, class Cost>
  static constexpr codelet_fault verify() {
    if (traits<Body>::verify()) return traits<Body>::verify();
    if (cost_of_lengths<Cost> || cost_of_fields<Body, Cost>) return {};
    return {.kind = codelet_wrong::cost, .where = type_name<Cost>()};
  }
  template <class Body, class Cost>
  struct parts {
    Body body;
    Cost cost;
  };
  /// Not a `shared<parts>`: one kind for all codelets is compiled once.
  template <class Body, class Cost>
  static void destroy(void* what) {
    delete static_cast<parts<Body, Cost>*>(what);
  }

  name_text name_;
  bytes code_;
  light_vector<impl::operand_kind> operands_;
  std::size_t field_size_;
  bool cost_varies_;
  shared_thing what_;
  void (*run_)(const void*, const impl::vertex_memory&);
  vertex_cost (*cost_)(const void*, const architecture&, lengths, const std::byte*);
};

enum class vertex_wrong : unsigned char { nothing, fields, field, no_such_tile };
using vertex_fault = fault<vertex_wrong, name_text>;

constexpr const char* wording(vertex_wrong wrong) {
  switch (wrong) {
    case vertex_wrong::nothing:
      break;
    case vertex_wrong::fields:
      return "ipuflow: vertices of codelet '{where}' have {got} byte{s} of fields but need {limit}; give each vertex one value of the type that the codelet "
             "reads";
    case vertex_wrong::field:
      return "ipuflow: a vertex of codelet '{where}' is given a field of {got} byte{s}, but the codelet reads one of {limit}; give values of its type";
    case vertex_wrong::no_such_tile:
      return "ipuflow: vertices of codelet '{where}' are on tile {got} of {limit}; use tiles below that";
  }
  return "";
}

/// `where` is the codelet's name; `got` and `limit` are bytes, or tiles.
template <class = void>
constexpr message_text sentence(const vertex_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

}  // namespace ipuflow::ipu
