// SPDX-License-Identifier: BSL-1.0
// Programs that no generator makes: as phases of a `program`, each valid.
#pragma once

#include <ipuflow/schedule/forms/program.hpp>

#include <cstddef>

namespace handmade {

using namespace ipuflow;
using namespace ipuflow::schedule;

/// All gradients for weights come at the end, by age.
constexpr phase_list weights_at_the_end(const grid& where, std::size_t ipu) {
  constexpr beat f{pass::forward, 0}, i{pass::backward_inputs, 0}, w{pass::backward_weights, schedule::impl::oldest};
  const std::size_t before = where.ipus - 1 - ipu;
  phase_list phases;
  phases.push_back({before, {{f}, 1}});
  phases.push_back({where.micro_batches - before, {{f, i}, 2}});
  phases.push_back({before, {{i}, 1}});
  phases.push_back({where.micro_batches, {{w}, 1}});
  return phases;
}

/// On one IPU a forward runs together with the backward of the next repeat, and of the next phase.
constexpr phase_list pairs_over_ends(const grid& where, std::size_t) {
  constexpr beat f{pass::forward, 0}, f_with{pass::forward, 0, true}, b{pass::backward, 0};
  phase_list phases;
  phases.push_back({2, {{f}, 1}});
  phases.push_back({where.micro_batches - 2, {{b, f_with}, 2}});
  phases.push_back({2, {{b}, 1}});
  return phases;
}

/// Two forwards run together, and read two messages of one link.
constexpr phase_list pairs_of_one_link(const grid& where, std::size_t ipu) {
  constexpr beat f{pass::forward, 0}, f_with{pass::forward, 0, true}, b{pass::backward, 0};
  phase_list phases;
  phases.push_back({where.micro_batches / 2, {{ipu == 0 ? f : f_with, f}, 2}});
  phases.push_back({where.micro_batches, {{b}, 1}});
  return phases;
}

/// Two directions; on an odd number of IPUs the one in the middle has one stage in both.
constexpr phase_list both_directions(const grid& where, std::size_t) {
  phase_list phases;
  for (const pass kind : {pass::forward, pass::backward}) {
    for (const beat& b : {beat{kind, 1}, beat{kind, 0}}) phases.push_back({where.micro_batches / 2, {{b}, 1}});
  }
  return phases;
}

constexpr program program_of(impl::phases_of phases, std::size_t ipus, std::size_t micro_batches, layout kind = layout::loop) {
  return {.where = {ipus, ipus, micro_batches, kind}, .phases = phases, .settled = nowhere};
}

}  // namespace handmade
