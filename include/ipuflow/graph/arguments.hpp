// SPDX-License-Identifier: BSL-1.0
// Arguments of a run: values of `per_run` are given once for all items, `with<"rate">(0.1f)`, beside the items, each of
// which holds the inputs and the values of `per_sample`. Both together are what enters the first stage.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/keeps_number.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/graph/pipeline.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow {

/// A value for a whole run, by the name that `per_run` declares.
template <fixed_string Name, class T>
struct argument {
  static constexpr auto name = Name;
  T value;
};

/// The argument of a run: `session(step, with<"rate">(0.1f))`.
template <fixed_string Name, class T>
[[nodiscard]] constexpr argument<Name, std::decay_t<T>> with(T&& value) {
  return {std::forward<T>(value)};
}

enum class argument_wrong : unsigned char { nothing, no_argument, missing, unknown, twice, other_type, cut };

/// The name of an argument, or the type of what is given in its place.
struct argument_site {
  fixed_string<60> name{};
  type_text type{};

  friend constexpr bool operator==(const argument_site&, const argument_site&) = default;
};
using argument_fault = fault<argument_wrong, argument_site>;

constexpr const char* wording(argument_wrong wrong) {
  switch (wrong) {
    case argument_wrong::nothing:
      break;
    case argument_wrong::no_argument:
      return "ipuflow: a run is given {type} as an argument; give with<\"name\">(value) for each value of per_run";
    case argument_wrong::missing:
      return "ipuflow: the pipeline declares per_run<\"{name}\", ...> but the run is not given it; add with<\"{name}\">(value) behind the options "
             "of a run or the samples of a step";
    case argument_wrong::unknown:
      return "ipuflow: a run is given '{name}', which the pipeline does not declare; declare it as per_run<\"{name}\", T>, or leave it out";
    case argument_wrong::twice:
      return "ipuflow: a run is given '{name}' twice; give it once";
    case argument_wrong::other_type:
      return "ipuflow: a run is given '{name}' as {type}, which does not become what the pipeline declares; give it a value of that type";
    case argument_wrong::cut:
      return "ipuflow: a run is given '{name}' with a number that the {limit} bits which the pipeline declares for it do not hold; declare a wider type, "
             "or give another number";
  }
  return "";
}

constexpr message_text sentence(const argument_fault& f) {
  const auto& name = f.where.name;
  return filled(wording(f.kind), {{"type", f.where.type}, {"name", name}, {"limit", f.limit}});
}

/// True of a value of a run with its name: what `with` makes.
template <class T>
inline constexpr bool is_argument = false;
template <fixed_string Name, class T>
inline constexpr bool is_argument<argument<Name, T>> = true;

namespace impl {

/// The values that enter a pipeline, in its order: the name of each, empty if it has none, and whether a run is given it.
template <class Arguments>
struct entering;
template <class... T, fixed_string... Name, class... N, fixed_string... Given>
struct entering<flow::given_arguments<flow::point<values<T...>, named<Name, N>...>, Given...>> {
  static constexpr std::size_t inputs = sizeof...(T);
  static constexpr std::size_t size = sizeof...(T) + sizeof...(N);
  using types = std::tuple<T..., N...>;
  static constexpr std::array<std::string_view, size> names = [] {
    std::array<std::string_view, size> all{};
    [[maybe_unused]] std::size_t at = inputs;
    ((all[at++] = Name.view()), ...);
    return all;
  }();
  static constexpr std::array<bool, size> given = [] {
    std::array<bool, size> all{};
    for (std::size_t i = inputs; i < size; ++i) all[i] = ((names[i] == Given.view()) || ... || false);
    return all;
  }();
  static constexpr std::size_t arguments = sizeof...(Given);

  /// The number of values of an item that come before value `i` of what enters.
  static constexpr std::size_t items_before(std::size_t i) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < i; ++k) count += given[k] ? 0u : 1u;
    return count;
  }

  /// Value `I` of what enters, among the arguments of a run.
  template <std::size_t I, class First, class... Rest>
  static constexpr const auto& argument_for(const First& first, const Rest&... rest) {
    if constexpr (First::name.view() == names[I]) {
      return first.value;
    } else {
      return argument_for<I>(rest...);
    }
  }
};

}  // namespace impl

/// The values that enter pipeline `P`: their names and types, and which of them are arguments of a run.
template <class P>
using entering_of = impl::entering<typename P::arguments>;

/// True if a run of `P` is given arguments.
template <class P>
inline constexpr bool takes_arguments = entering_of<P>::arguments > 0;

namespace impl {

template <class E, class Index = std::make_index_sequence<E::size>>
struct item_type;
template <class E, std::size_t... I>
struct item_type<E, std::index_sequence<I...>> {
  using type = decltype(std::tuple_cat(
      std::declval<std::conditional_t<E::given[I], std::tuple<>, std::tuple<std::tuple_element_t<I, typename E::types>>>>()...));
};

}  // namespace impl

/// The type that a source gives for one item: all that enters but the arguments of a run.
template <class P>
using item_of = typename impl::item_type<entering_of<P>>::type;

namespace impl {

/// True if an argument may be given as `Given`: a value as its type, a tensor as its numbers in a std::array, one with a single
/// element also as a number.
template <class Given, class Declared>
inline constexpr bool is_given_as = std::is_convertible_v<Given, Declared>;
template <class Given, element E, std::size_t... Extent>
inline constexpr bool is_given_as<Given, tensor<E, Extent...>> = std::is_arithmetic_v<Given> && tensor<E, Extent...>::elements == 1;
template <class Number, std::size_t Size, element E, std::size_t... Extent>
inline constexpr bool is_given_as<std::array<Number, Size>, tensor<E, Extent...>> = tensor<E, Extent...>::elements == Size;

/// An argument outside of its type: its name, and the places where its value could enter.
template <class E>
struct given_argument {
  std::string_view name{};
  type_text type{};
  std::array<bool, E::size> fits{};
};
template <class E, class Argument>
constexpr given_argument<E> given_argument_of() {
  return []<class... T>(const std::tuple<T...>*) {
    return given_argument<E>{Argument::name.view(), type_name<decltype(Argument::value)>(),
                             {is_given_as<decltype(Argument::value), T>...}};
  }(static_cast<const typename E::types*>(nullptr));
}

template <class E, class Given>
constexpr argument_fault verify_given(const Given& given) {
  for (const auto& one : given) {
    std::size_t times = 0;
    for (const auto& other : given) times += other.name == one.name ? 1u : 0u;
    std::size_t at = 0;
    while (at < E::size && !(E::given[at] && E::names[at] == one.name)) ++at;
    const argument_site site{fixed_string<60>{one.name}, one.type};
    if (at == E::size) return {argument_wrong::unknown, 0, 0, site};
    if (times > 1) return {argument_wrong::twice, times, 1, site};
    if (!one.fits[at]) return {argument_wrong::other_type, 0, 0, site};
  }
  for (std::size_t at = 0; at < E::size; ++at) {
    bool found = !E::given[at];
    for (const auto& one : given) found = found || one.name == E::names[at];
    if (!found) return {argument_wrong::missing, 0, 1, {fixed_string<60>{E::names[at]}, {}}};
  }
  return {};
}

/// The bits of a value of the pipeline where they do not hold a number of its argument, or 0.
template <class Declared>
struct bits_of_argument {
  template <class Given>
  static constexpr std::size_t too_few(const Given& given) {
    return keeps_number<Declared>(given) ? 0 : sizeof(Declared) * 8;
  }
};
template <element E, std::size_t... Extent>
struct bits_of_argument<tensor<E, Extent...>> {
  template <class Given>
  static constexpr std::size_t too_few(const Given& given) {
    return keeps_number<E>(given) ? 0 : sizeof(E) * 8;
  }
  template <class Number, std::size_t Size>
  static constexpr std::size_t too_few(const std::array<Number, Size>& given) {
    for (const Number& number : given) {
      if (!keeps_number<E>(number)) return sizeof(E) * 8;
    }
    return 0;
  }
};

}  // namespace impl

/// The first fault of the arguments of a run of `P`.
template <class P, class... Argument>
[[nodiscard]] constexpr argument_fault verify_arguments() {
  if constexpr ((is_argument<Argument> && ...)) {
    using all = entering_of<P>;
    return impl::verify_given<all>(
        bounded_vector<impl::given_argument<all>, sizeof...(Argument)>{{impl::given_argument_of<all, Argument>()...}, sizeof...(Argument)});
  } else {
    type_text other{};
    ((other = is_argument<Argument> || !other.empty() ? other : type_name<Argument>()), ...);
    return {argument_wrong::no_argument, 0, 0, {{}, other}};
  }
}

/// The first argument of a run of `P` with a number that the pipeline has no room for.
template <class P, class... Argument>
[[nodiscard]] constexpr argument_fault verify_numbers_of([[maybe_unused]] const Argument&... given) {
  using all = entering_of<P>;
  argument_fault found;
  if constexpr (sizeof...(Argument) > 0 && !verify_arguments<P, Argument...>()) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto look = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
        if constexpr (all::given[J]) {
          using declared = impl::bits_of_argument<std::tuple_element_t<J, typename all::types>>;
          const std::size_t bits = declared::too_few(all::template argument_for<J>(given...));
          if (bits > 0 && !found) found = {argument_wrong::cut, 0, bits, {fixed_string<60>{all::names[J]}, {}}};
        }
      };
      (look(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<all::size>{});
  }
  return found;
}

/// A number of an argument that is a tensor, or is one number.
template <class Value>
[[nodiscard]] constexpr auto argument_number(const Value& value, [[maybe_unused]] std::size_t index) {
  if constexpr (requires { value[index]; }) {
    return value[index];
  } else {
    return value;
  }
}

/// The values that enter the first stage of `P`: an item, with the arguments of the run in their places.
template <class P, class Item, class... Argument>
[[nodiscard]] constexpr typename entering_of<P>::types entered(Item&& item, const Argument&... given) {
  using all = entering_of<P>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto value = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) -> std::tuple_element_t<J, typename all::types> {
      if constexpr (all::given[J]) {
        return static_cast<std::tuple_element_t<J, typename all::types>>(all::template argument_for<J>(given...));
      } else {
        return std::get<all::items_before(J)>(std::forward<Item>(item));
      }
    };
    return typename all::types{value(std::integral_constant<std::size_t, I>{})...};
  }(std::make_index_sequence<all::size>{});
}

}  // namespace ipuflow

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<argument_fault>;
}
#endif
