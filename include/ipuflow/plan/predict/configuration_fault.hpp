// SPDX-License-Identifier: BSL-1.0
// The fault of a configuration in itself, whatever the network and the schedule: numbers that are none of what they count.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/plan/predict/configuration.hpp>

#include <cstddef>

namespace ipuflow::plan {

enum class configuration_wrong : unsigned char { nothing, none, too_many, too_many_samples, no_share, no_time, headroom, proportions };

/// `where` is the name of the choice.
using configuration_fault = fault<configuration_wrong, fixed_string<32>>;

template <class = void>
constexpr const char* wording(configuration_wrong wrong) {
  switch (wrong) {
    case configuration_wrong::nothing:
      break;
    case configuration_wrong::none:
      return "ipuflow: a plan with {where} {got} runs nothing; give it at least {limit}";
    case configuration_wrong::too_many:
      return "ipuflow: a plan has {where} {got}; give it at most {limit}";
    case configuration_wrong::too_many_samples:
      return "ipuflow: a step of a plan has more than {limit} samples; give it a smaller micro_batch, accumulation, replicas or device_iterations";
    case configuration_wrong::no_share:
      return "ipuflow: {where} of a plan is no share of a tile's memory; give it more than 0 and at most 1";
    case configuration_wrong::no_time:
      return "ipuflow: {where} of a plan is negative, no number, or a billion seconds and more; give it seconds, 0 or more";
    case configuration_wrong::headroom:
      return "ipuflow: the headroom of a plan is no share of a tile's memory; give it 0 or more and less than 1";
    case configuration_wrong::proportions:  // has a sentence of its own
      break;
  }
  return "";
}

constexpr message_text sentence(const configuration_fault& f) {
  if (f.kind == configuration_wrong::proportions) return sentence(ipu::proportions_fault{ipu::proportions_wrong::count, f.got, f.limit});
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

/// More of each than these are a mistake, not a wish, and so are more samples in a step: what those take is a number still.
inline constexpr std::size_t most_planned_chips = 1 << 16;
inline constexpr std::size_t most_planned_samples = 1 << 20;
inline constexpr std::size_t most_planned_iterations = 1 << 20;
inline constexpr std::size_t most_planned_ahead = 1 << 20;  // as a run on chips has it

/// The first fault of a configuration.
template <class = void>
[[nodiscard]] constexpr configuration_fault verify(const configuration& c) {
  using enum configuration_wrong;
  struct count {
    const char* name;
    std::size_t given, most;
  };
  for (const count& n : {count{"ipus", c.ipus, most_planned_chips}, {"replicas", c.replicas, most_planned_chips}, {"micro_batch", c.micro_batch, most_planned_samples},
                         {"accumulation", c.accumulation, std::size_t{1} << 30}, {"device_iterations", c.device_iterations, most_planned_iterations}}) {
    if (n.given == 0) return {none, 0, 1, fixed_string<32>{std::string_view{n.name}}};
    if (n.given > n.most) return {too_many, n.given, n.most, fixed_string<32>{std::string_view{n.name}}};
  }
  constexpr std::size_t most_samples = std::size_t{1} << 36;
  std::size_t samples = 1;
  for (const std::size_t n : {c.micro_batch, c.replicas, c.accumulation, c.device_iterations}) {
    if (n > most_samples / samples) return {.kind = too_many_samples, .limit = most_samples};
    samples *= n;
  }
  if (c.prefetch > most_planned_ahead)
    return {too_many, c.prefetch, most_planned_ahead, fixed_string<32>{std::string_view{"prefetch"}}};
  if (const auto wrong = ipu::verify(c.memory_proportion, c.ipus)) return {proportions, wrong.got, wrong.limit, fixed_string<32>{std::string_view{"memory_proportion"}}};
  for (const double share : c.memory_proportion.given()) {
    if (!(share > 0 && share <= 1)) return {no_share, 0, 0, fixed_string<32>{std::string_view{"memory_proportion"}}};
  }
  const auto time = [](seconds s) { return s.value >= 0 && s.value < 1e9; };  // false for what is no number
  if (!time(c.host_time)) return {no_time, 0, 0, fixed_string<32>{std::string_view{"host_time"}}};
  if (!time(c.call_time)) return {no_time, 0, 0, fixed_string<32>{std::string_view{"call_time"}}};
  return {};
}

/// A headroom that leaves something.
constexpr configuration_fault verify_headroom(double headroom) {
  if (headroom >= 0 && headroom < 1) return {};
  return {.kind = configuration_wrong::headroom};
}

}  // namespace ipuflow::plan
