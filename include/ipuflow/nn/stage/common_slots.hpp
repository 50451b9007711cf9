// SPDX-License-Identifier: BSL-1.0
// Slots that have the same variables in one segment of a stage after the other. Segments are made again, and gone back through, one at a
// time, so what only one of them looks at needs no variable of its own; and code that segments share needs no copies of it.
#pragma once

#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/stage/stage_plan.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn::impl {

/// Of each slot the one in an earlier segment whose value, or whose gradient, stands where its own does; itself if there is none.
struct common_slots {
  light_vector<std::size_t> value{};
  light_vector<std::size_t> gradient{};
};

/// Finds the segment that looks at each root.
template <class = void>
class basic_segment_uses {
 public:
  explicit basic_segment_uses(const plan_view& plan) : plan_{plan}, value_(plan.slots.size(), none), gradient_(plan.slots.size(), none) {
    for (std::size_t i = 0; i < plan.entering; ++i) note(i, plan.segments);
    for (const std::size_t i : plan.leaving) note(i, plan.segments);
    for (const step_plan& step : plan.steps) {
      for (const std::size_t i : step.in) note(i, step.segment);
      for (const std::size_t i : step.out) note(i, step.segment);
    }
  }

  /// True if two values are each looked at by one segment alone, and not by the same.
  [[nodiscard]] bool values_apart(std::size_t a, std::size_t b) const { return apart(value_, a, b); }
  [[nodiscard]] bool gradients_apart(std::size_t a, std::size_t b) const { return apart(gradient_, a, b); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Several segments, or none of this stage alone, are the number behind the last.
  void note(std::size_t slot, std::size_t segment) {
    const auto add = [&](std::size_t& seen) { seen = seen == none || seen == segment ? segment : plan_.segments; };
    add(value_[plan_.slots[slot].root]), add(gradient_[plan_.slots[slot].gradient_root]);
  }
  bool apart(const light_vector<std::size_t>& of, std::size_t a, std::size_t b) const {
    return of[a] < plan_.segments && of[b] < plan_.segments && of[a] != of[b];
  }

  const plan_view& plan_;
  light_vector<std::size_t> value_, gradient_;
};
using segment_uses = basic_segment_uses<>;

/// Slots at the same place of their segments, if `alike(a, b)` says that they can stand in the same place.
template <class Alike>
[[nodiscard]] common_slots common_slots_of(const plan_view& plan, Alike alike) {
  const segment_uses uses(plan);
  common_slots made;
  for (std::size_t i = 0; i < plan.slots.size(); ++i) made.value.push_back(i), made.gradient.push_back(i);
  light_vector<light_vector<light_pair<std::size_t, std::size_t>>> seen;  // by a step's place in its segment: numbers of outputs, and slots
  std::size_t first = 0;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    if (s > 0 && plan.steps[s].segment != plan.steps[s - 1].segment) first = s;
    if (seen.size() <= s - first) seen.emplace_back();
    auto& here = seen[s - first];
    for (std::size_t out = 0; out < plan.steps[s].out.size(); ++out) {
      const std::size_t i = plan.steps[s].out[out];
      for (const auto& [number, k] : here) {
        if (number != out || !alike(k, i)) continue;
        if (made.value[i] == i && made.value[k] == k && uses.values_apart(k, i)) made.value[i] = k;
        if (made.gradient[i] == i && made.gradient[k] == k && uses.gradients_apart(k, i)) made.gradient[i] = k;
      }
      here.push_back({out, i});
    }
  }
  return made;
}

}  // namespace ipuflow::nn::impl
