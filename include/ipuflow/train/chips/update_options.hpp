// SPDX-License-Identifier: BSL-1.0
// Around the update of a stage on tiles: what it is made from, and what comes of it for those who put it into a program and
// give its variables their first contents.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/plan/lowered.hpp>
#include <ipuflow/train/chips/tile_scale.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <limits>

namespace ipuflow::train::impl {

/// Options of an update on chips.
struct chips_update_options {
  ipu::plan_options where{};  ///< the tiles of the stage
  std::size_t replicas = 1;
  bool shards = false;    ///< the optimiser's state, over replicas
  bool offloads = false;  ///< it stands in streaming memory
  std::size_t first = 0;  ///< of the stage's parameters, among those of the model
  float max_norm = std::numeric_limits<float>::infinity();  ///< of the gradients of all stages together
  std::size_t seats = 1;                                    ///< chips that hold them, of a replica
  light_vector<piece> tensors{};  ///< of the model, for their groups
  loss_scale scale{};
  std::size_t shard_at_least = 0;  ///< numbers of a tensor
  bool shard_weights = false;      ///< and these: then so is the state
  bool shard_gradients = false;
  bool merges = true;  ///< collectives that follow each other

  [[nodiscard]] bool limits_gradients() const { return max_norm < std::numeric_limits<float>::infinity(); }
  [[nodiscard]] bool looks_at_all() const { return limits_gradients() || scale.automatic; }
  [[nodiscard]] plan::sharding parts() const { return {replicas, shard_weights, shard_gradients, shard_at_least}; }
};

/// A replica's part of a tensor that is kept whole, too: elements [replica * size, + size), behind the last one zeros.
struct parameter_shard {
  std::size_t parameter = 0;  ///< which of the stage
  ipu::variable_id value{};
};

/// The sums that replicas have in the variable that a tensor's gradient was added up in, once the update has been made.
enum class gradient_sums_on : unsigned char { each_all, each_its_own, each_its_part };
struct gradient_left {
  gradient_sums_on sums = gradient_sums_on::each_all;
  bool is_raw = false;  ///< the update took the scale of the loss out of a copy, and shortened that
};

/// A variable that the host fills before the first update.
struct chips_update {
  ipu::step before{};  ///< and what it makes for all stages, where gradients are looked at together
  light_vector<plan::carried> told{};
  ipu::step program{};
  ipu::step clear{};  ///< before the first micro-batch of a run
  ipu::variable_id updates{};             ///< so far, an i32
  light_vector<ipu::variable_id> state{};  ///< zeros at first
  light_vector<ipu::remote_id> homes{};    ///< or where it is in streaming memory, which begins as zeros
  light_vector<parameter_shard> shards{};
  light_vector<gradient_left> gradients{};  ///< of each parameter
  maybe<ipu::variable_id> shortened_by{};  ///< a float: the factor of the last run, if lengths are limited
  maybe<tile_scale> scale{};  ///< if it follows overflows
  bool counts = false;                ///< the stage has updates
};

}  // namespace ipuflow::train::impl
