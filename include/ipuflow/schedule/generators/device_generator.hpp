// SPDX-License-Identifier: BSL-1.0
// A generator for stages on devices of any kind: a rule of IPUs, a list with shared IPUs, concurrent stages. As every
// generator it is an object of name, rule and lines; its rule says how many micro-batches make a round, and what else
// the vendor's schedules ask of their devices.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/core/micro_batches.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/device_rules.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

/// The number by which the micro-batches of a round are counted.
enum class fills : unsigned char {
  one,     ///< any number will do
  stages,  ///< one for each stage
  slots,   ///< one for each forward and each backward of a stage
  copies   ///< one for each copy of the pipeline that runs beside the others
};

/// The rule of a schedule on devices of any kind.
struct allowed_on_devices {
  static constexpr std::size_t stages_per_ipu = 0;  ///< any number

  fills training = fills::one;
  fills inference = fills::one;
  bool overlaps = true;                                 ///< stages run beside each other, so there are two or more
  bool apart_in_training = false;                       ///< no IPU has two stages
  recomputation recomputes_only = recomputation::none;  ///< in one way; none: in any

  friend constexpr bool operator==(const allowed_on_devices&, const allowed_on_devices&) = default;
};

namespace impl {

/// The number of micro-batches in a round.
template <class Where>
constexpr std::size_t round_of(fills asked, const Where& where) {
  switch (asked) {
    case fills::one:
      return 1;
    case fills::stages:
      return where.stages;
    case fills::slots:
      return 2 * where.stages;
    default:
      return copies_on(where);
  }
}

}  // namespace impl

/// Options say how activations are made again, and how many rounds there are at least.
constexpr recomputation recomputation_of(recomputation asked) { return asked; }
constexpr std::size_t least_rounds(recomputation) { return 1; }

namespace impl {

/// The first thing about these devices and options that the schedule does not allow.
template <class Where, class Options>
constexpr schedule_fault verify_on(const Where& where, mode run_for, const Options& options,
                                   const allowed_on_devices& rule) {
  if (where.ipus == 0 || where.stages == 0) return {schedule_wrong::no_stages, 0, 1};
  const bool trains = run_for == mode::training;
  const std::size_t full = round_of(trains ? rule.training : rule.inference, where);
  schedule_fault found = verify_devices(where, rule.overlaps ? 2 : 1);
  if (!found) found = verify_count(where.micro_batches, full * least_rounds(options), full);
  if (!found && trains && rule.apart_in_training) found = verify_apart(where);
  if constexpr (requires { verify_options(where, options); }) {
    if (!found) found = verify_options(where, options);
  }
  if (found || !trains || rule.recomputes_only == recomputation::none) return found;
  return verify_recomputation(recomputation_of(options), rule.recomputes_only);
}

/// `write` is called with devices that are allowed, the mode and the options.
template <fixed_string Name, class Options, class Write>
struct device_generator_t : any_generator<device_generator_t<Name, Options, Write>> {
  using any_generator<device_generator_t>::operator();
  static constexpr std::string_view name = Name;

  allowed_on_devices rule{};
  Write write;

  /// The timetable of these sizes.
  [[nodiscard]] constexpr modular<> operator()(const setup& asked, const Options& options = {}) const {
    const schedule_fault found = verify_sizes(asked);
    modular<> t = on(grid_of(found ? setup{.ipus = 1} : asked, allowed{}), asked.run_for, options);
    if (found) t.refused = found;
    return t;
  }

  /// The timetable of a list: `grouped(devices(0, 1, 1, 0), micro_batches<16>)`.
  template <std::size_t Seats>
  [[nodiscard]] constexpr modular<device_map<Seats>> operator()(device_map<Seats> where, std::size_t micro_batches,
                                                                mode run_for = mode::training,
                                                                const Options& options = {}) const {
    where.micro_batches = micro_batches;
    return on(where, run_for, options);
  }

  /// The timetable of a pipeline.
  template <staged Pipeline>
  [[nodiscard]] constexpr auto operator()(const Pipeline& pipeline, std::size_t micro_batches, const Options& options = {}) const {
    return (*this)(devices_of(pipeline), micro_batches, mode::training, options);
  }
  template <staged Pipeline>
  [[nodiscard]] constexpr auto operator()(const with_mode<Pipeline>& asked, std::size_t micro_batches, const Options& options = {}) const {
    return (*this)(devices_of(asked.described), micro_batches, asked.run_for, options);
  }

 private:
  template <class Where>
  constexpr modular<Where> on(Where where, mode run_for, const Options& options) const {
    const bool copies = (run_for == mode::training ? rule.training : rule.inference) == fills::copies;
    if (copies && !verify_devices(where, rule.overlaps ? 2 : 1)) where = overlapping(where);
    const schedule_fault found = verify_on(where, run_for, options, rule);
    modular<Where> t = found ? lines_on(where) : write(where, run_for, options);
    t.run_for = run_for;
    t.refused = found;
    return t;
  }
};

}  // namespace impl

/// `generator<"grouped", grouped_options>(rule, write)`, for devices of any kind.
template <fixed_string Name, class Options, class Write>
constexpr auto generator(const allowed_on_devices& rule, Write write) {
  return impl::device_generator_t<Name, Options, Write>{{}, rule, write};
}

}  // namespace ipuflow::schedule
