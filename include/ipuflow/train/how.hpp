// SPDX-License-Identifier: BSL-1.0
// Arguments behind the options of a session, in any order and each at most once: a back end, a precision, a model
// that is shared. Anything else is refused with a sentence.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/precision.hpp>
#include <ipuflow/train/threads/back_end.hpp>

#include <type_traits>

namespace ipuflow::on {
struct chips;  // ipuflow: sessions on chips are in a header of their own; #include <ipuflow/chips.hpp>
}

namespace ipuflow::train {

enum class how_wrong : unsigned char {
  nothing,
  unknown,
  back_end_twice,
  precision_twice,
  model_twice,
  model_differs,
  model_alone
};

namespace impl {

/// One of another module says so by a type `runs_sessions`.
template <class How>
inline constexpr bool is_back_end = std::is_same_v<How, on::threads> || std::is_same_v<How, on::chips> || requires { typename How::runs_sessions; };
template <class How>
inline constexpr bool is_precision = false;
template <class... T>
inline constexpr bool is_precision<precision<T...>> = true;
template <class How>
inline constexpr bool is_shared_model = false;
template <class Number>
inline constexpr bool is_shared_model<shared<model<Number>>> = true;
/// A `std::shared_ptr` to one will do.
template <class How>
  requires requires(const How& how) { how.use_count(); }
inline constexpr bool is_shared_model<How> = is_shared_model<shared<typename How::element_type>>;
template <class How>
inline constexpr how_wrong without_use = how_wrong::unknown;
template <class Number>
inline constexpr how_wrong without_use<model<Number>> = how_wrong::model_alone;

}  // namespace impl

using how_fault = fault<how_wrong, type_text>;

constexpr const char* wording(how_wrong wrong) {
  switch (wrong) {
    case how_wrong::nothing:
      break;
    case how_wrong::back_end_twice:
      return "ipuflow: a session is given two back ends; say on::threads{...} or on::chips{...}, once";
    case how_wrong::precision_twice:
      return "ipuflow: a session is given two precisions; say precision<...>{} once";
    case how_wrong::model_twice:
      return "ipuflow: a session is given two models; hand over one shared<train::model<...>>";
    case how_wrong::model_differs:
      return "ipuflow: a session is given {where}, which does not hold the numbers of its precision; share models between sessions of one precision";
    case how_wrong::model_alone:
      return "ipuflow: a session shares its model, but is given {where}; give share<train::model<>>(model), a copy unless it is moved";
    case how_wrong::unknown:
      return "ipuflow: a session does not know what to do with {where}; behind the options give a back end, a precision or a shared model";
  }
  return "";
}

/// `where` is the name of the type that was handed over.
constexpr message_text sentence(const how_fault& f) {
  return filled(wording(f.kind), {{"where", f.where}});
}

namespace impl {

template <class Default, template <class> class Is, class... How>
struct first_that;
template <class Default, template <class> class Is>
struct first_that<Default, Is> {
  using type = Default;
};
template <class Default, template <class> class Is, class How, class... Rest>
struct first_that<Default, Is, How, Rest...> {
  using type = typename std::conditional_t<Is<How>::value, std::type_identity<How>, first_that<Default, Is, Rest...>>::type;
};
template <class How>
using some_back_end = std::bool_constant<is_back_end<How>>;
template <class How>
using some_precision = std::bool_constant<is_precision<How>>;

/// The back end, or threads.
template <class... How>
using back_end_of = typename first_that<on::threads, some_back_end, How...>::type;
/// The precision, or float.
template <class... How>
using precision_of = typename first_that<precision<>, some_precision, How...>::type;

/// The first fault of the arguments behind the options.
template <class... How>
[[nodiscard]] constexpr how_fault verify_how() {
  how_fault found{};
  ((found.kind == how_wrong::nothing && !is_back_end<How> && !is_precision<How> && !is_shared_model<How>
        ? void(found = {impl::without_use<How>, 0, 0, type_name<How>()})
        : void()),
   ...);
  if (found) return found;
  if ((is_back_end<How> + ... + 0) > 1) return {how_wrong::back_end_twice};
  if ((is_precision<How> + ... + 0) > 1) return {how_wrong::precision_twice};
  if ((is_shared_model<How> + ... + 0) > 1) return {how_wrong::model_twice};
  using wanted = shared<model<typename precision_of<How...>::number>>;
  ((is_shared_model<How> && !std::is_convertible_v<How, wanted> ? void(found = {how_wrong::model_differs, 0, 0, type_name<How>()})
                                                         : void()),
   ...);
  return found;
}

/// The argument of a type, or one as it is by default.
template <class Wanted, class... How>
Wanted said(const How&... how) {
  Wanted found{};
  [[maybe_unused]] const auto look = [&](const auto& one) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, Wanted>) found = one;
  };
  (look(how), ...);
  return found;
}

/// The model that is shared, if one is.
template <class Number, class... How>
shared<model<Number>> shared_model(const How&... how) {
  shared<model<Number>> found;
  [[maybe_unused]] const auto look = [&](const auto& one) {
    if constexpr (is_shared_model<std::remove_cvref_t<decltype(one)>>) found = one;
  };
  (look(how), ...);
  return found;
}

}  // namespace impl

}  // namespace ipuflow::train
