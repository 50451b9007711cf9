// SPDX-License-Identifier: BSL-1.0
// Counts a run without running it: each step is visited once, with the number of times it would run.
#pragma once

#include <ipuflow/ipu/engine/clock_walk.hpp>
#include <ipuflow/ipu/engine/timed_walk.hpp>
#include <ipuflow/ipu/machine/replica_places.hpp>
#include <ipuflow/ipu/program/memory.hpp>
#include <ipuflow/ipu/program/program_walk.hpp>

#include <cstddef>

namespace ipuflow::ipu {

enum class costing_wrong : unsigned char { nothing, chips, other_chip };
using costing_fault = fault<costing_wrong, std::size_t>;

constexpr const char* wording(costing_wrong wrong) {
  switch (wrong) {
    case costing_wrong::nothing:
      break;
    case costing_wrong::chips:
      return "ipuflow: a program of {where} replica{s} needs {got} chip{s} but the system has {limit}; use a larger system or fewer replicas";
    case costing_wrong::other_chip:
      return "ipuflow: a program is of a graph of other chips than the system has; make graph and system of one architecture";
  }
  return "";
}

/// `got` chips are needed, `limit` are there.
template <class = void>
constexpr message_text sentence(const costing_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

/// The clocks of chips: all step together, by one clock, or each by its own and waits only for what it needs of others.
enum class clocks : unsigned char { one, one_a_chip };

/// Options of a run of a program, or of counting it.
struct run_options {
  std::size_t replicas = 1;          ///< copies of the program, each on chips of its own
  bool allow_out_of_memory = false;  ///< the profile then shows what does not fit
  bool checked = false;              ///< functional runs: look at every access
  clocks kept = clocks::one;         ///< one clock for all chips, or one for each
  std::size_t io_tiles = 0;          ///< of each chip: its first tiles, which do what is theirs beside the others
  bool host_goes_on = false;         ///< the host is as far ahead as a run of the same program before this one left it
};

template <class = void>
inline costing_fault verify(const chip_system& all, const graph& g, const run_options& options) {
  std::size_t least = 0;
  if (__builtin_mul_overflow(options.replicas, g.chips(), &least))
    return {costing_wrong::chips, static_cast<std::size_t>(-1), all.chips, options.replicas};
  const std::size_t needed = places_of(all, g.chips(), options.replicas).needed(options.replicas);
  if (needed > all.chips || options.replicas == 0) return {costing_wrong::chips, needed, all.chips, options.replicas};
  if (!(g.chip() == all.chip)) return {.kind = costing_wrong::other_chip};
  return {};
}

namespace impl {

/// The profile of a program that is gone through as the options say; the run before it is counted for its hosts alone.
template <class Perform>
[[nodiscard]] profile timed(meter& m, const graph& g, const memory_layout& layout, turns through, const run_options& options,
                            const step& program, Perform perform) {
  hosts at_ends{g, m.clock()};
  bool performs = false;
  const auto performed = [&](const auto& leaf) {
    if (performs) perform(leaf);
  };
  const bool one = options.kept == clocks::one;
  const auto gone_through = [&](turns by) {
    if (one && options.io_tiles == 0) return timed_walk(m, g, at_ends, by, performed).run(program);
    return clock_walk(m, g, layout, at_ends, by, one ? 1 : g.chips(), options.io_tiles, performed).run(program);
  };
  if (options.host_goes_on && at_ends.wait()) {
    at_ends.go_on(gone_through(turns::multiplied).total.value);
    m.begin_again();
  }
  performs = true;
  return gone_through(through);
}

}  // namespace impl

template <class = void>
[[nodiscard]] profile cost(const chip_system& all, const graph& g, const step& program, const run_options& options = {}) {
  throw_if(verify(all));
  throw_if(verify(all, g, options));
  throw_if(verify_ids(g, program));
  throw_if(verify_moves(g, program, options.replicas));
  impl::memory_layout layout = impl::lay_out(g, program);
  if (!options.allow_out_of_memory) throw_if(verify(g, layout));
  impl::meter m({all, g, options.replicas, &layout.copies});
  profile made = impl::timed(m, g, layout, impl::turns::multiplied, options, program, [](const auto&) {});
  made.memory = layout.report;
  return made;
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template profile cost<>(const chip_system&, const graph&, const step&, const run_options&);
#endif

}  // namespace ipuflow::ipu
