// SPDX-License-Identifier: BSL-1.0
// Inference: forward (s, m) at step m + s on one stage per IPU; with several, micro-batches pass the IPUs in groups,
// once for each chunk of stages. M + S - 1 steps where each IPU has one stage, and any number of micro-batches.
#pragma once

#include <ipuflow/core/micro_batches.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

inline constexpr auto forwards_only =
    generator<"inference">({.training = false, .inference = true}, [](const grid& where) {
      auto t = lines_on(where);
      t.parts[0].group = where.ipus;
      t[pass::forward] = {
          .runs = who::everyone, .at = 0, .per_stage = 1, .per_member = 1, .per_group = number(where.stages)};
      return t;
    }, elsewhere<true>([](const auto& where) {
      auto t = lines_on(where);
      t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_group = 1};
      return t;
    }));

// Functions, since `ipuflow::inference(pipeline)` is one: a program that uses both namespaces may then say either.
[[nodiscard]] constexpr modular<> inference(const setup& asked) { return forwards_only(asked); }
template <staged Pipeline>
[[nodiscard]] constexpr auto inference(const Pipeline& pipeline, std::size_t micro_batches) {
  return forwards_only(pipeline, micro_batches);
}
template <class... Given>
  requires(sizeof...(Given) < 3 && !impl::asks_for_timetable<Given...>)  // a session of inference has more
constexpr auto inference(const Given&...) {
  [[maybe_unused]] auto none = true ? problem_of<impl::asked_fault<Given...>>() : nothing_wrong{};
}

}  // namespace ipuflow::schedule
