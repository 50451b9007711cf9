// SPDX-License-Identifier: BSL-1.0
// Blocks that go from stage to stage of a plan as long as that makes it faster. Balanced stages are so by the cycles of their
// blocks alone; a plan knows of few micro-batches, of copies between chips and of streaming memory, too.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/plan/predict/configuration.hpp>
#include <ipuflow/plan/predict/fits_fault.hpp>
#include <ipuflow/plan/predict/prediction.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::plan {

/// A configuration that fits.
struct ranked {
  configuration with{};
  prediction then{};
};

namespace impl {

/// True if a chip has a stage where stages go round the chips, or there and back.
[[nodiscard]] inline bool stands_on(const configuration& c, std::size_t stage, std::size_t chip) {
  return stage % c.ipus == chip || (stage >= c.ipus && stage + chip + 1 == 2 * c.ipus);
}

}  // namespace impl

/// The same configuration with the cuts to which it comes if the chip that works most hands a block to a stage beside it, again
/// and again, as long as that makes the plan faster and all chips fit.
template <class Predict>
[[nodiscard]] ranked with_moved_blocks(Predict&& predict, ranked one, double headroom) {
  if (one.with.schedule == search) return one;  // each of its plans is a search
  for (bool is_faster = true; is_faster;) {
    const ranked before = one;
    for (std::size_t cut = 0; cut < before.with.cuts.size(); ++cut) {
      for (const bool on : {true, false}) {  // the last block of the stage before the cut, or the first one behind it
        if (!impl::stands_on(before.with, on ? cut : cut + 1, before.then.busiest)) continue;
        ranked moved{.with = before.with};
        on ? --moved.with.cuts[cut] : ++moved.with.cuts[cut];
        try {
          moved.then = predict(std::as_const(moved.with));
        } catch (const error&) {  // a stage has no block left
          continue;
        }
        const bool faster = moved.then.samples_per_second() > one.then.samples_per_second();
        if (faster && !verify_fits(moved.then, headroom)) one = std::move(moved);
      }
    }
    is_faster = one.then.samples_per_second() > before.then.samples_per_second();
  }
  return one;
}

}  // namespace ipuflow::plan
