// SPDX-License-Identifier: BSL-1.0
// The host's side of a step: which samples each micro-batch of each copy gets, and where its results go. Samples and
// results are in the order iteration, accumulation, replica; copies write to places of their own, so no order of
// threads shows.
#pragma once

#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/device/outputs.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/step_data.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace ipuflow::train {

/// How a step is cut into micro-batches.
struct step_shape {
  feed::batch_sizes sizes{};      ///< of a step
  std::size_t micro_batches = 1;  ///< of a run of one replica
  std::size_t directions = 1;     ///< in which the schedule runs, each with its share of these
  feed::outputs kept{};
  scaling inputs{};

  constexpr std::size_t samples_per_step() const { return feed::samples_per_step(sizes); }
};

template <class P, class Compute>
class step_host {
 public:
  using outputs = stage_output<P, P::stage_count - 1>;
  using first_program = nn::stage_program<P, 0, Compute>;
  using last_program = nn::stage_program<P, P::stage_count - 1, Compute>;
  /// One column for each value that leaves the pipeline.
  using results_type = std::array<result_column, std::tuple_size_v<outputs>>;

  explicit step_host(const step_shape& shape)
      : shape_{shape},
        first_{shape.sizes.micro_batch},
        room_(shape.sizes.replicas * shape.directions * std::tuple_size_v<outputs>) {
    for_each_output([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      results_[I].width = loss<I> ? 1 : shape.sizes.micro_batch * elements<I>;
      results_[I].values.resize(results_[I].width * rows());
    });
  }

  const results_type& results() const { return results_; }

  /// The samples of the next step: a tuple of columns, which has to last as long as the step.
  template <class Columns>
  void attach(const Columns& columns, std::size_t samples) {
    static_assert(std::tuple_size_v<Columns> == first_program::plan.entering,
                  "a sample has one value for each input of the pipeline and each of its named values per sample");
    verify_widths(columns, std::make_index_sequence<first_program::plan.entering>{});
    columns_ = &columns;
    load_ = &load_from<Columns>;
    samples_ = samples;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      std::vector<float>& values = results_[i].values;
      values.resize(results_[i].width * rows());
      if (sums()) std::fill(values.begin(), values.end(), 0.0f);
    }
  }
  void begin_iteration(std::size_t iteration) { iteration_ = iteration; }

  /// Every branch of a first stage is given all that enters it.
  template <class Program>
  void load(std::size_t copy, const Program&, const nn::stage_memory& memory, std::size_t m) {
    const std::size_t first = std::min(place(copy, m) * shape_.sizes.micro_batch, samples_);
    load_(columns_, first_, memory, first, std::min(shape_.sizes.micro_batch, samples_ - first), shape_.inputs);
  }

  /// A branch of a last stage has some of the outputs.
  template <class Program>
  void store(std::size_t copy, const Program& program, const nn::stage_memory& memory, std::size_t m) {
    const std::size_t at = place(copy, m);
    const std::size_t of_replica = at / shape_.sizes.replicas;
    if (at * shape_.sizes.micro_batch >= samples_ ||
        (!sums() && !returned_after(shape_.kept, shape_.sizes, of_replica)))
      return;
    const std::size_t count = std::min(shape_.sizes.micro_batch, samples_ - at * shape_.sizes.micro_batch);
    const std::size_t row =
        sums() ? copy : returned_before(of_replica) * shape_.sizes.replicas + copy / shape_.directions;
    const auto store_one = [&]<std::size_t Position>(std::integral_constant<std::size_t, Position>) {
      constexpr std::size_t column = Program::leaves_at[Position];
      result_column& to = results_[column];
      store_samples<loss<column>>(
          program.template output<Position>(memory).read(), count, sums(),
          std::span{to.values}.subspan(row * to.width, loss<column> ? 1 : count * elements<column>),
          room_[copy * results_.size() + column]);
    };
    [&]<std::size_t... Position>(std::index_sequence<Position...>) {
      (store_one(std::integral_constant<std::size_t, Position>{}), ...);
    }(std::make_index_sequence<Program::leaves_at.size()>{});
  }

  /// After the last iteration: sums of both directions become one, and of a part of a step a part of the results is
  /// left.
  void finish() {
    for_each_output([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      result_column& c = results_[I];
      if (sums() && shape_.directions == 2) {
        for (std::size_t r = 0; r < shape_.sizes.replicas; ++r) {
          for (std::size_t i = 0; i < c.width; ++i) {
            c.values[r * c.width + i] = c.values[2 * r * c.width + i] + c.values[(2 * r + 1) * c.width + i];
          }
        }
      }
      const std::size_t whole = c.width * results_per_step(shape_.kept, shape_.sizes);
      const std::size_t part =
          loss<I> ? (samples_ + shape_.sizes.micro_batch - 1) / shape_.sizes.micro_batch : samples_ * elements<I>;
      c.values.resize(samples_ < shape_.samples_per_step() ? part : whole);
    });
  }

 private:
  template <std::size_t I>
  static constexpr bool loss = is_loss<std::tuple_element_t<I, outputs>>;
  template <std::size_t I>
  static constexpr std::size_t elements = last_program::plan.slots[last_program::plan.leaving[I]].elements;

  template <class Visit>
  static void for_each_output(Visit visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (visit(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<std::tuple_size_v<outputs>>{});
  }

  template <class Columns, std::size_t... I>
  static void verify_widths(const Columns& columns, std::index_sequence<I...>) {
    const auto check = [](std::size_t value, std::size_t got, std::size_t wanted) {
      if (got != wanted) throw_if(session_fault{session_wrong::width, got, wanted, value});
    };
    (check(I, std::get<I>(columns).width(), first_program::plan.slots[I].elements), ...);
  }

  template <class Columns>
  static void load_from(const void* from, const first_program& program, const nn::stage_memory& memory,
                        std::size_t first, std::size_t count, scaling how) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto& all = *static_cast<const Columns*>(from);
      (load_samples<nn::computed<std::tuple_element_t<I, stage_input<P, 0>>, Compute>::rounds>(
           std::get<I>(all).data() + first * std::get<I>(all).width(), count, program.template input<I>(memory), how),
       ...);
    }(std::make_index_sequence<first_program::plan.entering>{});
  }

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
  /// How many results of its replica come before that of a micro-batch that returns one.
  std::size_t returned_before(std::size_t index) const {
    switch (mode_of(shape_.kept, shape_.sizes.run_for)) {
      case feed::output_mode::all:
        return index;
      case feed::output_mode::every_n:
        return index / shape_.kept.period;
      default:
        return 0;
    }
  }

  step_shape shape_;
  first_program first_;
  results_type results_{};
  std::vector<std::vector<float>> room_;  // of each output of each copy, for adding up
  const void* columns_ = nullptr;
  void (*load_)(const void*, const first_program&, const nn::stage_memory&, std::size_t, std::size_t,
                scaling) = nullptr;
  std::size_t samples_ = 0;
  std::size_t iteration_ = 0;
};

}  // namespace ipuflow::train
