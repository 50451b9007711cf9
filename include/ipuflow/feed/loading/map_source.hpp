// SPDX-License-Identifier: BSL-1.0
// Steps of a map-style dataset: positions in an order that depends on the seed and the epoch. Any worker may fill any
// part of a step, so the order cannot depend on the workers.
#pragma once

#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/partition.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/loading/step_source.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace ipuflow::feed::impl {

class map_source final : public step_source {
 public:
  map_source(std::unique_ptr<sample_reader> samples, const partition& plan, const loader_options& o)
      : step_source{true}, samples_{std::move(samples)}, seed_{o.shuffle}, last_{o.last}, plan_{plan} {}

  [[nodiscard]] bool repeatable() const override { return true; }
  [[nodiscard]] std::size_t steps() const override { return plan_.steps; }
  [[nodiscard]] std::size_t dropped() const override { return plan_.dropped; }

  bool begin_at(std::size_t epoch, std::size_t samples) override {
    begun_ = epoch;
    rest_ = plan_.behind(samples, last_);
    return true;
  }

  bool open(slot& s, std::size_t step) override {
    const partition& plan = s.epoch == begun_ ? rest_ : plan_;
    if (step >= plan.steps) return false;
    const interval at = plan.at(step);
    s.first = at.first;
    s.size = at.count;
    if (seed_) s.shuffled.emplace(samples_->size(), epoch_key(*seed_, s.epoch));
    samples_->make_room(s, std::min(plan_.step, plan_.mine.count));
    return true;
  }

  void fill(slot& s, interval part, const std::atomic<bool>& abandoned) override { samples_->fill(s, part, abandoned); }

 private:
  std::unique_ptr<sample_reader> samples_;
  std::optional<std::uint64_t> seed_;
  tail last_;
  partition plan_;
  std::size_t begun_ = static_cast<std::size_t>(-1);  // the pass that is not whole
  partition rest_{};                                  // of it
};

}  // namespace ipuflow::feed::impl
