// SPDX-License-Identifier: BSL-1.0
// A chip as a record: tiles, memory, widths and clock, each figure with its source. Nothing in this module asks which
// chip it is given, so a user's own chip is one more record, and `accept<verify(mine)>()` checks it at compile time.
// Sources: [PG] programmer's guide, [HC33] Hot Chips 33 slides, [PL] poplibs, [BOW] Bow-2000 datasheet, [LMH] Louw and
// McIntosh-Smith, [D] arithmetic on those. Uncertainty of each figure: docs/chips.md.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/core/units.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// The types that are multiplied and that the products are summed in.
enum class amp_precision : unsigned char { half_half, half_float, float_float };

namespace impl {

/// The multiply-accumulate array of a tile at one precision: a pass takes `channels` inputs to `units` outputs, and
/// each output position takes `core` cycles of it.
struct amp_array {
  std::size_t units = 0;     ///< outputs of a pass
  std::size_t channels = 0;  ///< inputs of a pass
  std::size_t core = 0;      ///< cycles for one output position

  friend constexpr bool operator==(const amp_array&, const amp_array&) = default;
};

}  // namespace impl

/// A chip: the figures that programs are laid out and counted by.
struct architecture {
  fixed_string<15> name;               ///< as reports show it
  std::size_t tiles = 0;               ///< of a chip
  std::size_t workers = 6;             ///< threads of a tile [PG, HC33]
  std::size_t tiles_per_bus = 2;       ///< that share an exchange bus [PL]
  bytes tile_memory;                   ///< of one tile, code included
  bytes code_region;                   ///< bytes of region 0: the only one that code may stand in, not interleaved
  bytes memory_element;                ///< bytes of one: two accesses of one cycle need different elements [PG]
  hertz clock;                         ///< cycles a second
  std::size_t exchange_width = 4;      ///< bytes a cycle each way, of every tile [HC33]
  std::size_t load_width = 16;         ///< bytes a cycle: two loads of 64 bits [D from PG]
  std::size_t store_width = 8;         ///< bytes a cycle: one store [D from PG]
  std::size_t copy_width = 8;          ///< bytes a cycle of a copy within a tile [ipu21 target]
  std::size_t weight_load_width = 16;  ///< bytes a cycle into the multiply-accumulate array [PL]
  impl::amp_array half_half;           ///< halves, summed in halves
  impl::amp_array half_float;          ///< halves, summed in floats
  impl::amp_array float_float;         ///< floats, summed in floats
  cycles sync;                         ///< cycles of a synchronisation of the tiles of a chip
  cycles exchange_latency;             ///< cycles from the first word sent to the first received
  cycles global_sync;                  ///< cycles of one of several chips, without the way between them
  cycles supervisor_launch{11};        ///< cycles around a codelet that all workers run [PL]

  friend constexpr bool operator==(const architecture&, const architecture&) = default;
};

namespace impl {

/// A synchronisation is a way to the middle of the chip and back; a word's first trip is one of them. Both figures of
/// the one published profile fit it: 83 and 166 cycles (docs/chips.md, row H6).
[[nodiscard]] constexpr cycles one_way(cycles sync) { return divided_up(sync, 2); }

}  // namespace impl

/// 1,216 tiles of 256 KiB at 1.6 GHz [PG, LMH].
inline constexpr architecture mk1{
    .name = fixed_string<15>{std::string_view{"mk1"}},
    .tiles = 1216,               // [PG]
    .tile_memory = 262'144_B,    // [PG]
    .code_region = 131'072_B,    // [PG] 128 KiB + 128 KiB
    .memory_element = 16'384_B,  // [PG]
    .clock = 1.6_GHz,            // [LMH]
    .half_half = {8, 16, 4},     // [PL] 8 units of 4 inputs
    .half_float = {8, 16, 4},    // [PL]
    .float_float = {4, 8, 4},    // [PL] 4 units of 2 inputs
    .sync = 166_cycles,          // the vendor's model of mk1, as its profile shows (row H6)
    .exchange_latency = impl::one_way(166_cycles),
    .global_sync = 600_cycles,  // ipu21's figure, assumed
};

/// 1,472 tiles of 624 KiB at 1.325 GHz [PG, HC33].
inline constexpr architecture mk2{
    .name = fixed_string<15>{std::string_view{"mk2"}},
    .tiles = 1472,               // [PG]
    .tile_memory = 638'976_B,    // [PG] addresses 0x4C000 to 0xE7FFF
    .code_region = 319'488_B,    // the split is not published; half is assumed, as on mk1
    .memory_element = 16'384_B,  // mk1's, assumed
    .clock = 1.325_GHz,          // [HC33]
    .half_half = {16, 16, 4},    // [PL] 16 units of 4 inputs: 64 multiply-adds a cycle
    .half_float = {8, 16, 4},    // [HC33] half the rate
    .float_float = {16, 8, 8},   // [PL] 16 units of 2 inputs at half rate
    .sync = 150_cycles,          // [HC33]
    .exchange_latency = impl::one_way(150_cycles),
    .global_sync = 600_cycles,  // ipu21 target
};

/// mk2 at 1.85 GHz [BOW].
inline constexpr architecture bow = [] {
  architecture chip = mk2;
  chip.name = fixed_string<15>{std::string_view{"bow"}};
  chip.clock = 1.85_GHz;
  return chip;
}();

namespace impl {

constexpr const amp_array& array_of(const architecture& chip, amp_precision p) {
  if (p == amp_precision::half_half) return chip.half_half;
  return p == amp_precision::half_float ? chip.half_float : chip.float_float;
}

}  // namespace impl

/// Multiply-adds that a tile can do in a cycle.
[[nodiscard]] constexpr std::size_t macs_per_cycle(const architecture& chip, amp_precision p) {
  const impl::amp_array& array = impl::array_of(chip, p);
  return array.units * array.channels / array.core;
}

/// Floating-point operations a second of a chip whose arrays never wait.
[[nodiscard]] constexpr double peak_flops(const architecture& chip, amp_precision p) {
  return 2.0 * static_cast<double>(macs_per_cycle(chip, p) * chip.tiles) * chip.clock.value;
}

[[nodiscard]] constexpr bytes memory_of(const architecture& chip) { return chip.tile_memory * chip.tiles; }

/// Bytes a second that all tiles together put on, and take from, the exchange.
[[nodiscard]] constexpr double exchange_bandwidth(const architecture& chip) {
  return static_cast<double>(chip.exchange_width * chip.tiles) * chip.clock.value;
}

/// Bytes a second between the tiles' memories and their workers: loads and stores.
[[nodiscard]] constexpr double memory_bandwidth(const architecture& chip) {
  return static_cast<double>((chip.load_width + chip.store_width) * chip.tiles) * chip.clock.value;
}

enum class architecture_wrong : unsigned char {
  nothing,
  no_tiles,
  odd_bus,
  no_workers,
  no_memory,
  region,
  no_clock,
  no_width,
  no_array
};
using architecture_fault = fault<architecture_wrong, fixed_string<15>>;

template <class = void>
constexpr const char* wording(architecture_wrong wrong) {
  switch (wrong) {
    case architecture_wrong::nothing:
      break;
    case architecture_wrong::no_tiles:
      return "ipuflow: architecture '{name}' has no tiles; give it at least one";
    case architecture_wrong::odd_bus:
      return "ipuflow: the {got} tile{s} of architecture '{name}' {does|do} not share buses of {limit}; make tiles a multiple of tiles_per_bus";
    case architecture_wrong::no_workers:
      return "ipuflow: a tile of architecture '{name}' has no workers; give it at least one";
    case architecture_wrong::no_memory:
      return "ipuflow: a tile of architecture '{name}' has {got} byte{s} of memory; give it a positive multiple of 8";
    case architecture_wrong::region:
      return "ipuflow: the code region of architecture '{name}' has {got} byte{s}, its tile only {limit}; make it a part of tile_memory";
    case architecture_wrong::no_clock:
      return "ipuflow: architecture '{name}' has no clock; give it a positive frequency";
    case architecture_wrong::no_width:
      return "ipuflow: a width of architecture '{name}' is zero; exchange, load, store, copy and weights each need bytes a cycle";
    case architecture_wrong::no_array:
      return "ipuflow: an array of architecture '{name}' does nothing; give units, channels and core cycles for each precision";
  }
  return "";
}

constexpr message_text sentence(const architecture_fault& f) {
  const auto& name = f.where;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"name", name}});
}

namespace impl {

constexpr architecture_fault fault_of(const architecture& chip, architecture_wrong kind, std::size_t got,
                                      std::size_t limit) {
  return {kind, got, limit, chip.name};
}

/// The first figure that is zero although programs are divided by it, in their layout or cost: no graph has such a chip.
constexpr architecture_fault verify_divisors(const architecture& chip) {
  using wrong = architecture_wrong;
  if (chip.tiles_per_bus == 0) return fault_of(chip, wrong::odd_bus, chip.tiles, 0);
  if (chip.workers == 0) return fault_of(chip, wrong::no_workers, 0, 1);
  for (const std::size_t width :
       {chip.exchange_width, chip.load_width, chip.store_width, chip.copy_width, chip.weight_load_width}) {
    if (width == 0) return fault_of(chip, wrong::no_width, 0, 1);
  }
  for (const amp_array& array : {chip.half_half, chip.half_float, chip.float_float}) {
    if (array.units == 0 || array.channels == 0 || array.core == 0) return fault_of(chip, wrong::no_array, 0, 1);
  }
  return {};
}

}  // namespace impl

/// The first thing that keeps a record from being a chip.
constexpr architecture_fault verify(const architecture& chip) {
  using wrong = architecture_wrong;
  const auto found = [&](wrong kind, std::size_t got, std::size_t limit) {
    return impl::fault_of(chip, kind, got, limit);
  };
  if (chip.tiles == 0) return found(wrong::no_tiles, 0, 1);
  if (const architecture_fault zero = impl::verify_divisors(chip)) return zero;
  if (chip.tiles % chip.tiles_per_bus != 0) return found(wrong::odd_bus, chip.tiles, chip.tiles_per_bus);
  if (chip.tile_memory.value == 0 || chip.tile_memory.value % 8 != 0)
    return found(wrong::no_memory, chip.tile_memory.value, 8);
  if (chip.code_region > chip.tile_memory) return found(wrong::region, chip.code_region.value, chip.tile_memory.value);
  if (!(chip.clock.value > 0)) return found(wrong::no_clock, 0, 1);
  return {};
}

}  // namespace ipuflow::ipu
