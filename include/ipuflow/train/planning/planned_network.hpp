// SPDX-License-Identifier: BSL-1.0
// A network that is to be planned, outside of its types and of its optimiser's, with the numbers that it is planned for.
#pragma once

#include <ipuflow/core/shared.hpp>
#include <ipuflow/plan/predict/configuration.hpp>
#include <ipuflow/train/chips/tile_update.hpp>
#include <ipuflow/train/optimisers/groups.hpp>
#include <ipuflow/train/optimisers/state.hpp>
#include <ipuflow/train/planning/count_chip.hpp>

#include <cstddef>

namespace ipuflow::train {

/// A network with the numbers that it is planned for: its data are those of its type.
struct planned_network {
  plan::numbers precision = plan::numbers::f32_32;
  bool bytes_in = false;
  nn::network_on_tiles network;
  plan::counted_chip (*count)(const void* optimiser, const cut_network&, const schedule::table&, std::size_t chip, const options&,
                              const on::chips&, number_types) = nullptr;
  run::chips_profile (*count_all)(const void* optimiser, const cut_network&, const schedule::table&, const options&, const on::chips&,
                                  number_types) = nullptr;
  shared_thing optimiser{};
  std::size_t state_bytes = 0;  ///< of the optimiser, for each trained number
};

/// A network that is trained by this optimiser, as a choice of a planner.
template <class P, class Optimiser>
[[nodiscard]] planned_network planned(const P& network, plan::numbers precision, const Optimiser& optimiser, bool bytes_in = false) {
  static_assert(accept<impl::verify_update_on_tiles<Optimiser>()>());
  return {precision, bytes_in, nn::network_on_tiles{network},
          [](const void* by, const cut_network& of, const schedule::table& t, std::size_t chip, const options& o, const on::chips& where,
             number_types numbers) { return count_chip(of, t, chip, *static_cast<const Optimiser*>(by), o, where, numbers); },
          [](const void* by, const cut_network& of, const schedule::table& t, const options& o, const on::chips& where, number_types numbers) {
            return count_step(of, t, *static_cast<const Optimiser*>(by), o, where, numbers);
          },
          shared<Optimiser>{optimiser}.thing(), impl::state_layout_of<impl::rule_of<Optimiser>>::bytes};
}

}  // namespace ipuflow::train
