// SPDX-License-Identifier: BSL-1.0
// A program is a tree of steps. Its cost is the cost of its parts, put together: a sequence adds, a repeat multiplies,
// steps on different chips at once and input or output beside compute take the longer. So a loop of a million turns
// costs as much to count as one of two.
#pragma once

#include <ipuflow/core/units.hpp>
#include <ipuflow/ipu/program/activity.hpp>
#include <ipuflow/ipu/program/codelet.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

/// Names of things in a graph.
struct variable_id {
  std::size_t index = 0;
};
struct compute_set_id {
  std::size_t index = 0;
};
struct function_id {
  std::size_t index = 0;
};
struct stream_id {
  std::size_t index = 0;
};
struct remote_id {
  std::size_t index = 0;
};
struct ring_id {
  std::size_t index = 0;
};

/// `count` runs of `length` elements, from one variable to another; each run begins `step` elements after the last. The
/// same goes to `copies` places, each `copy_step` elements after the one before: these words leave their tile once.
struct copy_piece {
  variable_id from;
  std::size_t from_begin = 0;
  variable_id to;
  std::size_t to_begin = 0;
  std::size_t length = 0;
  std::size_t count = 1;
  std::size_t from_step = 0;
  std::size_t to_step = 0;
  std::size_t copies = 1;
  std::size_t copy_step = 0;
};

enum class step_kind : unsigned char {
  sequence,
  repeat,
  call,
  parallel,
  overlap,
  execute,
  copy,
  push,
  pull,
  stream_in,
  stream_out,
  remote_load,
  remote_store,
  all_reduce,
  all_gather,
  reduce_scatter,
  sync
};

struct step {
  step_kind kind = step_kind::sequence;
  std::size_t count = 1;   // of a repeat; of a pull: which reader
  std::size_t index = 0;   // of a compute set, function, stream, remote buffer or ring
  variable_id variable{};  // what is streamed, stored, loaded, pushed, pulled or reduced
  variable_id target{};    // where an all-gather or reduce-scatter puts it
  std::vector<step> body{};
  std::vector<copy_piece> pieces{};
  std::size_t label = no_label;  // the profile says when it runs
};

template <class... Step>
[[nodiscard]] step sequence(Step&&... steps) {
  step made;
  (made.body.push_back(std::forward<Step>(steps)), ...);
  return made;
}

template <class = void>
[[nodiscard]] inline step sequence(std::vector<step> steps) { return {.body = std::move(steps)}; }

template <class = void>
[[nodiscard]] inline step repeat(std::size_t count, step body) {
  step made{.kind = step_kind::repeat, .count = count};
  made.body.push_back(std::move(body));
  return made;
}

[[nodiscard]] inline step call(function_id function) { return {.kind = step_kind::call, .index = function.index}; }

/// Steps that run at the same time, each on chips of its own; the next step begins when all are done.
template <class = void>
[[nodiscard]] inline step parallel(std::vector<step> steps) { return {.kind = step_kind::parallel, .body = std::move(steps)}; }

/// Input and output on tiles of their own beside compute on the others.
template <class = void>
[[nodiscard]] inline step overlap(step transfers, step compute) {
  step made{.kind = step_kind::overlap};
  made.body.push_back(std::move(transfers));
  made.body.push_back(std::move(compute));
  return made;
}

[[nodiscard]] inline step execute(compute_set_id set) { return {.kind = step_kind::execute, .index = set.index}; }
template <class = void>
[[nodiscard]] inline step copy(std::vector<copy_piece> pieces) {
  return {.kind = step_kind::copy, .pieces = std::move(pieces)};
}
/// Keeps what a variable holds in the next slot of a ring.
template <class = void>
[[nodiscard]] inline step push(variable_id from, ring_id to) {
  return {.kind = step_kind::push, .index = to.index, .variable = from};
}
/// Brings back what the next slot of a ring holds; each reader has its own place in the ring.
template <class = void>
[[nodiscard]] inline step pull(ring_id from, variable_id to, std::size_t reader = 0) {
  return {.kind = step_kind::pull, .count = reader, .index = from.index, .variable = to};
}
template <class = void>
[[nodiscard]] inline step stream_in(stream_id stream, variable_id to) {
  return {.kind = step_kind::stream_in, .index = stream.index, .variable = to};
}
template <class = void>
[[nodiscard]] inline step stream_out(variable_id from, stream_id stream) {
  return {.kind = step_kind::stream_out, .index = stream.index, .variable = from};
}
template <class = void>
[[nodiscard]] inline step load(remote_id from, variable_id to) {
  return {.kind = step_kind::remote_load, .index = from.index, .variable = to};
}
template <class = void>
[[nodiscard]] inline step store(variable_id from, remote_id to) {
  return {.kind = step_kind::remote_store, .index = to.index, .variable = from};
}

/// Each replica's variable becomes the sum over all replicas.
[[nodiscard]] inline step all_reduce(variable_id variable) { return {.kind = step_kind::all_reduce, .variable = variable}; }
/// Each replica's `shard` becomes a part of `whole` on every replica, in the order of replicas.
template <class = void>
[[nodiscard]] inline step all_gather(variable_id shard, variable_id whole) {
  return {.kind = step_kind::all_gather, .variable = shard, .target = whole};
}
/// The sum over replicas of `whole`, of which each replica gets its part into `shard`.
template <class = void>
[[nodiscard]] inline step reduce_scatter(variable_id whole, variable_id shard) {
  return {.kind = step_kind::reduce_scatter, .variable = whole, .target = shard};
}
/// The same step with a label; one that has a label already keeps it, inside.
template <class = void>
[[nodiscard]] inline step labelled(std::size_t label, step what) {
  if (what.label != no_label) what = sequence(std::vector<step>{std::move(what)});
  what.label = label;
  return what;
}

/// All chips wait for each other.
[[nodiscard]] inline step synchronise() { return {.kind = step_kind::sync}; }

}  // namespace ipuflow::ipu
