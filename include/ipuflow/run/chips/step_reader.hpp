// SPDX-License-Identifier: BSL-1.0
// Reads a table step by step, over all IPUs at once; steps in which nothing is computed are none.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::run::impl {

/// The steps of a table in which anything is computed, one after the other.
template <class = void>
class basic_step_reader {
 public:
  explicit basic_step_reader(const schedule::table& t) : rows_{t.rows}, here_(t.rows.size()) {
    for (std::size_t ipu = 0; ipu < here_.size(); ++ipu) here_[ipu] = {rows_[ipu].begin(), rows_[ipu].begin()};
  }

  /// Goes on to the next step; false at the end.
  bool next() {
    std::size_t step = schedule::nowhere;
    for (std::size_t ipu = 0; ipu < here_.size(); ++ipu) {
      here_[ipu].first = here_[ipu].second;
      while (here_[ipu].first != rows_[ipu].end() && !computes(*here_[ipu].first)) ++here_[ipu].first;
      here_[ipu].second = here_[ipu].first;
      if (here_[ipu].first != rows_[ipu].end() && here_[ipu].first->step < step) step = here_[ipu].first->step;
    }
    for (std::size_t ipu = 0; ipu < here_.size(); ++ipu) {
      auto& [first, last] = here_[ipu];
      while (last != rows_[ipu].end() && last->step == step && computes(*last)) ++last;
    }
    ++number_;
    return step != schedule::nowhere;
  }

  [[nodiscard]] light_span<const schedule::placed> of(std::size_t ipu) const {
    return {here_[ipu].first, static_cast<std::size_t>(here_[ipu].second - here_[ipu].first)};
  }
  /// The number of steps that came before.
  [[nodiscard]] std::size_t number() const { return number_ - 1; }

 private:
  /// Updates are done at the end, transfers where their passes are.
  static bool computes(const schedule::op& o) { return o.kind <= schedule::pass::recompute; }

  const dynamic_array<dynamic_array<schedule::placed>>& rows_;
  light_vector<light_pair<const schedule::placed*, const schedule::placed*>> here_;
  std::size_t number_ = 0;
};
using step_reader = basic_step_reader<>;

}  // namespace ipuflow::run::impl
