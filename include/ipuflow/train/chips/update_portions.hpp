// SPDX-License-Identifier: BSL-1.0
// Portions of an update whose state is in streaming memory: tensors follow each other as far as they need no more room than the largest
// alone, so that a tile has the state of few of them at once.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::train::impl {

/// The part of a tensor that is updated: all of it, or a replica's part.
struct updated_tensor {
  ipu::variable_id value{};
  ipu::variable_id gradient{};
  ipu::variable_id whole{};   // that the value is a part of
  bool is_given_back = true;  // to the whole
  std::size_t first = 0;
  std::size_t group = 0;
  light_vector<ipu::variable_id> state{};  // each part of it, and where that is in streaming memory
  light_vector<ipu::remote_id> homes{};
};

/// Bytes of its state on its fullest tile.
template <class = void>
[[nodiscard]] std::uint64_t room_of_state(const ipu::graph& g, const updated_tensor& t) {
  std::uint64_t most = 0;
  for (const auto& [tile, held] : g[t.value].tiles()) {
    std::uint64_t here = 0;
    for (const ipu::variable_id part : t.state) here += g[part].held(tile) * ipu::size_of(g[part].type());
    most = algorithms::max(most, here);
  }
  return most;
}

/// The end of the portion that begins with tensor `first`.
template <class = void>
[[nodiscard]] std::size_t end_of_portion(const ipu::graph& g, const light_vector<updated_tensor>& tensors, std::size_t first) {
  std::uint64_t largest = 0, together = 0;
  for (const updated_tensor& t : tensors) largest = algorithms::max(largest, room_of_state(g, t));
  std::size_t end = first;
  while (end < tensors.size() && together + room_of_state(g, tensors[end]) <= largest) together += room_of_state(g, tensors[end++]);
  return end;
}

}  // namespace ipuflow::train::impl
