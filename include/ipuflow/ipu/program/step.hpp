// SPDX-License-Identifier: BSL-1.0
// A program is a tree of steps. Its cost is the cost of its parts, put together: a sequence adds, a repeat multiplies,
// steps on different chips at once and input or output beside compute take the longer. So a loop of a million turns
// costs as much to count as one of two.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/ipu/program/codelet_fault.hpp>
#include <ipuflow/ipu/program/ids.hpp>
#include <ipuflow/ipu/program/step_kinds.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::ipu {

/// Runs of elements in a variable: the first from `begin`, each `step` elements after the one before.
struct copy_end {
  variable_id variable{};
  std::size_t begin = 0;
  std::size_t step = 0;
};

/// `count` runs of `length` elements, from one variable to another. The same goes to `copies` places, each `copy_step`
/// elements after the one before: these words leave their tile once.
struct copy_piece {
  copy_end from{};
  copy_end to{};
  std::size_t length = 0;
  std::size_t count = 1;
  std::size_t copies = 1;
  std::size_t copy_step = 0;
  bool in_pairs = false;  ///< runs are channels of which two share each word: none changes its place in one
};

/// The same words the other way; of several copies, the first.
constexpr copy_piece reversed(const copy_piece& p) {
  return {.from = p.to, .to = p.from, .length = p.length, .count = p.count, .in_pairs = p.in_pairs};
}

struct step;

/// Runs a compute set.
struct execute {
  compute_set_id set{};
};
struct copy {
  light_vector<copy_piece> pieces{};
};
struct call {
  function_id function{};
};
/// Keeps what a variable holds in the next slot of a ring.
struct push {
  variable_id variable{};
  ring_id ring{};
};
/// Brings back what the next slot of a ring holds; each reader has its own place in the ring.
struct pull {
  ring_id ring{};
  variable_id variable{};
  std::size_t reader = 0;
};
struct stream_in {
  stream_id stream{};
  variable_id variable{};
};
struct stream_out {
  variable_id variable{};
  stream_id stream{};
};
/// From streaming memory.
struct load {
  remote_id buffer{};
  variable_id variable{};
};
struct store {
  variable_id variable{};
  remote_id buffer{};
};
/// Each replica's variable becomes the sum over all replicas. A collective that is one with others right before it has their
/// `before` bytes on its chip: its rounds are theirs, and have no fixed time of their own.
struct all_reduce {
  variable_id variable{};
  bytes before{};
};
/// Each replica's `shard` becomes a part of `whole` on every replica, in the order of replicas.
struct all_gather {
  variable_id shard{};
  variable_id whole{};
  bytes before{};
};
/// The sum over replicas of `whole`, of which each replica gets its part into `shard`.
struct reduce_scatter {
  variable_id whole{};
  variable_id shard{};
  bytes before{};
};
/// All chips wait for each other.
struct synchronise {};

namespace impl {

/// Kinds that are made of other steps; each has a function below that makes it.
struct sequence_of {
  light_vector<step> steps;
};
struct repeat_of {
  std::size_t count = 1;
  light_vector<step> steps;  // of one turn
};
struct parallel_of {
  light_vector<step> steps;
};
struct overlap_of {
  light_vector<step> transfers;
  light_vector<step> compute;
};
struct label_of {
  std::size_t label = 0;
  light_vector<step> steps;
  bool is_operation = false;  // the label is the number of an operation of the graph: memory is told apart by it, times are not
};

}  // namespace impl

/// One that nothing was said of is a sequence of no steps.
struct step : impl::step_kinds<impl::kind_list<impl::sequence_of, impl::repeat_of, impl::parallel_of, impl::overlap_of,
                                               impl::label_of, copy>,
                               impl::kind_list<call, execute, push, pull, stream_in, stream_out, load, store, all_reduce,
                                               all_gather, reduce_scatter, synchronise>> {
  using step_kinds::step_kinds;

  /// `next` after this; a sequence never stands in another.
  template <class = void>
  step& then(step next) {
    if (!is<impl::sequence_of>()) {
      impl::sequence_of alone;
      alone.steps.push_back(std::move(*this));
      *this = std::move(alone);
    }
    auto* const mine = get_if<impl::sequence_of>();
    if (auto* const more = next.get_if<impl::sequence_of>()) {
      for (step& s : more->steps) mine->steps.push_back(std::move(s));
    } else {
      mine->steps.push_back(std::move(next));
    }
    return *this;
  }

  /// True for a sequence of no steps.
  template <class = void>
  bool empty() const {
    const auto* const mine = get_if<impl::sequence_of>();
    return mine != nullptr && mine->steps.empty();
  }
};

namespace impl {

template <class... Given>
constexpr codelet_fault first_no_step() {
  codelet_fault found;
  [[maybe_unused]] const auto look = [&found](bool fits, const type_text& name) {
    if (!fits && !found) found = {.kind = codelet_wrong::step, .where = name};
  };
  (look(std::is_convertible_v<Given, step>, type_name<std::remove_cvref_t<Given>>()), ...);
  return found;
}

}  // namespace impl

template <class... Step>
step sequence(Step&&... steps) {
  step made;
  constexpr codelet_fault found = impl::first_no_step<Step...>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (!found) (made.then(std::forward<Step>(steps)), ...);
  return made;
}

template <class = void>
inline step sequence(light_vector<step> steps) {
  step made;
  for (step& s : steps) made.then(std::move(s));
  return made;
}
template <class Steps>
  requires contiguous_of<std::remove_cvref_t<Steps>, step>
step sequence(Steps&& steps) {
  return sequence(light_vector<step>(steps));
}

namespace impl {

template <class = void>
inline light_vector<step> in_order(step s) {
  return std::move(sequence(std::move(s)).as<sequence_of>().steps);
}

}  // namespace impl

template <class = void>
inline step repeat(std::size_t count, step body) { return impl::repeat_of{count, impl::in_order(std::move(body))}; }

/// Steps that run at the same time, each on chips of its own; the next step begins when all are done.
template <class = void>
inline step parallel(light_vector<step> steps) { return impl::parallel_of{std::move(steps)}; }

/// Input and output on tiles of their own beside compute on the others.
template <class = void>
inline step overlap(step transfers, step compute) {
  return impl::overlap_of{impl::in_order(std::move(transfers)), impl::in_order(std::move(compute))};
}

/// The same step with a label: the profile says when it runs. One that has a label already keeps it, inside.
template <class = void>
inline step labelled(std::size_t label, step what) { return impl::label_of{label, impl::in_order(std::move(what))}; }

}  // namespace ipuflow::ipu
