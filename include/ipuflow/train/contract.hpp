// SPDX-License-Identifier: BSL-1.0
// The concepts of an optimiser and of the samples of a step. Another type is refused with a sentence at the call, and
// not by errors from deep inside.
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
using contract_fault = fault<contract_wrong, type_text>;

/// `where` is the name of the type that was handed over.
constexpr message_text sentence(const contract_fault& f) {
  switch (f.kind) {
    case contract_wrong::nothing:
      break;
    case contract_wrong::optimiser:
      return words("ipuflow: ", f.where,
                   " is no optimiser; give it state_type, states and update(values, gradients, state, step)");
    case contract_wrong::samples:
      return words("ipuflow: ", f.where,
                   " holds no samples for a step; give a feed::sample_batch, or what has size() and columns()");
  }
  return {};
}

template <class T, class Number>
constexpr contract_fault verify_optimiser() {
  if (optimiser_of<T, Number>) return {};
  return {.kind = contract_wrong::optimiser, .where = type_name<T>()};
}
template <class T>
constexpr contract_fault verify_samples() {
  if (columns_of_samples<T>) return {};
  return {.kind = contract_wrong::samples, .where = type_name<T>()};
}

}  // namespace ipuflow::train
