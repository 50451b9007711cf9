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

constexpr const char* wording(infeed_wrong wrong) {
  switch (wrong) {
    case infeed_wrong::nothing:
      break;
    case infeed_wrong::depth:
      return "ipuflow: an infeed is to prefetch {got} iteration{s}; choose a depth from 1 to {limit}";
    case infeed_wrong::no_replica:
      return "ipuflow: an infeed is to feed {got} replica{s}; give at least {limit}";
    case infeed_wrong::empty_dimension:
      return "ipuflow: extent {extent} of infeed element {element} is 0; feed elements that hold something";
    case infeed_wrong::shape_changes:
      return "ipuflow: extent {extent} of infeed element {element} is {got} but was {limit} in the first; drop or pad what has another shape, such "
             "as a last short batch";
    case infeed_wrong::has_source:
      return "ipuflow: an element is enqueued to an infeed that reads a source, or was closed; make one without a source";
  }
  return "";
}

constexpr message_text sentence(const infeed_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"extent", f.where.extent}, {"element", f.where.element}});
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
