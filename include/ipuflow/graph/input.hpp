// SPDX-License-Identifier: BSL-1.0
// Declarations of a pipeline's inputs. `input<T>` flows into the first op. Named values go past it to the ops that use
// them: those of `per_sample` come from the feed with every sample, those of `per_run` are arguments of a whole run (a
// learning rate).
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/graph/op.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow {

template <class T>
struct input_t {};

namespace impl {

template <class T, std::size_t... Extent>
struct input_type {
  using type = tensor<T, Extent...>;
};
template <class T>
struct input_type<T> : std::remove_cvref<T> {};

}  // namespace impl

/// `input<float, 1, 28, 28>` is a tensor, `input<frame>` any type; a std::tuple is several values.
template <class T, std::size_t... Extent>
inline constexpr input_t<typename impl::input_type<T, Extent...>::type> input{};

/// A value with a name, at the level of types.
template <fixed_string Name, class T>
struct named {};

template <fixed_string Name, class T>
struct per_sample_t {};
template <fixed_string Name, class T, std::size_t... Extent>
inline constexpr per_sample_t<Name, typename impl::input_type<T, Extent...>::type> per_sample{};

template <fixed_string Name, class T>
struct per_run_t {};
template <fixed_string Name, class T, std::size_t... Extent>
inline constexpr per_run_t<Name, typename impl::input_type<T, Extent...>::type> per_run{};

namespace impl {

template <class T>
inline constexpr bool is_declaration = false;
template <class T>
inline constexpr bool is_declaration<input_t<T>> = true;
template <fixed_string Name, class T>
inline constexpr bool is_declaration<per_sample_t<Name, T>> = true;
template <fixed_string Name, class T>
inline constexpr bool is_declaration<per_run_t<Name, T>> = true;

}  // namespace impl

}  // namespace ipuflow
