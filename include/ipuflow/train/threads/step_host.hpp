// SPDX-License-Identifier: BSL-1.0
// The host's side of a step: which samples each micro-batch of each copy gets, and where its results go. Samples and
// results are in the order iteration, accumulation, replica; copies write to places of their own, so no order of
// threads shows.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/device/in_order.hpp>
#include <ipuflow/feed/device/outputs.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/step_data.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/stage_worker.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// The division of a step into micro-batches.
struct step_shape {
  feed::batch_sizes sizes{};      ///< of a step
  std::size_t micro_batches = 1;  ///< of a run of one replica
  std::size_t directions = 1;     ///< in which the schedule runs, each with its share of these
  feed::outputs kept{};
  scaling inputs{};

  [[nodiscard]] constexpr std::size_t samples_per_step() const { return feed::samples_per_step(sizes); }
  /// Says which samples the rows of a column are of.
  void describe(result_column& column, const output_code& out) const {
    column.elements = out.elements;
    column.classes = out.classes;
    column.ignored = out.ignored;
    column.every = returned_every(kept, sizes);
    column.replicas = sizes.replicas;
    column.sums = column.every == 0;
  }
  /// Samples of a row of results where the step has `given`: in a part of one, which comes with all outputs, the last row
  /// may have fewer.
  [[nodiscard]] constexpr std::size_t samples_in(std::size_t row, std::size_t given) const {
    return given == samples_per_step() ? sizes.micro_batch : algorithms::min(sizes.micro_batch, given - row * sizes.micro_batch);
  }
};

template <class T>
class step_host final : public pass_host<T> {
 public:
  step_host(const network_code<T>& code, const step_shape& shape)
      : network_{code}, shape_{shape}, room_(shape.sizes.replicas * shape.directions * code.outputs.size()) {}

  /// Makes room for all results of a step, so that no step has to.
  void reserve(light_span<result_column> results) const {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const output_code& out = network_.outputs[i];
      results[i].width = out.loss ? 1 : shape_.sizes.micro_batch * out.elements;
      shape_.describe(results[i], out);
      results[i].values.resize(results[i].width * rows());
    }
  }

  /// The samples of the next step and where its results go: all have to last as long as the step.
  void attach(light_span<const column_code> columns, std::size_t samples, light_span<result_column> results,
              const result_sink& reader) {
    const nn::plan_view& first = network_.code[0].plan;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].width != first.slots[i].elements)
        throw_if(session_fault{session_wrong::width, columns[i].width, first.slots[i].elements, i});
    }
    columns_ = columns;
    samples_ = samples;
    results_ = results;
    for (result_column& r : results_) {
      r.values.resize(r.width * rows());
      if (sums()) algorithms::fill(r.values.begin(), r.values.end(), 0.0f);
    }
    reader_ = reader;
    if (reader_.put) order_.begin(rows(), network_.seats.branches(network_.seats.stages() - 1));
  }
  void begin_iteration(std::size_t iteration) { iteration_ = iteration; }
  /// Results are told no reader any more: those of an iteration that is run again were.
  void ignore_reader() { reader_ = {}; }

  /// Every branch of a first stage is given all that enters it.
  void load(std::size_t copy, const nn::host_stage<T>& stage, const nn::stage_memory& memory, std::size_t m) override {
    const std::size_t first = algorithms::min(place(copy, m) * shape_.sizes.micro_batch, samples_);
    const std::size_t count = algorithms::min(shape_.sizes.micro_batch, samples_ - first);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].load(columns_[i].data, first, count, stage.value_of(i, memory), stage.layout().samples, shape_.inputs);
    }
  }

  /// A branch of a last stage has some of the outputs.
  void store(std::size_t copy, const nn::host_stage<T>& stage, const nn::stage_memory& memory, std::size_t m) override {
    const std::size_t at = place(copy, m);
    const auto returned =
        row_of(shape_.kept, shape_.sizes, at / shape_.sizes.replicas, copy / shape_.directions);
    if (at * shape_.sizes.micro_batch >= samples_ || !returned) return;
    const std::size_t count = algorithms::min(shape_.sizes.micro_batch, samples_ - at * shape_.sizes.micro_batch);
    const std::size_t row = sums() ? copy : *returned;  // directions add up apart from each other
    const nn::stage_code<T>& code = stage.code();
    for (std::size_t i = 0; i < code.leaves_at.size(); ++i) {
      const std::size_t column = code.leaves_at[i];
      const output_code& out = network_.outputs[column];
      result_column& to = results_[column];
      out.store(stage.value_of(code.plan.leaving[i], memory), count, sums(),
                {to.values.data() + row * to.width, out.loss ? 1 : count * out.elements},
                room_[copy * results_.size() + column]);
    }
    if (reader_.put && !sums()) order_.finish(row, [&](std::size_t next) { reader_(next, shape_.samples_in(next, samples_)); });
  }

  /// Calls `visit(copy, row)` for each row of results that the copies write in a step.
  template <class Visit>
  void each_row(const Visit& visit) const {
    const std::size_t runs = micro_batches_per_step(shape_.sizes) / shape_.micro_batches, share = shape_.micro_batches / shape_.directions;
    for (std::size_t copy = 0; copy < shape_.sizes.replicas * shape_.directions; ++copy) {
      for (std::size_t i = 0; i < runs * share && (i == 0 || !sums()); ++i) {
        const std::size_t of_run = i % share + copy % shape_.directions * share, replica = copy / shape_.directions;
        const auto row = row_of(shape_.kept, shape_.sizes, i / share * shape_.micro_batches + of_run, replica);
        if (row) visit(copy, sums() ? copy : *row);
      }
    }
  }
  /// Tells a reader all results of a step that is over.
  void tell(const result_sink& reader) const {
    for (std::size_t row = 0; reader.put && row < results_[0].size(); ++row) reader(row, shape_.samples_in(row, samples_));
  }

  /// After the last iteration: sums of both directions become one, and of a part of a step a part of the results is
  /// left.
  void finish() {
    for (std::size_t column = 0; column < results_.size(); ++column) {
      result_column& c = results_[column];
      if (sums() && shape_.directions == 2) {
        for (std::size_t r = 0; r < shape_.sizes.replicas; ++r) {
          for (std::size_t i = 0; i < c.width; ++i) {
            c.values[r * c.width + i] = c.values[2 * r * c.width + i] + c.values[(2 * r + 1) * c.width + i];
          }
        }
      }
    }
    if (reader_.put && sums()) {
      for (std::size_t r = 0; r < shape_.sizes.replicas; ++r) reader_(r, shape_.sizes.micro_batch);
    }
    for (std::size_t column = 0; column < results_.size(); ++column) {
      result_column& c = results_[column];
      const output_code& out = network_.outputs[column];
      const std::size_t whole = c.width * results_per_step(shape_.kept, shape_.sizes);
      const std::size_t part =
          out.loss ? (samples_ + shape_.sizes.micro_batch - 1) / shape_.sizes.micro_batch : samples_ * out.elements;
      c.values.resize(samples_ < shape_.samples_per_step() ? part : whole);
    }
  }

 private:
  bool sums() const { return mode_of(shape_.kept, shape_.sizes.run_for) == feed::output_mode::sum; }
  /// Rows while a step is under way: directions add up apart from each other.
  std::size_t rows() const {
    return sums() ? shape_.sizes.replicas * shape_.directions : results_per_step(shape_.kept, shape_.sizes);
  }

  /// The place in the step of what is micro-batch `m` for a copy.
  std::size_t place(std::size_t copy, std::size_t m) const {
    const std::size_t of_run = m + copy % shape_.directions * (shape_.micro_batches / shape_.directions);
    return (iteration_ * shape_.micro_batches + of_run) * shape_.sizes.replicas + copy / shape_.directions;
  }

  network_code<T> network_;
  step_shape shape_;
  dynamic_array<light_vector<float>> room_;  // of each output of each copy, for adding up
  light_span<const column_code> columns_{};
  light_span<result_column> results_{};
  result_sink reader_{};
  feed::in_order<> order_;  // rows, as copies finish them
  std::size_t samples_ = 0;
  std::size_t iteration_ = 0;
};

}  // namespace ipuflow::train::impl
