// SPDX-License-Identifier: BSL-1.0
// Reads printed tables back, for tests: rows of a name and numbers; columns that continued below stand beside each
// other again. And a profile in which no two numbers are alike.
#pragma once

#include <ipuflow/ipu/engine/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace printed {

struct row {
  std::string name{};
  std::vector<double> numbers{};
};

struct table {
  std::vector<row> rows{};  // without heads, which begin with a space

  explicit table(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      const std::size_t end = line.find("  ", line.find_first_not_of(' '));
      if (line.starts_with("     ") || end == std::string::npos) continue;
      std::string name = line.substr(0, end);
      name.erase(0, name.find_first_not_of(' '));
      row* to = find(name);
      if (to == nullptr) to = &rows.emplace_back(row{name, {}});
      std::istringstream cells(line.substr(end));
      for (std::string cell; cells >> cell;) {
        std::erase(cell, ',');
        if (cell.find_first_not_of("0123456789.") == std::string::npos) to->numbers.push_back(std::stod(cell));
      }
    }
  }

  row* find(const std::string& name) {
    for (row& r : rows) {
      if (r.name == name) return &r;
    }
    return nullptr;
  }
  const std::vector<double>& operator[](const std::string& name) {
    row* found = find(name);
    if (found == nullptr) throw std::runtime_error{"no row " + name};
    return found->numbers;
  }
};

inline ipuflow::ipu::profile some_profile(std::size_t chips, std::uint64_t scale) {
  using namespace ipuflow;
  ipu::profile p;
  p.clock = hertz{1.325e9};
  p.tiles_per_chip = 3;
  p.tile_memory = bytes{638'976};
  p.chips.resize(chips);
  std::uint64_t next = 7;
  for (ipu::chip_profile& c : p.chips) {
    const auto number = [&] { return scale * (next += 11); };
    for (cycles& phase : c.by_phase) p.total += phase = {number()};
    c.tile_busy = {number()};
    c.tile_issued = {number()};
    c.flops = number();
    c.vertices = number();
    c.supersteps = number();
    c.moved = {number(), number(), number(), number(), number(), number(), number()};
  }
  for (std::size_t t = 0; t < 3 * chips; ++t) {
    ipu::tile_memory m;
    for (std::uint32_t& b : m.by_category) b = static_cast<std::uint32_t>(next += 13);
    p.memory.tiles.push_back(m);
    p.memory.fullest = t;
  }
  for (std::size_t i = 0; i < 40; ++i) {
    ipu::name_text codelet = ipu::name_from("codelet");
    codelet += i * 7 % 40;
    p.codelets.push_back({codelet, next += 3, {scale * (next * 7919 % 1000)}, next * 31 % 1009, {next % 301}});
    ipu::name_text variable = ipu::name_from("variable");
    variable += i;
    p.memory.variables.push_back({variable, i % chips, next * 104'729 % 5000, i % 3 == 0});
    p.memory.live_by_step.push_back(next * 31 % 977);
    p.memory.fullest_by_step.push_back(next * 17 % 97);
  }
  return p;
}

}  // namespace printed
