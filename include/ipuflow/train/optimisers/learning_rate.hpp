// SPDX-License-Identifier: BSL-1.0
// A learning rate: a number, or a schedule of pieces that follow each other, a function of the number of the update. Optimisers ask
// for it at every update, on threads and on tiles: `adam{.rate = warm_up(1e-3f, 100).then_cosine(900)}`.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/math.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace ipuflow::train {

/// The form of a piece of a schedule.
enum class rate_form : unsigned char { linear, cosine, steps };

/// A piece of a schedule. It begins with the rate of the piece before it.
struct rate_piece {
  rate_form form = rate_form::linear;  ///< line, cosine or steps
  std::size_t updates = 0;  ///< its length; of steps, of each of them
  float to = 0;             ///< the rate at its end; of steps, the factor from one to the next
  std::size_t times = 1;    ///< of steps: their number

  [[nodiscard]] constexpr std::size_t length() const { return updates * times; }

  /// The rate of its `update`-th update, which counts from 1, or behind its end.
  [[nodiscard]] double at(double before, std::size_t update) const {
    const auto end = static_cast<double>(to);
    if (form == rate_form::steps) {
      const std::size_t taken = update > length() ? times : (update - 1) / updates;
      return before * math::pow(end, static_cast<double>(taken));
    }
    if (update >= length()) return end;
    const double passed = static_cast<double>(update) / static_cast<double>(updates);
    if (form == rate_form::linear) return before + (end - before) * passed;
    return end + (before - end) * (1 + math::cos(std::numbers::pi * passed)) / 2;
  }

  friend constexpr bool operator==(const rate_piece&, const rate_piece&) = default;
};

/// A learning rate. Behind its last piece it stays what it is at the end of that.
struct learning_rate {
  float begin = 0;                            ///< before the first piece
  bounded_vector<rate_piece, 6> pieces{};     ///< in their order
  std::size_t updates_before = 0;             ///< that were made by a session before this one

  constexpr learning_rate(float rate = 0) : begin{rate} {}

  /// The same rate for some updates.
  [[nodiscard]] constexpr learning_rate then_hold(std::size_t updates) const {
    return then_steps(updates, 1, 1);
  }
  /// A straight line to another rate.
  [[nodiscard]] constexpr learning_rate then_linear(std::size_t updates, float to = 0) const {
    return then({rate_form::linear, updates, to});
  }
  /// The half of a cosine from here to another rate.
  [[nodiscard]] constexpr learning_rate then_cosine(std::size_t updates, float to = 0) const {
    return then({rate_form::cosine, updates, to});
  }
  /// `times` runs of `updates` updates, the first with the rate of here; behind each the rate is multiplied by the factor.
  [[nodiscard]] constexpr learning_rate then_steps(std::size_t updates, float factor, std::size_t times) const {
    return then({rate_form::steps, updates, factor, times});
  }
  /// The same schedule from a later update on: for a model that a session before this one has updated so often.
  [[nodiscard]] constexpr learning_rate after(std::size_t updates) const {
    learning_rate made = *this;
    made.updates_before += updates;
    return made;
  }

  /// The rate of an update, which counts from 1; before the first, `begin`.
  [[nodiscard]] float at(std::size_t update) const {
    update += updates_before;
    if (pieces.empty() || update == 0) return begin;
    double rate = static_cast<double>(begin);
    for (const rate_piece& piece : pieces) {
      if (piece.length() == 0) continue;
      rate = piece.at(rate, update);
      if (update <= piece.length()) break;
      update -= piece.length();
    }
    return static_cast<float>(rate);
  }

  friend constexpr bool operator==(const learning_rate&, const learning_rate&) = default;

 private:
  [[nodiscard]] constexpr learning_rate then(rate_piece piece) const {
    learning_rate made = *this;
    made.pieces.push_back(piece);
    return made;
  }
};

/// A rate that grows from zero to `rate` over some updates; the last of them has it. Over none it is `rate` from the first one on.
[[nodiscard]] constexpr learning_rate warm_up(float rate, std::size_t updates) {
  return updates == 0 ? learning_rate{rate} : learning_rate{}.then_linear(updates, rate);
}

/// All rates of a schedule, and factors, have to be numbers from 0.
[[nodiscard]] constexpr figure_fault verify_amount(const learning_rate& rate, std::string_view name) {
  figure_fault found = verify_amount(rate.begin, name);
  for (const rate_piece& piece : rate.pieces) {
    if (!found) found = verify_amount(piece.to, name);
  }
  return found;
}

}  // namespace ipuflow::train
