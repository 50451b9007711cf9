// SPDX-License-Identifier: BSL-1.0
// A generator is an object of three things: the name by which programs ask for it, the rule that says which sizes it
// allows, and the function that writes its timetable. The rule is data, so a planner or a test can read it; the
// function is called with allowed sizes only. Sizes that are not allowed give an empty timetable that carries the
// fault.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/core/micro_batches.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/device_rules.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace ipuflow::schedule {

/// The options of a schedule that has none.
struct no_options {
  friend constexpr bool operator==(const no_options&, const no_options&) = default;
};

constexpr schedule_fault verify_options(const grid&, const no_options&) { return {}; }

namespace impl {

template <bool Loops, class Write>
struct elsewhere_t {
  Write write;
};

}  // namespace impl

/// Lines that a schedule writes for stages that are not where its rule puts them: they know stages only, so they are the same
/// wherever those are. The rule knows one stage on each IPU in turn, or, with `Loops`, several rounds of that.
template <bool Loops = false, class Write>
[[nodiscard]] constexpr impl::elsewhere_t<Loops, Write> elsewhere(Write write) {
  return {write};
}

namespace impl {

/// True if stages follow each other on IPUs as a rule has them: in turn, or in a loop.
template <class Pipeline, bool Loops>
[[nodiscard]] consteval bool in_turn() {
  if constexpr (requires { typename std::integral_constant<std::size_t, Pipeline::ipus_of(0).size()>; }) {
    std::size_t ipus = 0;
    for (std::size_t s = 0; s < Pipeline::stage_count; ++s) ipus = ipus > Pipeline::ipu_of(s) ? ipus : Pipeline::ipu_of(s) + 1;
    if (Pipeline::stage_count % ipus != 0 || (!Loops && Pipeline::stage_count != ipus)) return false;
    for (std::size_t s = 0; s < Pipeline::stage_count; ++s) {
      if (Pipeline::ipus_of(s).size() != 1 || Pipeline::ipu_of(s) != s % ipus) return false;
    }
  }
  return true;  // or not known to the compiler: the rule says
}

template <class Pipeline>
[[nodiscard]] constexpr const Pipeline& described_by(const Pipeline& pipeline) {
  return pipeline;
}
template <class Pipeline>
[[nodiscard]] constexpr const Pipeline& described_by(const with_mode<Pipeline>& asked) {
  return asked.described;
}

/// Of schedules that know their rule's layout only.
struct nowhere_else {};
template <class Pipeline, class Elsewhere>
inline constexpr bool is_elsewhere = false;
template <class Pipeline, bool Loops, class Write>
inline constexpr bool is_elsewhere<Pipeline, elsewhere_t<Loops, Write>> = !in_turn<Pipeline, Loops>();
template <class Pipeline, bool Loops, class Write>
inline constexpr bool is_elsewhere<with_mode<Pipeline>, elsewhere_t<Loops, Write>> = !in_turn<Pipeline, Loops>();

/// Calls of every generator beside those that give timetables: sentences for what is refused, and a call by name.
template <class Generator>
struct any_generator {
  template <class... Given>
    requires(!asks_for_timetable<Given...>)
  constexpr auto operator()(const Given&...) const {
    [[maybe_unused]] auto none = true ? problem_of<asked_fault<Given...>>() : nothing_wrong{};
  }

  template <staged Pipeline>
  constexpr auto operator()(const Pipeline&, const setup&) const {
    constexpr schedule_fault both{staged<Pipeline> ? schedule_wrong::not_asked : schedule_wrong::nothing};
    [[maybe_unused]] auto none = true ? problem_of<both>() : nothing_wrong{};
  }

  /// Calls `use(timetable)` with what the name stands for.
  template <class Use>
  constexpr decltype(auto) by_name(const setup& asked, Use&& use) const {
    return use(static_cast<const Generator&>(*this)(asked));
  }
};

/// A schedule that lays out its stages by its rule. `write` is called with where the stages are, and also with the mode
/// and the options if it wants them.
template <fixed_string Name, class Options, class Write, class Elsewhere = nowhere_else>
struct generator_t : any_generator<generator_t<Name, Options, Write, Elsewhere>> {
  using any_generator<generator_t>::operator();
  static constexpr std::string_view name = Name;

  allowed rule{};
  Write write;
  Elsewhere other{};

  /// The timetable of these sizes.
  [[nodiscard]] constexpr auto operator()(const setup& asked, const Options& options = {}) const {
    return made(asked, mode_of(asked), options);
  }

  /// The timetable of a pipeline, whose stages must be where the rule puts them unless it knows what to do elsewhere.
  template <staged Pipeline>
  [[nodiscard]] constexpr auto operator()(const Pipeline& pipeline, std::size_t micro_batches, const Options& options = {}) const {
    setup asked = setup_of(pipeline, micro_batches);
    if constexpr (is_elsewhere<Pipeline, Elsewhere>) {
      return on_list(devices_of(described_by(pipeline)), asked);
    } else {
      if (rule.stages == layout::mirrored) asked.stages_per_ipu = 0;
      return on_devices_of((*this)(asked, options), pipeline);
    }
  }

 private:
  constexpr mode mode_of(const setup& asked) const { return rule.training ? asked.run_for : mode::inference; }

  template <class Where>
  constexpr modular<Where> on_list(Where where, const setup& asked) const {
    where.micro_batches = asked.micro_batches;
    const mode run_for = mode_of(asked);
    schedule_fault found = verify_devices(where);
    if (!found && run_for == mode::inference && !rule.inference) found = {schedule_wrong::training_only};
    if (!found) found = verify_count(where.micro_batches, rule.least, rule.multiple);
    modular<Where> t = found ? lines_on(where) : other.write(where);
    t.alone = false;  // stages that share an IPU may have the same step
    t.run_for = run_for;
    t.refused = found;
    return t;
  }

  constexpr auto made(setup asked, mode run_for, const Options& options) const {
    asked.run_for = run_for;
    const grid where = grid_of(asked, rule);
    schedule_fault found = verify(asked, rule);
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
    if constexpr (requires { t.rows; }) t.rows = decltype(t.rows){where.ipus};
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

/// `generator<"gpipe">(rule, write, elsewhere(write))` for one whose stages may be anywhere.
template <fixed_string Name, class Options = no_options, class Write, bool Loops, class Other>
constexpr auto generator(const allowed& rule, Write write, impl::elsewhere_t<Loops, Other> other) {
  return impl::generator_t<Name, Options, Write, impl::elsewhere_t<Loops, Other>>{{}, rule, write, other};
}

/// `generator<"zb1p">(rule, write)`; `generator<"phased", phased_options>(rule, write)` where there are options.
template <fixed_string Name, class Options = no_options, class Write>
constexpr auto generator(const allowed& rule, Write write) {
  return impl::generator_t<Name, Options, Write>{{}, rule, write};
}

}  // namespace ipuflow::schedule
