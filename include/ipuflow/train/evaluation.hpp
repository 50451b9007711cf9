// SPDX-License-Identifier: BSL-1.0
// Scores of a model from its results: how many samples were recognised, and the mean of a loss.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/train/step_data.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ipuflow::train {

enum class evaluation_wrong : unsigned char { nothing, sums, labels, classes, other_classes };
using evaluation_fault = fault<evaluation_wrong>;

constexpr const char* wording(evaluation_wrong wrong) {
  switch (wrong) {
    case evaluation_wrong::nothing:
      break;
    case evaluation_wrong::sums:
      return "ipuflow: these predictions are sums over the micro-batches of a step, and no label belongs to a sum; ask for .outputs = "
             "feed::output_mode::all, final or every_n";
    case evaluation_wrong::labels:
      return "ipuflow: {got} label{s} {is|are} given but predictions came back for sample {limit} of the step; give the labels of all samples of the same "
             "step";
    case evaluation_wrong::classes:
      return "ipuflow: predictions are compared that have no classes; set the classes of a column that is made by hand, or give their "
             "number to train::compare";
    case evaluation_wrong::other_classes:
      return "ipuflow: {limit} number{s} of a micro-batch are compared as predictions of {got} class{es}, of which they are no whole number; give the "
             "numbers of a prediction, those of the network's last layer";
  }
  return "";
}

[[gnu::cold]] constexpr message_text sentence(const evaluation_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

/// Predictions that came back and have a class for a label, and how many of them are right.
struct compared {
  std::size_t right = 0;
  std::size_t samples = 0;  ///< of sequences, positions

  friend bool operator==(const compared&, const compared&) = default;
};

/// Compares the predictions that came back of a step with the labels of its samples: right is one whose largest number is
/// at the label. It knows which samples they are of, whatever outputs were asked for; those of columns made by hand are of the
/// last samples. What has a label that is no class, or one that the loss of the predictions ignores, does not count.
template <class Label>
[[nodiscard]] compared compare(const result_column& predictions, std::span<const Label> labels, std::size_t classes) {
  if (predictions.sums) throw_if(evaluation_fault{evaluation_wrong::sums});
  if (classes == 0) throw_if(evaluation_fault{evaluation_wrong::classes});
  if (predictions.every != 0 && (predictions.width == 0 || predictions.width % classes != 0))
    throw_if(evaluation_fault{evaluation_wrong::other_classes, classes, predictions.width});
  const std::size_t numbers = predictions.values.size() / classes;
  const std::size_t together = predictions.width / classes;  // samples of a micro-batch
  const std::size_t given = predictions.every == 0 ? algorithms::min(numbers, labels.size()) : numbers;
  compared found;
  for (std::size_t i = 0; i < given; ++i) {
    std::size_t sample = labels.size() - given + i;
    if (predictions.every != 0) {
      const std::size_t row = i / together;
      const std::size_t of_replica = (row / predictions.replicas + 1) * predictions.every - 1;
      sample = (of_replica * predictions.replicas + row % predictions.replicas) * together + i % together;
      if (sample >= labels.size()) throw_if(evaluation_fault{evaluation_wrong::labels, labels.size(), sample});
    }
    const auto label = static_cast<std::size_t>(labels[sample]);
    if (label >= classes || (predictions.ignored != nn::no_label && static_cast<std::int64_t>(labels[sample]) == predictions.ignored)) continue;
    ++found.samples;
    const float* const first = predictions.values.data() + i * classes;
    if (static_cast<std::size_t>(algorithms::max_element(first, first + classes) - first) == label) ++found.right;
  }
  return found;
}

/// The number of right ones among the predictions that came back. `compare` says how many came back: with final outputs fewer than
/// the samples of the step.
template <class Label>
[[nodiscard]] std::size_t count_right(const result_column& predictions, std::span<const Label> labels, std::size_t classes) {
  return compare(predictions, labels, classes).right;
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
  double loss = 0;          ///< the sum over steps
  std::size_t steps = 0;    ///< that were added
  std::size_t right = 0;    ///< samples whose class was predicted; of sequences, positions
  std::size_t samples = 0;  ///< that were looked at; of sequences, positions

  /// Adds what came back of a step, with the labels of its samples: of the rest nothing is known, so it does not count.
  template <class Label>
  void add(const result_column& step_loss, const result_column& predictions, std::span<const Label> labels) {
    const compared found = compare(predictions, labels, predictions.classes > 0 ? predictions.classes : predictions.elements);
    add(mean_of(step_loss), found.right, found.samples);
  }
  /// Numbers of your own.
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

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::evaluation_fault>;
}
namespace ipuflow::train {
extern template compared compare(const result_column&, std::span<const std::uint8_t>, std::size_t);
extern template compared compare(const result_column&, std::span<const std::int32_t>, std::size_t);
extern template compared compare(const result_column&, std::span<const std::int64_t>, std::size_t);
}
#endif
