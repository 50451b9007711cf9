// SPDX-License-Identifier: BSL-1.0
// The order in which the chips of a program take the places of a system.
// Its places, and the order with the shortest ways: shortest_order.hpp.
#pragma once

namespace ipuflow::ipu {

/// The places on the ladder that the chips of a program take one after the other; the vendor's selection orders.
enum class chip_order : unsigned char {
  automatic,  ///< a run of a timetable takes the one that brings its neighbours nearest, any other program `zigzag`
  zigzag,     ///< as places are numbered: across a rung, and two hops to the next
  snake,      ///< across a rung, up, and across to where it began: each is beside the next
  hoof        ///< down one side and up the other: the last is beside the first, too, if their number is even
};

}  // namespace ipuflow::ipu
