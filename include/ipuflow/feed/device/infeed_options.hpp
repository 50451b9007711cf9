// SPDX-License-Identifier: BSL-1.0
// Options of an infeed, and faults of these and of its elements. Elements of one feed have one shape, because the
// device was compiled for that of the first one.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::feed {

/// Options of an infeed.
struct infeed_options {
  std::size_t prefetch_depth = 3;  ///< iterations made ahead
  std::size_t replicas = 1;        ///< each gets an element of its own in every iteration
  bool one_shape = true;           ///< refuses an element with other extents than the first; callables may take any
};

enum class infeed_wrong : unsigned char { nothing, depth, no_replica, empty_dimension, shape_changes, has_source };

/// A place in a feed: the element, and which extent of it, counted through all of its fields.
struct feed_place {
  std::size_t element = 0;
  std::size_t extent = 0;

  friend constexpr bool operator==(const feed_place&, const feed_place&) = default;
};

using infeed_fault = fault<infeed_wrong, feed_place>;

constexpr message_text sentence(const infeed_fault& f) {
  switch (f.kind) {
    case infeed_wrong::nothing:
      break;
    case infeed_wrong::depth:
      return words("ipuflow: an infeed is to prefetch ", f.got, " iterations; choose a depth from 1 to ", f.limit);
    case infeed_wrong::no_replica:
      return words("ipuflow: an infeed is to feed ", f.got, " replicas; give at least ", f.limit);
    case infeed_wrong::empty_dimension:
      return words("ipuflow: extent ", f.where.extent, " of infeed element ", f.where.element,
                   " is 0; feed elements that hold something");
    case infeed_wrong::shape_changes:
      return words("ipuflow: extent ", f.where.extent, " of infeed element ", f.where.element, " is ", f.got,
                   " but was ", f.limit,
                   " in the first; drop or pad what has another shape, such as a last short batch");
    case infeed_wrong::has_source:
      return words("ipuflow: an element is enqueued to an infeed that reads a source, or was closed; make one without a source");
  }
  return {};
}

[[nodiscard]] constexpr infeed_fault verify(const infeed_options& options) {
  constexpr std::size_t deepest = 255;
  if (options.prefetch_depth < 1 || options.prefetch_depth > deepest) {
    return {infeed_wrong::depth, options.prefetch_depth, deepest};
  }
  if (options.replicas < 1) return {infeed_wrong::no_replica, options.replicas, 1};
  return {};
}

}  // namespace ipuflow::feed
