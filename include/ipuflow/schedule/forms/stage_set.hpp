// SPDX-License-Identifier: BSL-1.0
// Some stages of a pipeline, or all of them, however many there are: what options name stages by.
#pragma once

#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace ipuflow::schedule {

/// Stages: `{}` has none, `{0, 2}` these two, `all_stages` each.
struct stage_set {
  std::uint64_t words[most_stages / 64]{};  ///< a bit for each stage
  std::size_t end = 0;                      ///< one past the last stage that was named
  bool all = false;                         ///< however many there are

  constexpr stage_set() = default;
  constexpr stage_set(std::initializer_list<std::size_t> stages) {
    for (const std::size_t stage : stages) add(stage);
  }

  constexpr void add(std::size_t stage) {
    if (stage < most_stages) words[stage / 64] |= std::uint64_t{1} << (stage % 64);
    const std::size_t behind = stage + 1 > stage ? stage + 1 : stage;  // of a number that has none behind it, itself
    end = behind < end ? end : behind;
  }
  [[nodiscard]] constexpr bool has(std::size_t stage) const {
    return all || (stage < most_stages && ((words[stage / 64] >> (stage % 64)) & 1) != 0);
  }
  [[nodiscard]] constexpr bool empty() const { return !all && end == 0; }

  friend constexpr auto operator<=>(const stage_set&, const stage_set&) = default;
};

namespace impl {

constexpr stage_set every_stage() {
  stage_set made;
  made.all = true;
  return made;
}

}  // namespace impl

/// Every stage that a pipeline has.
inline constexpr stage_set all_stages = impl::every_stage();

/// A set that names a stage behind the last one of a pipeline.
[[nodiscard]] constexpr schedule_fault verify_stages(const stage_set& named, std::size_t stages) {
  return named.end > stages ? schedule_fault{schedule_wrong::stage_named, named.end - 1, stages} : schedule_fault{};
}

}  // namespace ipuflow::schedule
