// SPDX-License-Identifier: BSL-1.0
// Scores of a model from its results: how many samples were recognised, and the mean of a loss.
#pragma once

#include <ipuflow/train/step_data.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace ipuflow::train {

/// How many samples have their largest prediction at their label. If there are fewer predictions than labels, as with
/// final outputs, they are those of the last samples.
template <class Label>
[[nodiscard]] std::size_t count_right(const result_column& predictions, std::span<const Label> labels, std::size_t classes) {
  const std::size_t samples = std::min(predictions.values.size() / classes, labels.size());
  const std::span<const Label> last = labels.last(samples);
  std::size_t right = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const float* row = predictions.values.data() + i * classes;
    if (static_cast<std::size_t>(std::max_element(row, row + classes) - row) == static_cast<std::size_t>(last[i]))
      ++right;
  }
  return right;
}

/// The mean over all numbers of a column: of a loss, the mean over micro-batches.
template <class = void>
[[nodiscard]] inline double mean_of(const result_column& column) {
  double sum = 0;
  for (const float v : column.values) sum += static_cast<double>(v);
  return column.values.empty() ? 0 : sum / static_cast<double>(column.values.size());
}

/// A score that grows step by step.
struct score {
  double loss = 0;  ///< the sum over steps
  std::size_t steps = 0;
  std::size_t right = 0;
  std::size_t samples = 0;

  void add(double step_loss, std::size_t step_right, std::size_t step_samples) {
    loss += step_loss;
    ++steps;
    right += step_right;
    samples += step_samples;
  }
  [[nodiscard]] double mean_loss() const { return steps == 0 ? 0 : loss / static_cast<double>(steps); }
  /// In percent.
  [[nodiscard]] double accuracy() const {
    return samples == 0 ? 0 : 100 * static_cast<double>(right) / static_cast<double>(samples);
  }
};

}  // namespace ipuflow::train
