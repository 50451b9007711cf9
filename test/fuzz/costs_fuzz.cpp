// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the reader of costs: a text is refused with a sentence, or its costs are those that a plain walk over its decimals
// finds, no time that is counted with them is less than a part of it, and writing them gives the same costs again.
#include "memory_file.hpp"

#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/generators/compare.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using fuzz::expect;
using schedule::pass;

std::string written(const schedule::measured_costs& c) {
  std::string text;
  for (std::size_t stage = 0; stage < c.records(); ++stage) {
    std::size_t point = 1, digits = 0;
    for (; point < c.per_unit(); point *= 10) ++digits;
    for (const std::size_t time : {c.of(pass::forward, stage), c.of(pass::backward_inputs, stage), c.of(pass::backward_weights, stage),
                                   c.communication_of(stage)}) {
      const std::string behind = std::to_string(time % point);
      text += std::to_string(time / point) + "." + std::string(digits - (digits == 0 ? 0 : behind.size()), '0') + (digits == 0 ? "" : behind) + ",";
    }
    text.back() = stage % 2 == 0 ? ';' : '\n';
  }
  return text;
}

void use(const schedule::measured_costs& c) {
  expect(c.records() > 0 && c.per_unit() > 0);
  const std::string text = written(c);
  const schedule::measured_costs again = schedule::read_costs(text, "ms");
  expect(written(again) == text);
  expect(!c.text_of(c.of(pass::forward, 0)).empty() && c.in_units(c.per_unit()) == 1);
  if (c.records() > 8) return;
  throw_if(schedule::verify_costs(c, 4));
  const auto t = schedule::one_f_one_b({.ipus = 4, .micro_batches = 8});
  double least = 0;  // eight micro-batches one after the other on each stage
  for (std::size_t stage = 0; stage < 4; ++stage) {
    double own = 0;
    for (const pass kind : {pass::forward, pass::backward_inputs, pass::backward_weights}) own += 8 * c.in_units(c.of(kind, stage));
    least = own > least ? own : least;
  }
  const double whole = c.in_units(schedule::times_of(t, c).makespan);
  expect(whole >= least * (1 - 1e-12));
  if (c.records() > 1) return;
  const auto halves = schedule::interleaved_1f1b({.ipus = 4, .stages_per_ipu = 2, .micro_batches = 8});
  expect(c.unit().empty() && c.cut(2).in_units(schedule::times_of(halves, c.cut(2)).makespan) >= least * (1 - 1e-12));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    use(schedule::read_costs(text));
  } catch (const error& wrong) {
    expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
  }
  return 0;
}

/// Sometimes puts a piece of the format somewhere; otherwise changes bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  constexpr std::string_view words[] = {"3.1,2.7,1.9,0.2", ";", "\n", ",", "#", " ", "0.000000001", "1000000000", "1000000001", ".", "00000000000000000000", "9", "1,2,3,4;"};
  const std::string_view word = words[seed / 8 % (sizeof words / sizeof *words)];
  if (seed % 2 != 0 || size + word.size() > most) return LLVMFuzzerMutate(data, size, most);
  const std::size_t at = size == 0 ? 0 : seed / 256 % (size + 1);
  std::memmove(data + at + word.size(), data + at, size - at);
  std::memcpy(data + at, word.data(), word.size());
  return size + word.size();
}
