// SPDX-License-Identifier: BSL-1.0
// Between the host's samples and the lanes of the kernels: the columns of a step's batch become the inputs of each
// micro-batch, scaled where they are consumed, and what leaves the last stage becomes rows of results.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/keeps_number.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/packing.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/train/scaling.hpp>
#include <ipuflow/train/session_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace ipuflow::train {

namespace impl {

/// The first number, in a sample, that a type of whole numbers would make a different one.
template <class To, class From>
session_fault verify_numbers(const From* samples, std::size_t count, std::size_t elements) {
  if constexpr (std::is_integral_v<To> && !std::is_same_v<From, To>) {
    using number = std::conditional_t<std::is_same_v<From, half>, float, From>;
    for (std::size_t i = 0; i < count * elements; ++i) {
      const auto given = static_cast<number>(samples[i]);
      if (std::is_same_v<To, bool> ? given == number{} || given == number{1} : keeps_number<To>(given)) continue;
      bool whole = true;
      if constexpr (!std::is_integral_v<number>) whole = __builtin_trunc(static_cast<double>(given)) == static_cast<double>(given);
      return {whole ? session_wrong::number_cut : session_wrong::number_not_whole, i / elements, sizeof(To) * 8};
    }
  }
  return {};
}

/// Computed in float, or in double where lanes are of doubles; padding stays zero.
template <class T, class Shape>
void scale_samples(const nn::batch<T, Shape>& samples, scaling how) {
  if (!how.changes()) return;
  const auto to = nn::rows_of(samples);
  using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto wide = [](nn::lanes<T>& x) -> nn::lanes<number>& {
    if constexpr (std::is_same_v<T, half>)
      return x.wide;
    else
      return x;
  };
  for (std::size_t g = 0; g < to.groups; ++g) {
    nn::lanes<number> shift{};
    for (std::size_t l = 0; l < to.samples_in(g); ++l) shift.set(l, number{how.shift});
    for (std::size_t e = 0; e < decltype(to)::elements; ++e) {
      nn::lanes<number>& x = wide(to.group(g)[e]);
      x = number{how.scale} * x + shift;
      if constexpr (std::is_same_v<T, half>) x = nn::rounded(x);
    }
  }
}

/// Samples into lanes, rounded to halves where a tensor of them is declared; `to` has room for as many as it says, and lanes behind the
/// last of `count` are zero.
template <bool Round, class From, class T, class Shape>
void load_samples(const From* samples, std::size_t count, nn::batch<T, Shape> to, scaling how) {
  const std::size_t all = to.size();
  to.samples = count;
  to.groups = nn::groups_for(count);
  nn::pack(samples, to);
  if constexpr (std::is_integral_v<From> && !std::is_integral_v<T>) scale_samples(to, how);
  if constexpr (Round) {
    for (std::size_t i = 0; i < to.size(); ++i) to.data[i] = nn::rounded(to.data[i]);
  }
  for (std::size_t i = to.size(); i < all; ++i) to.data[i] = nn::lanes<T>{};
}

}  // namespace impl

/// The results of a step that leave the last stage at one position, in the order of feed::outputs.
struct result_column {
  std::vector<float> values;
  std::size_t width = 1;     ///< numbers of a micro-batch: a row for each sample; of a loss its mean alone
  std::size_t elements = 0;  ///< numbers of a sample; 0: not said, where a column is made by hand
  std::size_t every = 0;     ///< of that many micro-batches of a replica the last one comes back; 0: not said, or sums
  std::size_t replicas = 1;
  bool sums = false;         ///< over all micro-batches of a step
  std::size_t classes = 0;   ///< numbers of a prediction: of each position of a sequence, of a sample otherwise; 0: not said
  std::int64_t ignored = nn::no_label;  ///< the label that the loss of these predictions ignores

  /// Micro-batches; none where they have no numbers.
  [[nodiscard]] std::size_t size() const { return width == 0 ? 0 : (values.size() + width - 1) / width; }
  light_span<const float> operator[](std::size_t i) const {
    return {values.data() + i * width, algorithms::min(width, values.size() - i * width)};
  }
};

namespace impl {

/// A reader of results while a step runs, outside of its type: `put` is told each row, in order, by one thread at a time.
struct result_sink {
  void* to = nullptr;
  void (*put)(void* to, std::size_t row, std::size_t samples) = nullptr;  ///< none: results are read after the step

  void operator()(std::size_t row, std::size_t samples) const { put(to, row, samples); }
};

/// One number a sample is a loss: what comes back is its mean.
template <class Type>
inline constexpr bool is_loss = false;
template <element E>
inline constexpr bool is_loss<tensor<E>> = true;

/// The first `row.size()` numbers of lanes into a result, or added to what is there; of a loss the mean over `count`
/// samples.
template <bool Loss, class T, class Shape>
void store_samples(nn::batch<const T, Shape> from, std::size_t count, bool sum, light_span<float> row,
                   light_vector<float>& room) {
  from.samples = count;
  from.groups = nn::groups_for(count);
  if constexpr (Loss) {
    double total = 0;
    for (std::size_t g = 0; g < from.groups; ++g) {
      for (std::size_t l = 0; l < from.samples_in(g); ++l) total += static_cast<double>(from.group(g)[0][l]);
    }
    const auto mean = static_cast<float>(total / static_cast<double>(count));
    row[0] = sum ? row[0] + mean : mean;
  } else if (!sum) {
    nn::unpack(from, row.data());
  } else {
    room.resize(row.size());
    nn::unpack(from, room.data());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] += room[i];
  }
}

}  // namespace impl

}  // namespace ipuflow::train
