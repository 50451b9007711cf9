// SPDX-License-Identifier: BSL-1.0
// Runs one operation on one chip, checked, and makes sure that the costing engine sees the same profile. The chip is a
// part of mk2, so that tests are quick.
#pragma once

#include <ipuflow/ipu/engine/engine.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

inline ipuflow::ipu::architecture small_chip() {
  ipuflow::ipu::architecture chip = ipuflow::ipu::mk2;
  chip.tiles = 64;
  return chip;
}

/// A graph on that chip, with variables that the test fills and reads as floats.
template <class Element>
struct operation_test {
  ipuflow::ipu::graph g{small_chip()};
  std::mt19937 random{7};

  ipuflow::ipu::variable_id variable(std::size_t elements) {
    return g.add_variable<Element>("v", elements, ipuflow::ipu::linear(elements, g.tiles()));
  }
  /// Small whole numbers: exact in half, and so are their sums.
  std::vector<float> numbers(std::size_t n, int most = 4) {
    std::vector<float> made(n);
    for (float& x : made)
      x = static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most);
    return made;
  }
  static std::vector<Element> to_elements(const std::vector<float>& values) {
    std::vector<Element> made;
    for (const float x : values) made.push_back(Element{x});
    return made;
  }
  static std::vector<float> to_floats(const std::vector<Element>& values) {
    std::vector<float> made;
    for (const Element x : values) made.push_back(float{x});
    return made;
  }

  struct input {
    ipuflow::ipu::variable_id id;
    std::vector<float> values;
  };

  /// Runs `program` with those inputs; `read` then looks at the engine.
  template <class Read>
  void run(const ipuflow::ipu::step& program, const std::vector<input>& inputs, Read&& read) {
    const ipuflow::ipu::chip_system all = ipuflow::ipu::pod(small_chip(), 1);
    ipuflow::ipu::engine runs(all, g, program, {.checked = true});
    for (const input& i : inputs) runs.write(i.id, to_elements(i.values));
    CHECK(runs.run() == ipuflow::ipu::cost(all, g, program));
    read(runs);
  }
  std::vector<float> result(const ipuflow::ipu::step& program, const std::vector<input>& inputs,
                            ipuflow::ipu::variable_id out) {
    std::vector<float> values;
    run(program, inputs, [&](ipuflow::ipu::engine& e) { values = to_floats(e.read<Element>(out)); });
    return values;
  }
};

/// The largest difference, relative to one or the larger number.
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::fmax(most, std::fabs(a[i] - b[i]) / std::fmax(1.0, std::fabs(b[i])));
  return most;
}
