// SPDX-License-Identifier: BSL-1.0
// The ops of a block. An op is a layer, which answers `output_of(op, input...)`, or any callable whose result type
// follows from its arguments; `call` applies either. A std::tuple is several values, void is none.
#pragma once

#include <ipuflow/core/type_name.hpp>

#include <boost/hana/tuple.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow {

/// The types of the values that travel between two ops.
template <class... T>
struct values {
  static constexpr std::size_t count = sizeof...(T);
};

template <class Op, class... Input>
concept layer_for = requires(const Op& op, const std::remove_cvref_t<Input>&... input) { output_of(op, input...); };

/// Applies an op. A layer applied to the types of tensors gives the type of its result.
template <class Op, class... Input>
  requires layer_for<Op, Input...>
constexpr auto call(const Op& op, Input&&... input) {
  return output_of(op, input...);
}

template <class Op, class... Input>
  requires(!layer_for<Op, Input...>)
constexpr auto call(const Op& op, Input&&... input) -> decltype(op(std::forward<Input>(input)...)) {
  return op(std::forward<Input>(input)...);
}

template <class Op, class Object, class... Input>
  requires std::is_member_function_pointer_v<Op>
constexpr auto call(const Op& op, Object&& object, Input&&... input)
    -> decltype((std::forward<Object>(object).*op)(std::forward<Input>(input)...)) {
  return (std::forward<Object>(object).*op)(std::forward<Input>(input)...);
}

template <class Op, class Object>
  requires std::is_member_object_pointer_v<Op>
constexpr auto call(const Op& op, Object&& object) -> decltype((std::forward<Object>(object).*op)) {
  return std::forward<Object>(object).*op;
}

template <class Op, class... Input>
concept op_for = requires(const Op& op, Input&&... input) { ipuflow::call(op, std::forward<Input>(input)...); };

/// The values of a result: a tuple gives its elements, void none, and anything else itself.
template <class Result>
struct spread {
  using type = values<std::remove_cvref_t<Result>>;
};
template <>
struct spread<void> {
  using type = values<>;
};
template <class... T>
struct spread<std::tuple<T...>> {
  using type = values<std::remove_cvref_t<T>...>;
};

/// The values that a result stands for.
template <class Result>
using spread_t = typename spread<std::remove_cvref_t<Result>>::type;

namespace impl {

template <class Op, class... Input>
using given_by = decltype(ipuflow::call(std::declval<const Op&>(), std::declval<Input>()...));

}  // namespace impl
template <class Op, class... Input>
using result_of = spread_t<impl::given_by<Op, Input...>>;

namespace impl {

/// True if what an op gives can become values: it is not a reference to something that cannot be copied.
template <class Result>
inline constexpr bool is_given = std::is_void_v<Result> || std::is_constructible_v<std::remove_cvref_t<Result>, Result>;
template <class... T>
inline constexpr bool is_given<std::tuple<T...>> = (std::is_constructible_v<std::remove_cvref_t<T>, T> && ...);

}  // namespace impl

/// The arguments that an op declares, where that can be told without calling it; otherwise `void`. Of a member function,
/// the object comes first.
template <class Op>
struct arguments {
  using type = void;
};
template <class Result, class... Input>
struct arguments<Result (*)(Input...)> {
  using type = values<Input...>;
};
template <class Result, class... Input>
struct arguments<Result (*)(Input...) noexcept> : arguments<Result (*)(Input...)> {};
template <class Result, class Class, class... Input>
struct arguments<Result (Class::*)(Input...) const> : arguments<Result (*)(Class, Input...)> {};
template <class Result, class Class, class... Input>
struct arguments<Result (Class::*)(Input...) const noexcept> : arguments<Result (*)(Class, Input...)> {};
template <class Member, class Class>
  requires std::is_object_v<Member>
struct arguments<Member Class::*> : arguments<Member (*)(Class)> {};

namespace impl {

template <class Object, class... Input>
constexpr values<Input...> without_object(values<Object, Input...>);

}  // namespace impl
template <class Op>
  requires requires { impl::without_object(typename arguments<decltype(&Op::operator())>::type{}); }
struct arguments<Op> {
  using type = decltype(impl::without_object(typename arguments<decltype(&Op::operator())>::type{}));
};

namespace impl {

/// A callable that is only callable while it is not constant: a `mutable` lambda.
template <class Op>
inline constexpr bool is_mutable = false;
template <class Op>
  requires requires { &Op::operator(); }
inline constexpr bool is_mutable<Op> = std::is_void_v<typename arguments<decltype(&Op::operator())>::type>;

/// "float, tensor<half, 3>": the names of the types, for sentences.
template <class... T>
[[nodiscard]] constexpr type_text names_of(values<T...>) {
  type_text text;
  [[maybe_unused]] const char* between = "";
  ((text += between, text += type_name<T>(), between = ", "), ...);
  return text;
}

/// The op's name, and what it takes where that is known.
template <class Op>
[[nodiscard]] constexpr type_text signature_text() {
  type_text text = type_name<Op>();
  if constexpr (!std::is_void_v<typename arguments<Op>::type>) {
    text += ", which takes (";
    text += impl::names_of(typename arguments<Op>::type{});
    text += ")";
  } else if constexpr (is_mutable<Op>) {
    text += ", which is mutable though ops are constant";
  }
  return text;
}

}  // namespace impl

/// Gives an op values that were declared or kept by name, after those that flow: `use<"label">(cross_entropy)`.
template <class Op, fixed_string... Name>
struct use_t {
  Op op;
};
template <fixed_string... Name, class Op>
[[nodiscard]] constexpr use_t<std::decay_t<Op>, Name...> use(Op&& op) {
  return {std::forward<Op>(op)};
}

/// Names what flows here, so that ops further on can use it: `keep<"skip">`.
template <fixed_string... Name>
struct keep_t {};
template <fixed_string... Name>
inline constexpr keep_t<Name...> keep{};

/// Names what flows here and takes it out of the flow, so that the next op begins with what it uses: `set_aside<"main">,
/// use<"skip">(projection), use<"main">(add)`.
template <fixed_string... Name>
struct set_aside_t {};
template <fixed_string... Name>
inline constexpr set_aside_t<Name...> set_aside{};

}  // namespace ipuflow
