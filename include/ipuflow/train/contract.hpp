// SPDX-License-Identifier: BSL-1.0
// What a session asks of an optimiser and of the samples of a step, so that something else is refused with a sentence
// where it is handed over and not with the compiler's words from deep inside.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>

namespace ipuflow::train {

/// Rule of an update: how many numbers of state it keeps for each parameter, and what becomes of both.
template <class T, class Number>
concept optimiser_of = requires(T& rule, std::span<Number> values, std::span<const float> gradients) {
  { T::states } -> std::convertible_to<std::size_t>;
  rule.update(values, gradients, std::span<typename T::state_type>{}, std::size_t{});
};

/// Samples side by side: how many, and a tuple with a column for each of their values.
template <class T>
concept columns_of_samples = requires(const T& batch) {
  { batch.size() } -> std::convertible_to<std::size_t>;
  std::get<0>(batch.columns()).width();
  std::get<0>(batch.columns()).data();
};

enum class contract_wrong : unsigned char { nothing, optimiser, samples };

/// `where` is the name of the type that was handed over; `got` and `limit` are unused.
constexpr message_text sentence(const fault<contract_wrong, type_text>& f) {
  if (f.kind == contract_wrong::optimiser) {
    return words("ipuflow: ", f.where,
                 " is no optimiser; give it state_type, states and update(values, gradients, state, step)");
  }
  return words("ipuflow: ", f.where,
               " holds no samples for a step; give a feed::sample_batch, or what has size() and columns()");
}

template <class T, class Number>
constexpr fault<contract_wrong, type_text> verify_optimiser() {
  if (optimiser_of<T, Number>) return {};
  return {contract_wrong::optimiser, type_name<T>(), 0, 1};
}
template <class T>
constexpr fault<contract_wrong, type_text> verify_samples() {
  if (columns_of_samples<T>) return {};
  return {contract_wrong::samples, type_name<T>(), 0, 1};
}

}  // namespace ipuflow::train
