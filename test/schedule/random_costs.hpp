// SPDX-License-Identifier: BSL-1.0
// Costs of stages and links at random: all alike, all different, some of them nothing, messages that take longer than passes.
#pragma once

#include <ipuflow/schedule/analysis/costs.hpp>

#include <cstddef>

namespace reference {

class random_costs {
 public:
  explicit random_costs(std::size_t seed) : state_{seed} {}

  std::size_t below(std::size_t end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % end;
  }

  template <std::size_t Most>
  ipuflow::schedule::costs_of_stages<Most> of_stages(std::size_t stages) {
    ipuflow::schedule::costs_of_stages<Most> c;
    const std::size_t kind = below(5);
    const std::size_t alike = below(3);
    for (std::size_t s = 0; s < stages; ++s) {
      if (s > 0 && alike == 0) {
        c.stage.push_back(c.stage[0]);
      } else if (kind == 0) {
        c.stage.push_back({below(3), below(3), below(3), below(100)});
      } else if (kind == 1) {
        c.stage.push_back({10 + below(2), 10 + below(2), 10, below(2)});
      } else {
        c.stage.push_back({1 + below(20), 1 + below(20), 1 + below(20), kind == 2 ? 0 : below(15)});
      }
    }
    return c;
  }

  /// Each stage is slower than another one by a little only.
  template <std::size_t Most>
  ipuflow::schedule::costs_of_stages<Most> nearly_equal(std::size_t stages) {
    ipuflow::schedule::costs_of_stages<Most> c;
    for (std::size_t s = 0; s < stages; ++s) c.stage.push_back({1000 + below(3), 1000 + below(3), 1000 + below(3), 300 + below(3)});
    return c;
  }

 private:
  std::size_t state_;
};

}  // namespace reference
