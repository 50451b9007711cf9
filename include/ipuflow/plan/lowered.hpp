// SPDX-License-Identifier: BSL-1.0
// A part of a network as programs on tiles: the variables at its ends, the variables that one pass leaves for another,
// and the steps of each pass. `nn` makes it; `run` orders its passes by a timetable, and carries the values that must
// be kept while the part runs again.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

/// Trained numbers that replicas share out: each keeps its part of a tensor, if that is large enough.
struct sharding {
  std::size_t replicas = 1;  ///< that share
  bool weights = false;      ///< put together for each layer that reads them
  bool gradients = false;    ///< added up over replicas after each micro-batch
  std::size_t at_least = 0;  ///< numbers of a tensor: smaller ones are kept whole

  /// True if a tensor with this number of elements has parts.
  constexpr bool cuts(std::size_t elements) const { return replicas > 1 && elements >= replicas && elements >= at_least; }
};

/// The way in which the passes of a part are to be laid out.
struct lowering_options {
  ipu::plan_options where{};  ///< its tiles: all those of one chip that compute
  std::size_t branch = 0;  ///< of a concurrent stage
  std::size_t samples = 1;  ///< of a micro-batch
  bool training = true;  ///< backward passes are laid out, too
  bool recomputes = false;  ///< forward leaves only what entered; `recompute` makes the rest again
  bool by_segment = false;  ///< and that within the backward pass: checkpoints are left, too, and cut it into segments
  bool halves_run = true;   ///< backward_inputs and backward_weights run by themselves, at least one of them; else only backward does
  bool values_wait = false;  ///< forward runs again before backward does: backward reads copies
  bool slopes_wait = false;  ///< backward_inputs runs again before backward_weights does: that one reads copies
  float loss_gradient = 1;  ///< of every sample
  std::uint64_t seed = 42;  ///< of what is random in layers
  ipu::element_type parameters = ipu::element_type::f32;  ///< what trained tensors are kept in
  light_vector<ipu::element_type> accumulators{};  ///< what gradients are added up in, tensor by tensor; none: float
  sharding shards{};  ///< what replicas share out
  bool scales_loss = false;  ///< a last part multiplies gradients of the loss by what `lowered::loss_scale` holds
  bool share_code = true;  ///< layers that are alike have one copy of their code
  bool label_blocks = false;  ///< what the layers of a block do has the block's number as its label
  bool optimiser_off_chip = false;  ///< `update` loads its state from streaming memory and stores it there
};

/// A value that one pass makes and a later one reads; where nothing waits both are one variable.
struct carried {
  ipu::variable_id made{};
  ipu::variable_id read{};
};

/// A trained tensor, and what a run adds up for it: all of it, or a replica's part.
struct trained_tensor {
  ipu::variable_id value{};     ///< as layers read it
  ipu::variable_id gradient{};
  std::size_t first = 0;  ///< of its numbers, among those of the part in the order of the model
  maybe<ipu::variable_id> part{};  ///< a replica's, if that is all it keeps between layers
  ipu::matrix_order order{};  ///< in which its numbers are stored; the model has them row after row
  maybe<std::size_t> number{};   ///< a name for it, if it has copies in other parts
  maybe<std::size_t> copy_of{};  ///< the name of the tensor that it is a copy of: that one is updated for both

  /// The variable that holds its numbers between layers.
  ipu::variable_id kept() const { return part.value_or(value); }
};

/// A variable that layers keep beside trained tensors, in the order of the model.
struct kept_state {
  ipu::variable_id value{};
  std::size_t first = 0;
};

/// A value that is the same for a whole run: it is there for each sample, and keeps its contents.
struct run_argument {
  std::size_t number = 0;    ///< among all that enters the first part
  std::size_t elements = 1;  ///< for one sample
  ipu::variable_id value{};
};

struct lowered {
  light_vector<run_argument> arguments{};  ///< that the part reads; they are not among what arrives or leaves
  light_vector<ipu::variable_id> entry{};  ///< what arrives: all that the part before hands on, then what the host feeds
  light_vector<ipu::variable_id> exit{};   ///< what leaves, in order
  light_vector<maybe<ipu::variable_id>> entry_gradients{};  ///< of each entry, unless nothing goes back
  light_vector<maybe<ipu::variable_id>> exit_gradients{};   ///< of each exit; those of a last part are filled by it
  light_vector<carried> values{};  ///< from forward to backward; with recomputation, to `recompute` or what backward makes again
  light_vector<carried> slopes{};  ///< from backward_inputs to backward_weights
  light_vector<trained_tensor> parameters{};
  light_vector<kept_state> state{};
  maybe<ipu::variable_id> loss_scale{};  ///< a float on one tile that keeps its contents
  light_vector<ipu::variable_id> counters{};  ///< one i32 each: the number of the next micro-batch, that a pass counts up

  ipu::step forward{};
  ipu::step recompute{};  ///< from the read copies of what entered, to the read copies of all else; by segment, of the last one
  ipu::step backward{};   ///< both of the next two
  ipu::step backward_inputs{};
  ipu::step backward_weights{};
  ipu::step clear{};   ///< gradients to zero, before the first micro-batch of a run
  ipu::step before_update{};  ///< makes `told`
  light_vector<carried> told{};  ///< floats for all stages, and where `update` reads those of all seats, zeros before they come
  ipu::step update{};  ///< of parameters, after the last one
};

}  // namespace ipuflow::plan
