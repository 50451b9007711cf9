// SPDX-License-Identifier: BSL-1.0
// The sizes of a schedule: IPUs, stages and micro-batches, given by numbers or by a pipeline and `micro_batches<16>`,
// and the checks that all generators share.
#pragma once

#include <ipuflow/core/mode.hpp>
#include <ipuflow/schedule/forms/device_map.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <concepts>
#include <cstddef>

namespace ipuflow::schedule {

/// The sizes that a timetable is made of.
struct setup {
  std::size_t ipus = 0;            ///< at least 1; one pipeline, not its replicas
  std::size_t stages_per_ipu = 0;  ///< 0 stands for what the schedule has by itself, mostly 1
  std::size_t micro_batches = 0;   ///< of one run of the timetable: in training between two updates
  mode run_for = mode::training;   ///< with backward passes, or forward passes alone

  friend constexpr bool operator==(const setup&, const setup&) = default;
};

/// Anything that knows how many stages it has and where they are: `pipeline(...)`, `training(pipeline)`, or a test's
/// own type.
template <class T>
concept staged = requires(const T& t, std::size_t stage) {
  { T::stage_count } -> std::convertible_to<std::size_t>;
  { t.ipu_of(stage) } -> std::convertible_to<std::size_t>;
};

namespace impl {

/// Arguments that a timetable is made of: sizes, or a pipeline or a list of devices with what stands behind it.
template <class... Given>
inline constexpr bool asks_for_timetable = false;
template <class First, class... Rest>
inline constexpr bool asks_for_timetable<First, Rest...> = std::convertible_to<First, setup>;
template <class First, class Count, class... Rest>
inline constexpr bool asks_for_timetable<First, Count, Rest...> =
    std::convertible_to<First, setup> || staged<First> || requires(const First& devices) { devices.seats(); };

template <class... Given>
inline constexpr schedule_fault asked_fault{asks_for_timetable<Given...> ? schedule_wrong::nothing : schedule_wrong::not_asked};

/// A staged thing whose stages may have several concurrent branches.
template <class T>
concept branched = staged<T> && requires(const T& t, std::size_t stage) { t.ipus_of(stage).size(); };

template <class T>
inline constexpr std::size_t seats_of = T::stage_count;
template <branched T>
  requires requires { T::block_count; }
inline constexpr std::size_t seats_of<T> = T::block_count;

/// The devices of a pipeline as a list.
template <staged Pipeline>
[[nodiscard]] constexpr auto devices_of(const Pipeline& pipeline) {
  device_map<seats_of<Pipeline>> map;
  for (std::size_t stage = 0; stage < Pipeline::stage_count; ++stage) {
    if constexpr (branched<Pipeline>) {
      for (const std::size_t ipu : pipeline.ipus_of(stage)) map.add(stage, ipu);
    } else {
      map.add(stage, pipeline.ipu_of(stage));
    }
  }
  return map;
}

}  // namespace impl

/// The same in numbers, for schedules that lay out stages by a rule of their own.
template <staged Pipeline>
[[nodiscard]] constexpr setup setup_of(const Pipeline& pipeline, std::size_t micro_batches,
                                       mode run_for = mode::training) {
  setup asked{.micro_batches = micro_batches, .run_for = run_for};
  if constexpr (requires { pipeline.run_for; }) asked.run_for = pipeline.run_for;
  for (std::size_t stage = 0; stage < Pipeline::stage_count; ++stage) {
    const std::size_t ipu = pipeline.ipu_of(stage);
    if (ipu >= asked.ipus) asked.ipus = ipu + 1;
  }
  if (asked.ipus > 0) asked.stages_per_ipu = Pipeline::stage_count / asked.ipus;
  return asked;
}

namespace impl {

/// The timetable, refused unless it puts each stage where the pipeline has it.
template <class Timetable, staged Pipeline>
[[nodiscard]] constexpr Timetable on_devices_of(Timetable timetable, const Pipeline& pipeline) {
  for (std::size_t stage = 0; stage < Pipeline::stage_count && !timetable.refused; ++stage) {
    const std::size_t wanted = stage < timetable.where.stages ? timetable.where.ipu_of(stage, 0) : nowhere;
    if (pipeline.ipu_of(stage) == wanted) continue;
    timetable.refused = {schedule_wrong::placed_otherwise, pipeline.ipu_of(stage), wanted, {.stage = stage}};
  }
  return timetable;
}

}  // namespace impl

/// The rule of a schedule: the sizes that it allows, and how it lays out its stages.
struct allowed {
  std::size_t stages_per_ipu = 0;  ///< 0: any number
  std::size_t least = 1;           ///< micro-batches,
  std::size_t least_per_ipu = 0;   ///< and no fewer than these times the IPUs
  std::size_t multiple = 1;
  bool even_ipus = false;
  bool training = true;
  bool inference = false;
  layout stages = layout::loop;  ///< mirrored: the two stages of an IPU count as one or as two

  friend constexpr bool operator==(const allowed&, const allowed&) = default;
};

namespace impl {

/// The fault of sizes without stages, or with too many to be multiplied.
constexpr schedule_fault verify_sizes(const setup& asked) {
  if (asked.ipus == 0) return {schedule_wrong::no_stages, 0, 1};
  const std::size_t larger = asked.ipus > asked.stages_per_ipu ? asked.ipus : asked.stages_per_ipu;
  return larger > most_stages ? schedule_fault{schedule_wrong::too_many_stages, larger, most_stages} : schedule_fault{};
}

/// The layout of a setup's stages; harmless if the setup is refused.
[[nodiscard]] constexpr grid grid_of(const setup& asked, const allowed& rule) {
  const auto allowed = [](std::size_t count) { return count == 0 ? 1 : count < most_stages ? count : most_stages; };
  const std::size_t ipus = allowed(asked.ipus);
  if (rule.stages == layout::mirrored) return {ipus, ipus, asked.micro_batches, rule.stages};
  const std::size_t chunks = rule.stages_per_ipu != 0 ? rule.stages_per_ipu : asked.stages_per_ipu;
  return {ipus, ipus * allowed(chunks), asked.micro_batches, rule.stages};
}

constexpr schedule_fault verify_count(std::size_t micro_batches, std::size_t least, std::size_t multiple) {
  const std::size_t enough = micro_batches > least ? micro_batches : least;
  const bool too_many = micro_batches > most_micro_batches;
  const std::size_t next = too_many ? micro_batches : (enough + multiple - 1) / multiple * multiple;
  if (next > most_micro_batches) {
    return {schedule_wrong::too_many_micro_batches, micro_batches, most_micro_batches / multiple * multiple};
  }
  if (micro_batches == 0) return {schedule_wrong::no_micro_batches, 0, next};
  if (micro_batches < least) return {schedule_wrong::too_few_micro_batches, micro_batches, next};
  if (micro_batches % multiple != 0) return {schedule_wrong::not_a_multiple, micro_batches, next};
  return {};
}

/// The first thing about these sizes that the schedule does not allow.
constexpr schedule_fault verify(const setup& asked, const allowed& rule) {
  const std::size_t chunks = asked.stages_per_ipu;
  const bool mirrored = rule.stages == layout::mirrored;
  if (const schedule_fault found = verify_sizes(asked)) return found;
  if (!mirrored && rule.stages_per_ipu != 0 && chunks != 0 && chunks != rule.stages_per_ipu) {
    return {schedule_wrong::stages_per_ipu, chunks, rule.stages_per_ipu};
  }
  const std::size_t on_each = grid_of(asked, rule).chunks(0) / (mirrored ? 2 : 1);
  if (asked.ipus > most_stages / on_each) {
    return {schedule_wrong::too_many_stages, asked.ipus * on_each, most_stages};
  }
  if (rule.even_ipus && asked.ipus % 2 != 0) return {schedule_wrong::odd_ipus, asked.ipus, asked.ipus + 1};
  if (asked.run_for == mode::inference && !rule.inference) return {schedule_wrong::training_only};
  const std::size_t per_ipu = rule.least_per_ipu * asked.ipus;
  const std::size_t least = rule.least > per_ipu ? rule.least : per_ipu;
  if (const schedule_fault found = verify_count(asked.micro_batches, least, rule.multiple)) return found;
  if (mirrored && chunks > 2) return {schedule_wrong::stages_per_ipu, chunks, 2};
  return {};
}

}  // namespace impl

}  // namespace ipuflow::schedule
