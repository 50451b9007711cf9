// SPDX-License-Identifier: BSL-1.0
// The host's side of a step: which samples each micro-batch of each copy gets, and where its results go. Samples and results
// are in the order iteration, accumulation, replica; copies write to places of their own, so no order of threads shows.
#pragma once

#include <ipuflow/feed/outputs.hpp>
#include <ipuflow/nn/stage_program.hpp>
#include <ipuflow/train/step_data.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

namespace ipuflow::train {

/// How a step is cut into micro-batches.
struct step_shape {
  std::size_t samples = 1;        ///< of a micro-batch
  std::size_t micro_batches = 1;  ///< of a run of one replica
  std::size_t directions = 1;     ///< in which the schedule runs, each with its share of these
  feed::outputs kept{};
  scaling inputs{};
};

template <class P, class Compute>
class step_host {
 public:
  using outputs = stage_output<P, P::stage_count - 1>;
  /// One column for each value that leaves the pipeline.
  using results_type = std::array<result_column, std::tuple_size_v<outputs>>;

  explicit step_host(const step_shape& shape) : shape_{shape} {
    make_room(std::make_index_sequence<std::tuple_size_v<outputs>>{});
  }

  const results_type& results() const { return results_; }

  /// The samples of the next step: a tuple of columns, which has to last as long as the step.
  template <class Columns>
  void attach(const Columns& columns) {
    columns_ = &columns;
    load_ = [](const void* from, const first_program& program, const nn::stage_memory& memory, std::size_t first, scaling how) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto& all = *static_cast<const Columns*>(from);
        (load_samples(std::get<I>(all).data() + first * std::get<I>(all).width(), program.template input<I>(memory), how), ...);
      }(std::make_index_sequence<first_program::plan.entering>{});
    };
    for (result_column& column : results_) {
      if (mode_of(shape_.kept) == feed::output_mode::sum) std::fill(column.values.begin(), column.values.end(), 0.0f);
    }
  }
  void begin_iteration(std::size_t iteration) { iteration_ = iteration; }

  void load(std::size_t copy, const nn::stage_program<P, 0, Compute>& program, const nn::stage_memory& memory, std::size_t m) {
    load_(columns_, program, memory, place(copy, m) * shape_.samples, shape_.inputs);
  }

  template <class Program>
  void store(std::size_t copy, const Program& program, const nn::stage_memory& memory, std::size_t m) {
    const feed::outputs& kept = shape_.kept;
    const std::size_t of_replica = place(copy, m) / kept.replicas;
    const bool sum = mode_of(kept) == feed::output_mode::sum;
    if (!sum && !returned_after(kept, of_replica)) return;
    const std::size_t row = (sum ? 0 : returned_before(of_replica)) * kept.replicas + copy / shape_.directions;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (store_samples<is_loss<std::tuple_element_t<I, outputs>>>(
           program.template output<I>(memory).read(), sum,
           std::span{results_[I].values}.subspan(row * results_[I].width, results_[I].width)),
       ...);
    }(std::make_index_sequence<std::tuple_size_v<outputs>>{});
  }

 private:
  template <std::size_t... I>
  void make_room(std::index_sequence<I...>) {
    using program = nn::stage_program<P, P::stage_count - 1, Compute>;
    const auto size = [&](result_column& column, bool loss, std::size_t elements) {
      column.width = loss ? 1 : shape_.samples * elements;
      column.values.resize(column.width * results_per_step(shape_.kept));
    };
    (size(results_[I], is_loss<std::tuple_element_t<I, outputs>>, program::plan.slots[program::plan.leaving[I]].elements), ...);
  }

  using first_program = nn::stage_program<P, 0, Compute>;

  /// The place in the step of what is micro-batch `m` for a copy.
  std::size_t place(std::size_t copy, std::size_t m) const {
    const std::size_t of_run = m + copy % shape_.directions * (shape_.micro_batches / shape_.directions);
    return (iteration_ * shape_.micro_batches + of_run) * shape_.kept.replicas + copy / shape_.directions;
  }
  /// How many results of its replica come before that of a micro-batch that returns one.
  std::size_t returned_before(std::size_t index) const {
    switch (mode_of(shape_.kept)) {
      case feed::output_mode::all: return index;
      case feed::output_mode::every_n: return index / shape_.kept.period;
      default: return 0;
    }
  }

  step_shape shape_;
  results_type results_{};
  const void* columns_ = nullptr;
  void (*load_)(const void*, const first_program&, const nn::stage_memory&, std::size_t, scaling) = nullptr;
  std::size_t iteration_ = 0;
};

}  // namespace ipuflow::train
