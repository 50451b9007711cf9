// SPDX-License-Identifier: BSL-1.0
// A stage on one of its chips, with everything around it: variables where values wait, rings for those that wait longer,
// places in streaming memory, what the host fills, its passes as functions.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/plan/lowered.hpp>

#include <array>
#include <cstddef>

namespace ipuflow::run {

namespace impl {

/// Variables that wait together, and the rings that they wait in.
struct wired_channel {
  light_vector<plan::carried> what{};
  light_vector<ipu::ring_id> rings{};
  light_vector<plan::carried> taken{};  ///< what comes by I/O tiles: from there to its place, before the pass that reads it

  /// The variable in which a value for `place` arrives: that one, or the one where it may have to wait.
  [[nodiscard]] ipu::variable_id arrives_at(ipu::variable_id place) const {
    for (std::size_t i = 0; i < what.size(); ++i) {
      if ((taken.empty() ? what[i].read : taken[i].read).index == place.index) return what[i].made;
    }
    return place;
  }
};

}  // namespace impl

/// A variable at the host's end of a run.
struct host_end {
  std::size_t part = 0;
  ipu::variable_id variable{};  ///< of the stage
  ipu::variable_id beside{};    ///< what is transferred, if not that
  ipu::stream_id stream{};
};

namespace impl {

/// A variable that stands in streaming memory while it is not used: in a buffer there, and, on its way beside compute, on I/O
/// tiles.
struct streamed {
  ipu::variable_id variable{};
  ipu::remote_id home{};
  ipu::variable_id beside{};

  [[nodiscard]] bool has_io_tiles() const { return beside.index != variable.index; }
};

/// A stage on a chip, with everything around it.
struct chips_part {
  plan::lowered with{};
  wired_channel arriving{};
  wired_channel values{};
  wired_channel returning{};
  wired_channel slopes{};
  std::array<maybe<ipu::function_id>, 5> passes{};  ///< by part_work
  std::array<light_vector<streamed>, 5> loaded{};            ///< before each pass
  std::array<light_vector<streamed>, 5> stored{};            ///< after each pass
  ipu::step added{};                                        ///< sums of gradients that were loaded, before a backward
  light_vector<ipu::remote_id> homes{};                      ///< of parameters that live elsewhere
  light_vector<streamed> sums{};                             ///< of gradients, if they live elsewhere: in the order of parameters
  light_vector<plan::carried> posted{};                      ///< exits that go by I/O tiles, and where they lie there
  light_vector<plan::carried> posted_back{};                 ///< gradients of entries
  light_vector<host_end> fed{};                              ///< entries that the host fills
  light_vector<plan::carried> staged{};                       ///< those that come early, and where they go
  std::size_t from_stage = 0;                               ///< entries that the stage before fills
};

}  // namespace impl

}  // namespace ipuflow::run
