// SPDX-License-Identifier: BSL-1.0
// The weight update: the optimiser, its state, and parameters that are kept in fewer bits. The work is cut into pieces
// that do not depend on each other, so any number of threads or replicas may share it and the result is the same. Weights that
// layers share are updated once, by the gradients of all copies, and copied.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/math.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/train/loss_scale.hpp>
#include <ipuflow/train/optimisers/optimiser_code.hpp>
#include <ipuflow/train/precision.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ipuflow::train::impl {

/// Options of an update: the form in which parameters are kept, and the keeper of the optimiser's state.
struct update_options {
  rounding how = rounding::nearest;
  std::uint64_t seed = 42;
  std::size_t shards = 1;
  std::size_t shard_at_least = 0;  ///< numbers of a tensor
};

/// Neighbouring parameters, or bytes of an optimiser's state, of which a replica keeps the state, or each.
struct kept_range {
  std::size_t replica = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

template <class Parameter, class Number>
class updater {
 public:
  updater(const optimiser_code<Number>& rule, const light_vector<piece>& tensors, const update_options& options)
      : rule_{rule}, options_{options} {
    light_vector<piece> trained;
    for (const piece& t : tensors) (t.is_copy() ? copies_ : trained).push_back(t);
    pieces_ = sharded(trained, options.shards, rule.whole_tensors, options.shard_at_least);
    for (const piece& p : pieces_) {
      state_begin_.push_back(numbers_);
      numbers_ += p.count;
    }
    state_.resize(rounded_count(numbers_) * rule_.state_bytes);
    std::size_t all = numbers_;
    for (const piece& c : copies_) all += c.count;
    gradients_.resize(all);
  }

  std::size_t pieces() const { return pieces_.size(); }
  [[nodiscard]] const piece& piece_at(std::size_t i) const { return pieces_[i]; }
  /// The parameters of each piece and of its copies.
  [[nodiscard]] dynamic_array<kept_range> ranges() const {
    dynamic_array<kept_range> all;
    for (const piece& p : pieces_) {
      all.push_back({p.replica, p.begin, p.count});
      each_copy(p, [&](const piece& copy, std::size_t from) { all.push_back({p.replica, copy.begin + from, p.count}); });
    }
    return all;
  }
  /// Updates so far.
  [[nodiscard]] std::size_t steps() const { return steps_; }
  /// The bytes of the optimiser's state in each replica.
  [[nodiscard]] std::size_t state_bytes() const {
    light_vector<std::size_t> numbers(options_.shards);
    for (const piece& p : pieces_) {
      for (std::size_t r = 0; r < numbers.size(); ++r)
        numbers[r] += p.replica == r || p.replica == each_replica ? p.count * rule_.state_bytes : 0;
    }
    return *algorithms::max_element(numbers.begin(), numbers.end());
  }

  /// First the gradients of all pieces: `read(stage, first, span)` gives those of neighbouring parameters of a stage. Those of
  /// copies are added, in the order of the model; then all are divided by the scale of the loss.
  template <class Read>
  void gather(std::size_t i, float loss_factor, Read read) {
    const piece& p = pieces_[i];
    const light_span<float> mine{gradients_.data() + p.begin, p.count};
    read(p.stage, p.of_stage, mine);
    each_copy(p, [&](const piece& copy, std::size_t from) {
      const light_span<float> more{gradients_.data() + copy.begin + from, p.count};
      read(copy.stage, copy.of_stage + from, more);
      for (std::size_t k = 0; k < p.count; ++k) mine[k] += more[k];
    });
    if (loss_factor != 1) {
      for (float& g : mine) g /= loss_factor;
    }
    each_copy(p, [&](const piece& copy, std::size_t from) { algorithms::copy(mine.begin(), mine.end(), gradients_.data() + copy.begin + from); });
  }
  [[nodiscard]] light_span<const float> gradients() const { return gradients_; }

  /// Then, if together they are longer than they may be, all of them shortened. They are added up in the order of the model, so
  /// that shards do not matter; those of shared weights count once.
  void shorten_to(float most) {
    if (most == std::numeric_limits<float>::infinity()) return;
    double squares = 0;
    for (const piece& p : pieces_) {
      for (std::size_t i = p.begin; i < p.begin + p.count; ++i) squares += static_cast<double>(gradients_[i]) * static_cast<double>(gradients_[i]);
    }
    const double length = math::sqrt(squares);
    if (!(length > static_cast<double>(most))) return;
    const auto factor = static_cast<float>(static_cast<double>(most) / length);
    for (float& g : gradients_) g *= factor;
  }

  /// Then, if they may be used, one update: counted once, made for every piece.
  void count_step() { ++steps_; }
  void update(std::size_t i, light_span<Number> values) {
    const piece& p = pieces_[i];
    const light_span<Number> mine = values.subspan(p.begin, p.count);
    rule_.update(rule_.optimiser, p.group, mine, light_span<const float>{gradients_.data() + p.begin, p.count},
                 {state_.data(), numbers_, state_begin_[i]}, steps_);
    round_to<Parameter>(mine, options_.how, nn::random_bits(options_.seed, steps_), p.begin);
    each_copy(p, [&](const piece& copy, std::size_t from) {
      algorithms::copy(mine.begin(), mine.end(), values.begin() + static_cast<std::ptrdiff_t>(copy.begin + from));
    });
  }

  /// Gives the optimiser's numbers in the order of the model, first numbers before second ones, wherever they are kept.
  void state_in_order(std::vector<std::byte>& made) const {
    made.resize(state_in_order_bytes());
    std::size_t written = 0;
    each_state_run([&](std::size_t at, std::size_t bytes, const piece&) {
      algorithms::copy_n(state_.data() + at, bytes, made.data() + written);
      written += bytes;
    });
  }
  /// Its runs, in bytes.
  [[nodiscard]] dynamic_array<kept_range> state_runs() const {
    dynamic_array<kept_range> all;
    std::size_t at = 0;
    each_state_run([&](std::size_t, std::size_t bytes, const piece& p) {
      all.push_back({p.replica, at, bytes});
      at += bytes;
    });
    return all;
  }
  [[nodiscard]] std::size_t state_in_order_bytes() const { return numbers_ * rule_.state_bytes; }
  /// Goes on from there, after `steps` updates.
  void go_on(light_span<const std::byte> in_order, std::size_t steps) {
    std::size_t read = 0;
    each_state_run([&](std::size_t at, std::size_t bytes, const piece&) {
      algorithms::copy_n(in_order.data() + read, bytes, state_.data() + at);
      read += bytes;
    });
    steps_ = steps;
  }
  [[nodiscard]] const type_text& rule_name() const { return rule_.name; }

  /// The values that a step that fails is taken back to.
  struct snapshot {
    light_vector<std::byte> state;
    std::size_t steps = 0;
  };
  void save_to(snapshot& s) const {
    s.state = state_;
    s.steps = steps_;
  }
  void restore(const snapshot& s) {
    state_ = s.state;
    steps_ = s.steps;
  }

 private:
  /// Calls `visit(copy, from)` for the copies of a piece, which begins at number `from` of each.
  template <class Visit>
  void each_copy(const piece& p, Visit visit) const {
    for (const piece& copy : copies_) {
      if (copy.copy_of <= p.begin && p.begin < copy.copy_of + copy.count) visit(copy, p.begin - copy.copy_of);
    }
  }

  /// Calls `visit(first, bytes, piece)` for runs of the state, in the order of the model.
  template <class Visit>
  void each_state_run(Visit visit) const {
    light_vector<std::size_t> order(pieces_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    algorithms::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return pieces_[a].begin < pieces_[b].begin; });
    std::size_t begin = 0;
    for (const state_part_size& part : rule_.state_parts) {
      for (std::size_t k = 0; k < part.numbers; ++k) {
        for (const std::size_t i : order)
          visit(begin + (state_begin_[i] * part.numbers + k * pieces_[i].count) * part.bytes, pieces_[i].count * part.bytes, pieces_[i]);
      }
      begin += rounded_count(numbers_) * part.numbers * part.bytes;
    }
  }

  optimiser_code<Number> rule_;
  update_options options_;
  light_vector<piece> copies_;  // of tensors
  light_vector<piece> pieces_;
  light_vector<std::size_t> state_begin_;  // of each piece
  std::size_t numbers_ = 0;               // of all pieces
  light_vector<std::byte> state_;  // as the optimiser keeps it
  light_vector<float> gradients_;
  std::size_t steps_ = 0;
};

}  // namespace ipuflow::train::impl
