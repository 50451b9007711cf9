// SPDX-License-Identifier: BSL-1.0
// The passes of a timetable in closed form as trains: operations at equal distances, all of the same distance, and perhaps a pause before
// the next train. Most schedules are such: one train a pass, or one for each group of micro-batches. Then an operation reads what the
// operation of the same number made of the pass before it, and everything about it but its times is known from the step.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/line_extent.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// The place of messages between two passes: a ring whose room is a power of two.
struct train_ring {
  std::uint32_t at = 0;
  std::uint32_t mask = 0;
};

/// A pass of a stage over the micro-batches of a part.
struct train_line {
  line_extent extent{};
  std::size_t operations = 0;
  std::size_t length = 1;   ///< operations of a train; the last one may have fewer
  step_number every = 0;    ///< from train to train, where there are several
  std::uint32_t lane = 0;
  std::size_t time = 0;     ///< of an operation
  std::size_t delay = 0;    ///< of the message that it reads
  std::uint32_t reads = none, read_by = none;  ///< other lines
  train_ring in = nothing, out = unread;

  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  /// A place that is always 0, for what reads nothing, and one for what is not read.
  static constexpr train_ring nothing{0, 0}, unread{1, 0};
};

template <class = void>
class basic_train_lines {
 public:
  template <pricing Costs>
  constexpr basic_train_lines(const modular<grid>& t, const Costs& c) : lanes_{t.where.ipus} {
    fit_ = !t.refused && t.alone && t.goes == pace::freely && t.where.ipus > 0;
    if (!fit_) return;
    dynamic_array<std::uint32_t> of_stage(part_passes * t.where.stages, train_line::none);
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      t.for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t first) {
        const pass_stream s = stream_of(p, l, kind, stage, t.span, first);
        train_line made{.extent = {t.where, s}, .operations = s.left, .lane = static_cast<std::uint32_t>(ipu), .time = c.of(kind, stage)};
        fit_ = fit_ && kind != pass::update && shape(made);
        if (kind == pass::forward || is_backward(kind)) {
          std::uint32_t& place = of_stage[place_of(t, p, kind, stage, first)];
          fit_ = fit_ && place == train_line::none;
          place = static_cast<std::uint32_t>(lines_.size());
        }
        lines_.push_back(made);
      });
    }
    fit_ = fit_ && apart_ > 0;
    for (std::size_t ipu = 0; ipu < t.where.ipus && fit_; ++ipu) {
      t.for_each_line(ipu, [&](const part& p, const line&, pass kind, std::size_t stage, std::size_t first) {
        const std::size_t from = read_from(t.where, op{kind, stage, first});
        if (!fit_ || from == nowhere || t.where.ipu_of(from, first) == ipu) return;
        const std::uint32_t maker = of_stage[place_of(t, p, kind, from, first)];
        fit_ = maker != train_line::none && join(maker, of_stage[place_of(t, p, kind, stage, first)], message_time(c, from));
      });
    }
  }

  /// False if it has no such form: then it is to be run in another way.
  [[nodiscard]] constexpr bool fit() const { return fit_; }
  [[nodiscard]] constexpr step_number apart() const { return apart_; }
  [[nodiscard]] constexpr std::size_t lanes() const { return lanes_; }
  [[nodiscard]] constexpr const dynamic_array<train_line>& lines() const { return lines_; }
  /// The places of all rings.
  [[nodiscard]] constexpr std::size_t places() const { return places_; }

 private:
  static constexpr std::size_t part_passes = 8;  // two directions, two parts, two passes
  static constexpr step_number most_apart = 64;
  static constexpr std::size_t most_room = 64;  // for the messages between two passes: where more wait, rounds read what others have written

  static constexpr std::size_t place_of(const modular<grid>& t, const part& p, pass kind, std::size_t stage, std::size_t first) {
    return part_passes * stage + (first == 0 ? 0 : 4) + (&p == &t.parts[0] ? 0 : 2) + (is_backward(kind) ? 1 : 0);
  }

  /// Takes the distances of a line; false if they are not those of all others.
  constexpr bool shape(train_line& made) {
    const line_extent& e = made.extent;
    const bool one_train = e.group == 1;
    const step_number apart = one_train ? e.period : e.apart;
    made.length = one_train ? made.operations : e.group;
    made.every = one_train ? 0 : e.period;
    if (made.operations == 0 || e.start < 0) return false;
    if (made.operations == 1 && apart_ != 0) return true;
    if (apart <= 0 || apart > most_apart || (apart_ != 0 && apart != apart_)) return false;
    apart_ = apart;
    return one_train || (e.period % apart == 0 && e.period >= apart * number(e.group));
  }

  /// Lets a line read another one; false if not each operation comes after that of the same number, or too many messages would wait.
  constexpr bool join(std::uint32_t maker, std::uint32_t reader, std::size_t delay) {
    train_line& m = lines_[maker];
    train_line& r = lines_[reader];
    const step_number behind = r.extent.start - m.extent.start;
    if (behind < 1 || m.read_by != train_line::none || m.operations != r.operations || m.length != r.length || m.every != r.every) return false;
    std::size_t waiting = static_cast<std::size_t>(behind / apart_) + 1;
    if (m.every > 0 && waiting > m.length) waiting = (static_cast<std::size_t>(behind / m.every) + 1) * m.length;
    std::size_t room = 2;
    while (room <= waiting && room <= most_room) room *= 2;
    m.read_by = reader;
    r.reads = maker;
    r.delay = delay;
    r.in = m.out = {static_cast<std::uint32_t>(places_), static_cast<std::uint32_t>(room - 1)};
    places_ += room;
    return room <= most_room;
  }

  bool fit_ = false;
  step_number apart_ = 0;
  std::size_t lanes_ = 0;
  std::size_t places_ = 2;
  dynamic_array<train_line> lines_{};
};

using train_lines = basic_train_lines<>;

}  // namespace ipuflow::schedule::impl
