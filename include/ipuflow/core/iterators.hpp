// SPDX-License-Identifier: BSL-1.0
// Iterators and the concepts of ranges, without the streams that <iterator> brings along: what is declared in terms of them has them.
#pragma once

#include <string_view>

namespace ipuflow {

/// The end of a range whose iterators know it themselves. The standard one is in <iterator>; other headers need not have it.
struct range_end {};

/// The end of a range that has none: no iterator is ever there. The standard one is in <iterator> alone, too.
struct no_end {
  template <std::weakly_incrementable Iterator>
  friend constexpr bool operator==(const Iterator&, no_end) {
    return false;
  }
};

}  // namespace ipuflow
