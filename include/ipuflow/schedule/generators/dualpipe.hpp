// SPDX-License-Identifier: BSL-1.0
// Forward and backward overlapped: two flows meet on each IPU, and the forward of one runs together with the backward
// of the other. dualpipe lets them enter at both ends (each stage on two IPUs), dualpipev folds the pipeline into a V.
// The eight phases are those of DeepSeek's published programs.
#pragma once

#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The phases of an IPU that has `rank` others before it on its way in, `depth` of them in all, for `count`
/// micro-batches a flow; `fill` of these pass before flows overlap. `swapped` exchanges the two flows.
struct overlap {
  std::size_t rank = 0;
  std::size_t depth = 1;
  std::size_t count = 0;
  std::size_t fill = 0;
  bool swapped = false;
};

namespace impl {

/// The program of such an IPU.
constexpr phase_list overlapped_phases(const overlap& o) {
  const unsigned char near = o.swapped ? 1 : 0;
  const unsigned char far = o.swapped ? 0 : 1;
  const beat f0{pass::forward, near}, f1{pass::forward, far}, f0_with{pass::forward, near, true};
  const beat f1_with{pass::forward, far, true}, b0{pass::backward, near}, b1{pass::backward, far};
  const beat i0{pass::backward_inputs, near}, i1{pass::backward_inputs, far}, w{pass::backward_weights, oldest};
  const std::size_t outer = o.depth - o.rank - 1;
  const std::size_t inner = o.rank + 1;
  const std::size_t main = o.count + inner - o.fill;
  const std::size_t whole = inner / 2;  // of the last backwards, how many pairs are not split
  const bool odd = o.rank % 2 == 1;
  phase_list p;
  p.push_back({2 * outer, {{f0}, 1}});
  p.push_back({inner, {{f0, f1}, 2}});
  p.push_back({outer, {{i1, w, f1}, 3}});
  if (outer == 0) {  // where the flows meet, the first pair is not overlapped
    p.push_back({main > 0 ? std::size_t{1} : 0, {{f0, b1, f1_with, b0}, 4}});
    p.push_back({main > 0 ? main - 1 : 0, {{f0_with, b1, f1_with, b0}, 4}});
  } else {
    p.push_back({main, {{f0_with, b1, f1_with, b0}, 4}});
  }
  p.push_back({outer, {{b1, f1_with, b0}, 3}});
  p.push_back({whole, {{b1, b0}, 2}});
  p.push_back({odd || whole == inner ? std::size_t{0} : 1, {{b1, i0}, 2}});
  p.push_back({odd ? inner - whole : inner - whole - 1, {{i1, i0}, 2}});
  p.push_back({outer, {{w, i0}, 2}});
  p.push_back({inner, {{w}, 1}});
  return p;
}

constexpr phase_list dualpipe_phases(const grid& where, std::size_t ipu) {
  const bool second_half = 2 * ipu >= where.ipus;
  return overlapped_phases({.rank = second_half ? where.ipus - 1 - ipu : ipu,
                            .depth = where.ipus / 2,
                            .count = where.micro_batches / 2,
                            .fill = where.ipus,
                            .swapped = second_half});
}

constexpr phase_list dualpipev_phases(const grid& where, std::size_t ipu) {
  return overlapped_phases(
      {.rank = ipu, .depth = where.ipus, .count = where.micro_batches, .fill = 2 * where.ipus, .swapped = false});
}

}  // namespace impl

inline constexpr auto dualpipe = generator<"dualpipe">(
    {.stages_per_ipu = 2, .least_per_ipu = 2, .multiple = 2, .even_ipus = true, .stages = layout::mirrored},
    [](const grid& where) { return program{.where = where, .phases = &impl::dualpipe_phases, .settled = 4 * where.ipus}; });

inline constexpr auto dualpipev = generator<"dualpipev">(
    {.stages_per_ipu = 2, .least_per_ipu = 2, .stages = layout::vee},
    [](const grid& where) { return program{.where = where, .phases = &impl::dualpipev_phases, .settled = 4 * where.ipus}; });

}  // namespace ipuflow::schedule
