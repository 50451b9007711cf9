// SPDX-License-Identifier: BSL-1.0
// Results of a step on their way from chips: each stream brings its values in the order in which its chip makes them; they
// become rows in the order of samples, and a reader who reads along is told a row as soon as those before it have come.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/feed/device/in_order.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/train/chips/host.hpp>
#include <ipuflow/train/chips/stage.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/session_plan.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

template <class = void>
class basic_result_streams {
 public:
  /// Everything but `sent`, what the program sends, has to last as long.
  basic_result_streams(const schedule::any_timetable& t, const options& asked, const run::chips_options& sent,
                       const run::chips_program& program, const light_vector<chips_stage>& stages,
                       light_span<const output_code> outputs)
      : micro_batches_{t.where.micro_batches}, shape_{step_shape_of(t, asked)}, program_{program}, outputs_{outputs} {
    std::size_t position = 0;
    std::size_t part = program.places().size();
    for (const run::host_end& end : program.outputs()) {
      position = end.part == part ? position + 1 : 0;
      part = end.part;
      brought& one = brought_.emplace_back(brought{stages[part].exits[position]});
      for (const std::size_t m : forwards_on(t, program.places()[part].chip, t.where.stages - 1)) {
        if (sums() ? one.order.empty() : run::sent_after(sent, micro_batches_, t.run_for, m)) one.order.push_back(m);
      }
    }
  }

  /// Before a step: room for its results, and who reads along, if anybody does.
  void begin(std::size_t samples, light_span<result_column> results, const result_sink& reader) {
    rows_ = {shape_.kept, shape_.sizes, samples};
    to_ = results;
    reader_ = reader;
    const std::size_t all = results_per_step(shape_.kept, shape_.sizes);
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].width = outputs_[i].loss ? 1 : shape_.sizes.micro_batch * outputs_[i].elements;
      shape_.describe(results[i], outputs_[i]);
      results[i].values.assign(results[i].width * all, 0);
    }
    came_.assign(brought_.size() * shape_.sizes.replicas, 0);
    if (reader_.put) order_.begin(all, results.size());
  }

  /// Has the engine tell what its streams bring.
  void follow(ipu::engine& runs) {
    engine_ = &runs;
    runs.watch(this, [](void* self, ipu::stream_id stream, std::size_t replica) {
      static_cast<basic_result_streams*>(self)->arrived(stream, replica);
    });
  }

  /// After a step: sums are whole, and of a part of a step a part of the results is left.
  void finish() {
    engine_->watch(nullptr, nullptr);
    if (reader_.put && sums()) {
      for (std::size_t r = 0; r < shape_.sizes.replicas; ++r) reader_(r, shape_.sizes.micro_batch);
    }
    const std::size_t samples = rows_.all_samples;
    if (samples == shape_.samples_per_step()) return;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      to_[i].values.resize(outputs_[i].loss ? (samples + shape_.sizes.micro_batch - 1) / shape_.sizes.micro_batch
                                            : samples * outputs_[i].elements);
    }
  }

 private:
  /// The results that a stream brings: the column, and the micro-batches of a run in its order.
  struct brought {
    std::size_t column = 0;
    light_vector<std::size_t> order{};
  };

  bool sums() const { return mode_of(shape_.kept, shape_.sizes.run_for) == feed::output_mode::sum; }

  void arrived(ipu::stream_id stream, std::size_t replica) {
    const light_vector<run::host_end>& ends = program_.outputs();
    const auto end = algorithms::find_if(ends.begin(), ends.end(), [&](const run::host_end& e) { return e.stream.index == stream.index; });
    if (end == ends.end()) return;
    const auto at = static_cast<std::size_t>(end - ends.begin());
    const brought& what = brought_[at];
    const std::size_t i = came_[at * shape_.sizes.replicas + replica]++;
    const std::size_t index = i / what.order.size() * micro_batches_ + what.order[i % what.order.size()];
    const light_vector<float> values = drained(*engine_, stream, replica, program_.graph()[end->beside].type());
    rows_.store(to_[what.column], outputs_[what.column].loss, values, index, replica);
    const auto row = row_of(rows_.kept, rows_.sizes, index, replica);
    if (reader_.put && row && !sums() && rows_.count(index, replica) > 0)
      order_.finish(*row, [&](std::size_t next) { reader_(next, shape_.samples_in(next, rows_.all_samples)); });
  }

  std::size_t micro_batches_;
  step_shape shape_;
  const run::chips_program& program_;
  light_span<const output_code> outputs_;
  light_vector<brought> brought_;  // of each output of the program
  // of the step
  result_rows rows_{};
  light_span<result_column> to_{};
  result_sink reader_{};
  light_vector<std::size_t> came_;  // of each stream on each replica
  feed::in_order<> order_{};
  ipu::engine* engine_ = nullptr;
};
using result_streams = basic_result_streams<>;

}  // namespace ipuflow::train::impl
