// SPDX-License-Identifier: BSL-1.0
// Between samples that lie one after another, as a data set or a user has them, and groups of lanes. Blocks of as many
// elements as there are lanes are converted and turned in registers.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/simd/rounding.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// `lane_count` neighbouring numbers.
template <class T, class From>
[[gnu::always_inline]] inline lanes<T> load_as(const From* from) {
  if constexpr (std::is_same_v<From, half> && std::is_same_v<T, float>) {
    return load_halves(from);
  } else if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<T> && !std::is_same_v<From, bool>) {
    lanes<From> loaded;
    __builtin_memcpy(&loaded, from, sizeof loaded);
    return {__builtin_convertvector(loaded.v, typename lanes<T>::vector)};
  } else {
    lanes<T> loaded{};
    for (std::size_t l = 0; l < lane_count; ++l) loaded.set(l, static_cast<T>(static_cast<float>(from[l])));
    return loaded;
  }
}

template <class To, class T>
[[gnu::always_inline]] inline void store_as(To* to, const lanes<T>& value) {
  if constexpr (std::is_same_v<To, half> && std::is_same_v<T, float>) {
    store_halves(to, value);
  } else if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<T> && !std::is_same_v<To, bool>) {
    const lanes<To> converted{__builtin_convertvector(value.v, typename lanes<To>::vector)};
    __builtin_memcpy(to, &converted, sizeof converted);
  } else {
    for (std::size_t l = 0; l < lane_count; ++l) to[l] = static_cast<To>(static_cast<float>(value[l]));
  }
}

template <class From, class T, class Shape>
void pack_groups(const From* samples, batch<T, Shape> to) {
  constexpr std::size_t elements = Shape::elements;
  constexpr std::size_t blocks = std::is_arithmetic_v<T> ? elements / lane_count * lane_count : 0;
  for (std::size_t g = 0; g < to.groups; ++g) {
    const From* first = samples + g * lane_count * elements;
    const std::size_t count = to.samples_in(g);
    if constexpr (blocks > 0) {
      for (std::size_t e = 0; e < blocks; e += lane_count) {
        lanes<T> block[lane_count]{};
        for (std::size_t l = 0; l < count; ++l) block[l] = impl::load_as<T>(first + l * elements + e);
        impl::transpose(block, to.group(g) + e);
      }
    }
    for (std::size_t e = blocks; e < elements; ++e) {
      lanes<T> one{};
      for (std::size_t l = 0; l < count; ++l) one.set(l, static_cast<T>(first[l * elements + e]));
      to.group(g)[e] = one;
    }
  }
}

template <class T, class Shape, class To>
void unpack_groups(batch<const T, Shape> from, To* samples) {
  constexpr std::size_t elements = Shape::elements;
  constexpr std::size_t blocks = std::is_arithmetic_v<T> ? elements / lane_count * lane_count : 0;
  for (std::size_t g = 0; g < from.groups; ++g) {
    To* first = samples + g * lane_count * elements;
    const std::size_t count = from.samples_in(g);
    if constexpr (blocks > 0) {
      for (std::size_t e = 0; e < blocks; e += lane_count) {
        lanes<T> block[lane_count];
        impl::transpose(from.group(g) + e, block);
        for (std::size_t l = 0; l < count; ++l) impl::store_as(first + l * elements + e, block[l]);
      }
    }
    for (std::size_t e = blocks; e < elements; ++e) {
      for (std::size_t l = 0; l < count; ++l) first[l * elements + e] = static_cast<To>(from.group(g)[e][l]);
    }
  }
}

}  // namespace impl

/// Fills a batch from samples that lie one after another; its padding becomes zero.
template <class From, class T, class Shape>
void pack(const From* samples, batch<T, Shape> to) {
  if constexpr (impl::sequence_shape<Shape>) {
    pack(samples, rows_of(to));
  } else {
    impl::pack_groups(samples, to);
  }
}

/// The reverse: samples one after another, without padding.
template <class T, class Shape, class To>
void unpack(batch<const T, Shape> from, To* samples) {
  impl::unpack_groups(rows_of(from), samples);
}

namespace impl {

/// The same samples in another shape of as many elements, where that lies differently in lanes.
template <class T, class From, class To>
void lay_anew(batch<const T, From> from, batch<T, To> to) {
  static_assert(From::elements == To::elements);
  dynamic_array<T> samples(from.samples * From::elements);
  unpack(from, samples.data());
  pack(static_cast<const T*>(samples.data()), to);
}

}  // namespace impl

}  // namespace ipuflow::nn
