// SPDX-License-Identifier: BSL-1.0
// What a session finds out before it starts, from its timetable and its options: how a step is cut up, how many copies
// of the pipeline there are and which IPU runs which stage, and whether any of it cannot be.
#pragma once

#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/schedule/verify.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>
#include <ipuflow/train/threads/step_host.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace ipuflow::train {

template <schedule::timetable T>
std::size_t directions_of(const T& t) {
  if constexpr (requires { t.where.directions(); }) {
    return t.where.directions();
  } else {
    return 1;
  }
}

/// Copies of the pipeline: one for each replica and direction.
template <schedule::timetable T>
std::size_t copies_of(const T& t, const options& o) {
  return o.replicas * directions_of(t);
}

template <schedule::timetable T>
step_shape step_shape_of(const T& t, const options& o) {
  const bool trains = t.run_for == mode::training;
  const std::size_t count = t.where.micro_batches;
  const feed::batch_sizes sizes{.micro_batch = o.micro_batch,
                                .accumulation = trains ? count : 1,
                                .replicas = o.replicas,
                                .device_iterations = trains ? o.device_iterations : o.device_iterations * count,
                                .run_for = t.run_for};
  return {sizes, count, directions_of(t), {o.outputs, o.output_period}, o.inputs};
}

/// Whether a step may be given fewer samples than it takes.
template <schedule::timetable T>
bool takes_parts(const T& t, const options& o) {
  return t.run_for == mode::inference && mode_of(step_shape_of(t, o).kept, t.run_for) == feed::output_mode::all;
}

/// Branches are on the IPUs of their stage in the order of both; a timetable that knows of no branches has all on one.
template <class P, schedule::timetable T>
work_shape work_shape_of(const T& t, const options& o) {
  const std::size_t directions = directions_of(t);
  const std::size_t share = t.where.micro_batches / directions;
  work_shape shape{o.micro_batch, share, o.replicas, directions, t.where.ipus, t.run_for == mode::training};
  for (std::size_t d = 0; d < directions; ++d) {
    for (std::size_t seat = 0; seat < seats_of<P>.count(); ++seat) {
      const std::size_t first = t.where.first_seat(seats_of<P>.stage[seat]);
      const bool apart = t.where.first_seat(seats_of<P>.stage[seat] + 1) - first > 1;
      shape.owners.push_back(t.where.ipu_of(first + (apart ? seats_of<P>.branch[seat] : 0), d * share));
    }
  }
  return shape;
}

/// Multiply-adds of each IPU for one sample, by which IPUs are dealt out to threads.
template <class P, schedule::timetable T>
std::vector<std::size_t> work_of_ipus(const T& t, const options& o) {
  const work_shape shape = work_shape_of<P>(t, o);
  const std::vector<stash> keep = stashes_of(t);
  std::vector<std::size_t> work(t.where.ipus, 1);
  for_each_seat<P>([&]<std::size_t Seat>(std::integral_constant<std::size_t, Seat>) {
    constexpr auto& plan = seat_program<P, Seat>::plan;
    const stash& s = keep[seats_of<P>.stage[Seat]];
    std::size_t all = plan.forward_work;
    if (shape.training) all += plan.input_work + plan.weight_work;
    if (s.recomputed > 0 || s.within) all += plan.forward_work;
    for (std::size_t d = 0; d < shape.directions; ++d) work[shape.owners[d * seats_of<P>.count() + Seat]] += all;
  });
  return work;
}

/// What all passes of a run have in common. The loss of a micro-batch is the mean over its samples, and so the gradient
/// of one sample's loss is one over their number, and over that of whatever else is averaged and not scaled later.
template <class Precision, schedule::timetable T>
pass_context pass_context_of(const T& t, const options& o, float loss_factor) {
  const std::size_t share = t.where.micro_batches / directions_of(t);
  pass_context c{.seed = o.seed, .training = t.run_for == mode::training, .how = o.gradients};
  c.one_by_one = o.gradients == reduction::running_mean ||
                 !std::is_same_v<typename Precision::accumulator, typename Precision::compute>;
  c.micro_batches = share;
  std::size_t mean_of = 1;
  if (o.gradients != reduction::sum) mean_of = c.one_by_one ? copies_of(t, o) : t.where.micro_batches * o.replicas;
  c.loss_gradient = loss_factor / static_cast<float>(o.micro_batch * mean_of);
  return c;
}

/// The options, unless the timetable or they cannot be; throws what is wrong.
template <class P, schedule::timetable T>
const options& checked(const T& t, const options& o) {
  throw_if(t.refused);
  if (t.where.stages != P::stage_count)
    throw_if(session_fault{session_wrong::stages, t.where.stages, P::stage_count});
  for (std::size_t s = 0; s < P::stage_count; ++s) {
    const std::size_t ipus = t.where.first_seat(s + 1) - t.where.first_seat(s);
    if (ipus != 1 && ipus != seats_of<P>.branches(s))
      throw_if(session_fault{session_wrong::branches, ipus, seats_of<P>.branches(s), s});
  }
  throw_if(schedule::verify(t));
  const bool trains = t.run_for == mode::training;
  const std::size_t accumulated = trains ? t.where.micro_batches : 1;
  throw_if(feed::verify_batching({o.micro_batch, accumulated, o.replicas, 1, o.device_iterations, t.run_for}));
  if (t.where.micro_batches % directions_of(t) != 0) {
    throw_if(session_fault{session_wrong::directions, t.where.micro_batches, 2});
  }
  const step_shape shape = step_shape_of(t, o);
  throw_if(verify(shape.kept, shape.sizes));
  return o;
}

}  // namespace ipuflow::train
