// SPDX-License-Identifier: BSL-1.0
// `| convert<float>(1.0 / 255)`: the numbers of every sample, or of its first field, in another type: `value * scale +
// shift`. Integers are rounded to the nearest and kept within what their type holds. An image stays one. (Bytes travel
// as bytes at a quarter of the cost: convert where samples are consumed if you can.)
#pragma once

#include <ipuflow/feed/images/images.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/images/image.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

/// The type in which a number is scaled: float if it has all values of both types.
template <class From, class To>
using scaled_in =
    std::conditional_t<(std::is_same_v<From, float> || sizeof(From) <= 2) && (std::is_same_v<To, float> || sizeof(To) <= 2),
                       float, double>;

/// A real number in a type; rounded to the nearest value, and kept within its values, if that is one of integers.
template <class To, class Real>
constexpr To converted(Real value) {
  if constexpr (std::is_integral_v<To>) {
    constexpr auto least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    // The number below a half: with a half itself the sum of what is just below one, and of large odd numbers, is rounded up
    constexpr Real half = Real{0.5} - std::numeric_limits<Real>::epsilon() / 4;
    const Real rounded = value < 0 ? value - half : value + half;
    if (!(rounded > static_cast<Real>(least))) return least;  // nor if it is no number
    return rounded < static_cast<Real>(most) ? static_cast<To>(rounded) : most;
  } else {
    return static_cast<To>(value);
  }
}

/// A whole number in another type of whole numbers, kept within its values: no real number has all of 64 bits.
template <std::integral To, std::integral From>
constexpr To kept_within(From value) {
  constexpr auto least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
  if constexpr (std::is_signed_v<From>) {
    if (value < 0) {
      if constexpr (std::is_unsigned_v<To>) {
        return 0;
      } else {
        return static_cast<std::int64_t>(value) < static_cast<std::int64_t>(least) ? least : static_cast<To>(value);
      }
    }
  }
  return static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(most) ? most : static_cast<To>(value);
}

template <class To>
struct conversion {
  double scale;
  double shift;

  template <class Field>
  constexpr auto operator()(const Field& from) const {
    if constexpr (is_image<Field>) {
      return image{of_elements(from), from.extents()};
    } else {
      return of_elements(from);
    }
  }

 private:
  template <class Field>
  constexpr auto of_elements(const Field& from) const {
    using layout = layout_of<Field>;
    using from_type = typename layout::element_type;
    using real = scaled_in<from_type, To>;
    const std::span<const from_type, layout::width> elements{from};
    auto made = made_elements<To, layout::width>(elements.size());
    if constexpr (std::is_integral_v<from_type> && std::is_integral_v<To>) {
      if (scale == 1 && shift == 0) {
        for (std::size_t i = 0; i < elements.size(); ++i) made[i] = kept_within<To>(elements[i]);
        return made;
      }
    }
    const auto by = static_cast<real>(scale), plus = static_cast<real>(shift);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      made[i] = converted<To>(static_cast<real>(elements[i]) * by + plus);
    }
    return made;
  }
};

}  // namespace impl

/// The numbers of the first field in another type, scaled and shifted.
template <tensor_element To>
[[nodiscard]] constexpr auto convert(double scale = 1, double shift = 0) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (!impl::layout_of<impl::first_field_t<Dataset>>::is_tensor) {
      return refused<dataset_wrong::no_tensor, Dataset>{};
    } else {
      return map(impl::of_first_field<impl::conversion<To>>{{scale, shift}}).apply(std::move(d));
    }
  }};
}

}  // namespace ipuflow::feed
