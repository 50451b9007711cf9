// SPDX-License-Identifier: BSL-1.0
// The costs of passes in a schedule that was found, where activations are made again or sent away: with them `timing`, pictures and
// traces take as long as the search counted. Waiting for room in a channel is no cost of a pass, and is not among them.
#pragma once

#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/search/problem.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/schedule/search/search_memory.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Costs with the times of what is done with activations. It refers to its arguments, so none of them may be a temporary.
template <pricing Costs>
class found_costs {
 public:
  constexpr found_costs(const Costs& costs, const search_memory& memory, const searched& found) : costs_{&costs}, memory_{&memory}, found_{&found} {}
  found_costs(const Costs&&, const search_memory&, const searched&) = delete;
  found_costs(const Costs&, const search_memory&&, const searched&) = delete;
  found_costs(const Costs&, const search_memory&, const searched&&) = delete;

  [[nodiscard]] constexpr std::size_t of(pass kind, std::size_t stage) const {
    if (kind == pass::recompute) return memory_->recomputable.empty() ? costs_->of(kind, stage) : impl::recompute_time(*costs_, *memory_, stage);
    const bool away = found_->stash_of(stage) == stash_choice::offloaded;
    const std::size_t send = away && kind == pass::forward ? memory_->offloading(stage).send_time : 0;
    const std::size_t fetch = away && is_backward(kind) ? memory_->offloading(stage).fetch_time : 0;
    return costs_->of(kind, stage) + send + fetch;
  }
  [[nodiscard]] constexpr std::size_t communication_of(std::size_t stage) const { return impl::message_time(*costs_, stage); }

 private:
  const Costs* costs_;
  const search_memory* memory_;
  const searched* found_;
};

}  // namespace ipuflow::schedule
