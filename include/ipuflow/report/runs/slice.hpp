// SPDX-License-Identifier: BSL-1.0
// A slice is one piece of work in a row of a picture or of a trace. Runs on host threads and on chips come down to the
// same slices, so that both are drawn and written by the same code.
#pragma once

#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

/// The passes of a timetable, in its order, and what else takes time.
enum class slice_kind : unsigned char {
  forward,
  backward,
  backward_inputs,
  backward_weights,
  recompute,
  update,
  infeed,
  outfeed,
  stash,
  restore,
  exchange,
  load,
  store,
  clear,
  reduce,
  all_reduce,
  run  ///< of a whole timetable
};
inline constexpr std::size_t slice_kinds = 17;

constexpr slice_kind kind_of(schedule::pass pass) { return static_cast<slice_kind>(pass); }
static_assert(kind_of(schedule::pass::forward) == slice_kind::forward && kind_of(schedule::pass::backward) == slice_kind::backward &&
              kind_of(schedule::pass::backward_inputs) == slice_kind::backward_inputs &&
              kind_of(schedule::pass::backward_weights) == slice_kind::backward_weights &&
              kind_of(schedule::pass::recompute) == slice_kind::recompute && kind_of(schedule::pass::update) == slice_kind::update &&
              kind_of(schedule::pass::infeed) == slice_kind::infeed && kind_of(schedule::pass::outfeed) == slice_kind::outfeed &&
              static_cast<std::size_t>(slice_kind::stash) == schedule::pass_count);

constexpr bool is_pass(slice_kind kind) { return kind <= slice_kind::recompute; }
constexpr bool is_backward(slice_kind kind) {
  return is_pass(kind) && schedule::is_backward(static_cast<schedule::pass>(kind));
}

/// In words, as legends and traces say it.
constexpr const char* name_of(slice_kind kind) {
  constexpr const char* others[] = {
      "stash",           "restore",          "exchange", "from streaming memory", "to streaming memory",
      "clear gradients", "reduce gradients", "all-reduce", "run"};
  const auto number = static_cast<std::size_t>(kind);
  if (number < schedule::pass_count) return schedule::name_of(static_cast<schedule::pass>(kind));
  return others[number - schedule::pass_count];
}

/// Times are ticks from the beginning of the run: cycles of the chips, nanoseconds of the host.
struct slice {
  slice_kind kind = slice_kind::forward;
  std::size_t row = 0;
  std::size_t lane = 0;  ///< of the row, which has several where things overlap
  std::size_t stage = schedule::nowhere;
  std::size_t micro_batch = schedule::nowhere;
  std::size_t run = schedule::nowhere;     ///< of the timetable
  std::size_t thread = schedule::nowhere;  ///< of the host
  std::uint64_t start = 0;
  std::uint64_t finish = 0;

  friend constexpr bool operator==(const slice&, const slice&) = default;
};

/// "forward 3" for micro-batch 3.
template <class = void>
inline std::string name_of(const slice& s) {
  const std::size_t number = s.kind == slice_kind::run ? s.run : s.micro_batch;
  const std::string name = name_of(s.kind);
  return number == schedule::nowhere ? name : name + ' ' + std::to_string(number);
}

}  // namespace ipuflow::report
