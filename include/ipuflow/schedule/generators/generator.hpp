// SPDX-License-Identifier: BSL-1.0
// A generator is an object of three things: the name by which programs ask for it, the rule that says which sizes it
// allows, and the function that writes its timetable. The rule is data, so a planner or a test can read it; the
// function is called with allowed sizes only. Sizes that are not allowed give an empty timetable that carries the
// fault.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

/// The options of a schedule that has none.
struct no_options {
  friend constexpr bool operator==(const no_options&, const no_options&) = default;
};

constexpr schedule_fault verify_options(const grid&, const no_options&) { return {}; }

namespace impl {

/// A schedule that lays out its stages by its rule. `write` is called with where the stages are, and also with the mode
/// and the options if it wants them.
template <fixed_string Name, class Options, class Write>
struct generator_t {
  static constexpr std::string_view name = Name;

  allowed rule{};
  Write write;

  /// The timetable of these sizes.
  [[nodiscard]] constexpr auto operator()(const setup& asked, const Options& options = {}) const {
    return made(asked, asked.run_for == mode::inference || !rule.training ? mode::inference : mode::training, options);
  }

  /// The timetable of a pipeline, whose stages must be where the rule puts them.
  template <staged Pipeline, std::size_t Count>
  [[nodiscard]] constexpr auto operator()(const Pipeline& pipeline, micro_batches_t<Count>,
                                          const Options& options = {}) const {
    setup asked = setup_of(pipeline, Count);
    if (rule.stages == layout::mirrored) asked.stages_per_ipu = 0;
    return on_devices_of((*this)(asked, options), pipeline);
  }

  /// Calls `use(timetable)` with what the name stands for.
  template <class Use>
  constexpr decltype(auto) by_name(const setup& asked, Use&& use) const {
    return use((*this)(asked));
  }

 private:
  constexpr auto made(setup asked, mode run_for, const Options& options) const {
    asked.run_for = run_for;
    const grid where = grid_of(asked, rule);
    schedule_fault found = verify_setup(asked, rule);
    if (!found) found = verify_options(where, options);
    if (found) return refused<decltype(written(where, run_for, options))>(where, run_for, found);
    auto t = written(where, run_for, options);
    t.run_for = run_for;
    return t;
  }

  template <class Timetable>
  static constexpr Timetable refused(const grid& where, mode run_for, const schedule_fault& found) {
    Timetable t{};
    t.where = decltype(t.where){where};
    t.run_for = run_for;
    t.refused = found;
    return t;
  }

  constexpr auto written(const grid& where, mode run_for, const Options& options) const {
    if constexpr (requires { write(where, run_for, options); }) {
      return write(where, run_for, options);
    } else {
      return write(where);
    }
  }
};

}  // namespace impl

/// `generator<"1f1b">(rule, write)`; `generator<"phased", phased_options>(rule, write)` where there are options.
template <fixed_string Name, class Options = no_options, class Write>
constexpr auto generator(const allowed& rule, Write write) {
  return impl::generator_t<Name, Options, Write>{rule, write};
}

}  // namespace ipuflow::schedule
