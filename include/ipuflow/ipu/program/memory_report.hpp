// SPDX-License-Identifier: BSL-1.0
// The use of each tile's memory, by the categories of the vendor's profiler, and over the steps of the program. A tile
// that needs more than it has is a fault that names the tile and its largest categories and variables.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/ipu/program/codelet.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ipuflow::ipu {

enum class memory_category : unsigned char {
  vertex_code,
  vertex_state,
  exchange_code,
  control_code,
  stack,
  always_live,
  not_always_live,
  gaps
};
inline constexpr std::size_t memory_categories = 8;

[[nodiscard]] constexpr std::string_view name_of(memory_category c) {
  constexpr std::string_view names[] = {"vertex code",
                                        "vertex state",
                                        "exchange code",
                                        "control code",
                                        "stack",
                                        "always-live variables",
                                        "not-always-live variables",
                                        "gaps"};
  return names[static_cast<std::size_t>(c)];
}

/// Bytes of one tile.
struct tile_memory {
  std::array<std::uint32_t, memory_categories> by_category{};  ///< bytes, by `memory_category`

  constexpr std::uint32_t operator[](memory_category c) const { return by_category[static_cast<std::size_t>(c)]; }
  constexpr std::uint32_t& operator[](memory_category c) { return by_category[static_cast<std::size_t>(c)]; }
  [[nodiscard]] constexpr std::size_t total() const {
    std::size_t sum = 0;
    for (const std::uint32_t b : by_category) sum += b;
    return sum;
  }
  [[nodiscard]] constexpr std::size_t code() const {
    return (*this)[memory_category::vertex_code] + (*this)[memory_category::exchange_code] +
           (*this)[memory_category::control_code];
  }
  friend constexpr bool operator==(const tile_memory&, const tile_memory&) = default;
};

/// The bytes of a variable on a chip.
struct variable_memory {
  name_text name;            ///< as it was given
  std::size_t chip = 0;      ///< that holds it
  std::uint64_t size = 0;    ///< bytes
  bool always_live = false;  ///< has its bytes to itself for the whole program
  std::size_t first_step = 0;  ///< of the program in which it is live, unless it always is
  std::size_t end_step = 0;    ///< one behind the last
  std::size_t live_steps = 0;  ///< in which it is live; fewer than between these two if it dies and is made again

  friend constexpr bool operator==(const variable_memory&, const variable_memory&) = default;
};

/// The bytes that an operation puts on tiles besides variables, summed over them, without those of the operations within it.
/// Code that several have is the first one's: that of a codelet on each tile, that of a function with all that it does.
struct operation_memory {
  name_text name;          ///< as it was given
  std::size_t within = 0;  ///< the operation that it is a part of, by its number in the report
  std::array<std::uint64_t, 4> by_category{};  ///< vertex code, vertex state, exchange code, control code
  std::uint64_t code_used = 0;  ///< of all codelets that it and those within it run, whichever operation has their code

  friend constexpr bool operator==(const operation_memory&, const operation_memory&) = default;
};

/// The memory of all tiles.
struct memory_report {
  light_vector<tile_memory> tiles;              ///< each tile's bytes
  light_vector<variable_memory> variables;      ///< those that are used, on each of their chips
  light_vector<std::uint64_t> live_by_step;     ///< variables that are not always live, over all tiles
  std::size_t fullest = 0;                     ///< the tile with the most bytes
  light_vector<std::uint64_t> fullest_by_step;  ///< the same on that tile alone
  light_vector<operation_memory> operations;    ///< first all that is in none, within which the others are

  [[nodiscard]] std::uint64_t total(memory_category c) const {
    std::uint64_t sum = 0;
    for (const tile_memory& t : tiles) sum += t[c];
    return sum;
  }
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const tile_memory& t : tiles) sum += t.total();
    return sum;
  }
  /// Of an operation with all that are within it; 0 is the whole program. None of what is not code or state.
  template <class = void>
  [[nodiscard]] std::uint64_t of_operation(std::size_t number, memory_category c) const {
    std::uint64_t sum = 0;
    if (static_cast<std::size_t>(c) >= operation_memory{}.by_category.size()) return sum;
    for (std::size_t o = 0; o < operations.size(); ++o) {
      std::size_t outer = o;
      while (outer != number && outer != 0) outer = operations[outer].within;
      if (outer == number) sum += operations[o].by_category[static_cast<std::size_t>(c)];
    }
    return sum;
  }
  friend bool operator==(const memory_report&, const memory_report&) = default;
};

enum class memory_wrong : unsigned char { nothing, out_of_memory, code_region, uncounted };

/// A tile, and what is largest there.
struct memory_place {
  std::size_t chip = 0;
  std::size_t tile = 0;  // of that chip
  std::array<memory_category, 3> categories{};
  std::array<std::size_t, 3> category_bytes{};
  std::array<name_text, 3> variables{};
  std::array<std::size_t, 3> variable_bytes{};
  fixed_string<160> remedy{};  // what would make it fit, if that was tried

  friend constexpr bool operator==(const memory_place&, const memory_place&) = default;
};

using memory_fault = fault<memory_wrong, memory_place>;

namespace detail {

template <class = void>
constexpr message_text sentence_of_data(const memory_fault& f) {
  message_text text =
      filled("ipuflow: tile {tile} of chip {chip} is out of memory: it needs {got} byte{s} and has {limit}, {beyond} too few; {remedy} largest there:",
             {{"got", f.got}, {"limit", f.limit}, {"tile", f.where.tile}, {"chip", f.where.chip}, {"beyond", f.got - f.limit},
              {"remedy", f.where.remedy.empty() ? "spread or shorten what is" : filled("{remedy};", {{"remedy", f.where.remedy}}).view()}});
  for (std::size_t i = 0; i < f.where.categories.size() && f.where.category_bytes[i] > 0; ++i) {
    text += filled(i == 0 ? " {name} {bytes}" : ", {name} {bytes}",
                   {{"name", name_of(f.where.categories[i])}, {"bytes", f.where.category_bytes[i]}});
  }
  for (std::size_t i = 0; i < f.where.variables.size() && f.where.variable_bytes[i] > 0; ++i) {
    text += filled(i == 0 ? "; variables '{name}' {bytes}" : ", '{name}' {bytes}",
                   {{"name", f.where.variables[i]}, {"bytes", f.where.variable_bytes[i]}});
  }
  return text;
}

}  // namespace detail

constexpr const char* wording(memory_wrong wrong) {
  switch (wrong) {
    case memory_wrong::nothing:
    case memory_wrong::out_of_memory:  // has more to say
      break;
    case memory_wrong::code_region:
      return "ipuflow: the code of tile {tile} of chip {chip} takes {got} byte{s} but its code region has {limit}; use fewer kinds of codelets there, "
             "or call functions instead of repeating steps";
    case memory_wrong::uncounted:
      return "ipuflow: tile {tile} of chip {chip} is given {got} byte{s}, more than the {limit} that are counted of a tile; spread variables over "
             "more tiles";
  }
  return "";
}

/// `got` and `limit` are bytes.
template <class = void>
constexpr message_text sentence(const memory_fault& f) {
  if (f.kind == memory_wrong::out_of_memory) return detail::sentence_of_data(f);
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"tile", f.where.tile}, {"chip", f.where.chip}});
}

}  // namespace ipuflow::ipu
