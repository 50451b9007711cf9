// SPDX-License-Identifier: BSL-1.0
// Steps of a map-style dataset: positions in an order that depends on the seed and the epoch. Any worker may fill any
// part of a step, so the order cannot depend on the workers.
#pragma once

#include <ipuflow/core/owner.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/partition.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/loading/step_source.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace ipuflow::feed::impl {

template <class = void>
class basic_map_source final : public step_source {
 public:
  basic_map_source(owner<sample_reader> samples, const partition& plan, const loader_options& o)
      : step_source{true}, samples_{std::move(samples)}, seed_{o.shuffle}, plan_{plan}, rest_{plan} {}

  [[nodiscard]] bool repeatable() const override { return true; }
  [[nodiscard]] std::size_t steps() const override { return plan_.steps(); }
  [[nodiscard]] std::size_t dropped() const override { return plan_.dropped; }

  bool begin_at(std::size_t epoch, std::size_t samples) override;

  [[nodiscard]] std::size_t taken(std::size_t epoch, std::size_t steps) const override { return of_pass(epoch).taken(steps); }

  bool open(slot& s, std::size_t step) override;
  void fill(slot& s, interval part, const std::atomic<bool>& abandoned) override { samples_->fill(s, part, abandoned); }

 private:
  const partition& of_pass(std::size_t epoch) const { return epoch == begun_ ? rest_ : plan_; }

  owner<sample_reader> samples_;
  std::optional<std::uint64_t> seed_;
  partition plan_;
  std::size_t begun_ = static_cast<std::size_t>(-1);  // the pass that is not whole
  partition rest_;                                    // of it
};
using map_source = basic_map_source<>;

// None of these is inline, so that a file which declares them as instantiated elsewhere does not compile them.
template <class None>
bool basic_map_source<None>::begin_at(std::size_t epoch, std::size_t samples) {
  begun_ = epoch;
  rest_ = plan_.behind(samples);
  return true;
}
template <class None>
bool basic_map_source<None>::open(slot& s, std::size_t step) {
  const partition& plan = of_pass(s.epoch);
  if (step >= plan.steps()) return false;
  const interval at = plan.at(step);
  s.first = at.first;
  s.size = at.count;
  if (seed_) s.shuffled.emplace(samples_->size(), epoch_key(*seed_, s.epoch));
  samples_->make_room(s, plan_.longest_step());
  return true;
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class basic_map_source<>;
#endif

}  // namespace ipuflow::feed::impl
