// SPDX-License-Identifier: BSL-1.0
// A plan holds the facts that a session finds out before it starts, from its timetable and its options: how a step is cut
// up, how many copies of the pipeline there are and which IPU runs which stage, and whether any of it cannot be.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>
#include <ipuflow/train/threads/step_host.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// Copies of the pipeline: one for each replica and direction.
template <class = void>
std::size_t copies_of(const schedule::any_timetable& t, const options& o) {
  return o.replicas * t.where.directions();
}

template <class = void>
step_shape step_shape_of(const schedule::any_timetable& t, const options& o) {
  const bool trains = t.run_for == mode::training;
  const std::size_t count = t.where.micro_batches;
  const feed::batch_sizes sizes{.micro_batch = o.micro_batch,
                                .accumulation = trains ? count : 1,
                                .replicas = o.replicas,
                                .device_iterations = trains ? o.device_iterations : o.device_iterations * count,
                                .run_for = t.run_for};
  return {sizes, count, t.where.directions(), {o.outputs, o.output_period}, o.inputs};
}

/// True if a step may be given fewer samples than it takes.
template <class = void>
bool takes_parts(const schedule::any_timetable& t, const options& o) {
  return t.run_for == mode::inference && mode_of(step_shape_of(t, o).kept, t.run_for) == feed::output_mode::all;
}

/// Branches are on the IPUs of their stage in the order of both; a timetable that knows of no branches has all on one.
template <class = void>
[[gnu::cold]] work_shape work_shape_of(const seat_table& seats, const schedule::any_timetable& t, const options& o) {
  const std::size_t directions = t.where.directions();
  const std::size_t share = t.where.micro_batches / directions;
  work_shape shape{o.micro_batch, share, o.replicas, directions, t.where.ipus, t.run_for == mode::training};
  for (std::size_t d = 0; d < directions; ++d) {
    for (std::size_t seat = 0; seat < seats.count(); ++seat) {
      const std::size_t first = t.where.first_seat(seats.stage[seat]);
      const bool apart = t.where.first_seat(seats.stage[seat] + 1) - first > 1;
      shape.owners.push_back(t.where.ipu_of(first + (apart ? seats.branch[seat] : 0), d * share));
    }
  }
  return shape;
}

/// Multiply-adds of each IPU for one sample, by which IPUs are dealt out to threads.
template <class T>
[[gnu::cold]] light_vector<std::size_t> work_of_ipus(const network_code<T>& code, const work_shape& shape,
                                      const dynamic_array<stash>& keep) {
  light_vector<std::size_t> work(shape.ipus, 1);
  for (std::size_t seat = 0; seat < code.seats.count(); ++seat) {
    const nn::plan_view& plan = code.code[seat].plan;
    const stash& s = keep[code.seats.stage[seat]];
    std::size_t all = plan.forward_work;
    if (shape.training) all += plan.input_work + plan.weight_work;
    if (s.recomputed > 0 || s.within) all += plan.forward_work;
    for (std::size_t d = 0; d < shape.directions; ++d) work[shape.owners[d * code.seats.count() + seat]] += all;
  }
  return work;
}

/// The context that all passes of a run have in common. The loss of a micro-batch is the mean over its samples, and so the gradient
/// of one sample's loss is one over their number, and over that of whatever else is averaged and not scaled later.
/// `apart`: some gradients are added up in another type than they are computed in.
template <class = void>
pass_context pass_context_of(const schedule::any_timetable& t, const options& o, float loss_factor, bool apart = false) {
  const std::size_t share = t.where.micro_batches / t.where.directions();
  pass_context c{.seed = o.seed, .training = t.run_for == mode::training, .how = o.gradients};
  c.one_by_one = o.gradients == reduction::running_mean || apart;
  c.micro_batches = share;
  std::size_t mean_of = 1;
  if (o.gradients != reduction::sum) mean_of = c.one_by_one ? copies_of(t, o) : t.where.micro_batches * o.replicas;
  c.loss_gradient = loss_factor / static_cast<float>(o.micro_batch * mean_of);
  return c;
}

/// The options, unless the timetable or they cannot be; throws what is wrong. `wrong`: what `schedule::verify` says of
/// the timetable.
template <class = void>
[[gnu::cold]] const options& checked(const seat_table& seats, light_span<const output_code> outputs, const schedule::any_timetable& t,
                                     const schedule::schedule_fault& wrong, const options& o) {
  throw_if(t.refused);
  if (t.where.stages != seats.stages())
    throw_if(session_fault{session_wrong::stages, t.where.stages, seats.stages()});
  for (std::size_t s = 0; s < seats.stages(); ++s) {
    const std::size_t ipus = t.where.first_seat(s + 1) - t.where.first_seat(s);
    if (ipus != 1 && ipus != seats.branches(s))
      throw_if(session_fault{session_wrong::branches, ipus, seats.branches(s), s});
  }
  throw_if(wrong);
  const bool trains = t.run_for == mode::training;
  if (trains && algorithms::none_of(outputs.begin(), outputs.end(), [](const output_code& out) { return out.loss; })) {
    throw_if(session_fault{.kind = session_wrong::no_loss});
  }
  const std::size_t accumulated = trains ? t.where.micro_batches : 1;
  throw_if(verify(feed::batch_sizes{o.micro_batch, accumulated, o.replicas, 1, o.device_iterations, t.run_for}));
  if (t.where.micro_batches % t.where.directions() != 0) {
    throw_if(session_fault{session_wrong::directions, t.where.micro_batches, 2});
  }
  throw_if(schedule::verify_stages(o.recompute, seats.stages()));
  throw_if(verify_sharding(o));
  const step_shape shape = step_shape_of(t, o);
  throw_if(verify(shape.kept, shape.sizes));
  return o;
}

}  // namespace ipuflow::train::impl
