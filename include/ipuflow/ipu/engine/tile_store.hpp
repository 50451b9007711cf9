// SPDX-License-Identifier: BSL-1.0
// The memories of all tiles of one replica, with what the layout puts where. In checked runs it also knows which
// elements of each variable were ever written.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/memory.hpp>
#include <ipuflow/ipu/program/program_check.hpp>

#include <cstddef>
#include <cstring>

namespace ipuflow::ipu {

namespace impl {

template <class = void>
class basic_tile_store {
 public:
  basic_tile_store(const graph& g, const memory_layout& layout, bool checked) : g_{&g}, layout_{&layout}, checked_{checked} {
    for (const std::size_t end : layout.ends) memories_.emplace_back((end + 63) / 64 * 64 + 64);
    if (checked) written_.resize(g.variables().size());
  }

  /// The bytes of a run of a variable.
  std::byte* data(std::size_t variable, const placed_run& run) {
    return memories_[run.tile].data() + layout_->address(variable, run.tile) +
           run.local * size_of(g_->variables()[variable].type());
  }

  std::byte* at(std::size_t tile, std::size_t address) { return memories_[tile].data() + address; }

  void mark(std::size_t variable, const placed_run& run) {
    if (!checked_) return;
    light_vector<bool>& flags = flags_of(variable, run.tile);
    const auto first = flags.begin() + static_cast<std::ptrdiff_t>(run.local);
    algorithms::fill(first, first + static_cast<std::ptrdiff_t>(run.length), true);
  }

  /// Copies a run to another of the same length on its tile; elements that were never written stay so.
  void copy_within(std::size_t from, const placed_run& source, std::size_t to, const placed_run& target) {
    const std::size_t size = source.length * size_of(g_->variables()[from].type());
    if (size > 0) std::memcpy(data(to, target), data(from, source), size);
    if (!checked_) return;
    const light_vector<bool> flags = flags_of(from, source.tile);
    const auto first = flags.begin() + static_cast<std::ptrdiff_t>(source.local);
    algorithms::copy_n(first, source.length, flags_of(to, target.tile).begin() + static_cast<std::ptrdiff_t>(target.local));
  }

  /// The first element of the run that was never written, counted in what the tile holds; its end if all were.
  std::size_t first_unwritten(std::size_t variable, const placed_run& run) {
    if (!checked_) return run.local + run.length;
    const light_vector<bool>& flags = flags_of(variable, run.tile);
    std::size_t at = run.local;
    while (at < run.local + run.length && flags[at]) ++at;
    return at;
  }

  void check_written(name_text reader, std::size_t variable, const placed_run& run) {
    const std::size_t at = first_unwritten(variable, run);
    if (at == run.local + run.length) return;
    throw_if(program_fault{program_wrong::unwritten, at, 0, {reader, g_->variables()[variable].name(), run.tile}});
  }

  /// All of a variable, in the order of its elements.
  void read(std::size_t variable, light_span<std::byte> out) {
    each_run(variable, [&](std::size_t begin, const placed_run& run, std::size_t size) {
      std::memcpy(out.data() + begin * size, data(variable, run), run.length * size);
    });
  }
  void write(std::size_t variable, light_span<const std::byte> in) {
    each_run(variable, [&](std::size_t begin, const placed_run& run, std::size_t size) {
      std::memcpy(data(variable, run), in.data() + begin * size, run.length * size);
      mark(variable, run);
    });
  }

  template <class Visit>
  void each_run(std::size_t variable, Visit&& visit) {
    const ipu::variable& v = g_->variables()[variable];
    for (std::size_t copy = 0; copy < v.copies(); ++copy) {
      const std::size_t base = copy * (v.elements() / v.copies());
      for (const mapped_interval& i : v.map()) {
        visit(base + i.begin, v.at(base + i.begin, i.end - i.begin), size_of(v.type()));
      }
    }
  }

 private:
  light_vector<bool>& flags_of(std::size_t variable, std::size_t tile) {
    light_vector<bool>& flags = written_[variable][tile];
    flags.resize(g_->variables()[variable].held(tile), false);
    return flags;
  }

  const graph* g_;
  const memory_layout* layout_;
  bool checked_;
  light_vector<light_vector<std::byte>> memories_;
  light_vector<flat_map<std::size_t, light_vector<bool>>> written_;
};
using tile_store = basic_tile_store<>;

}  // namespace impl

}  // namespace ipuflow::ipu
