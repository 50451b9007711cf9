// SPDX-License-Identifier: BSL-1.0
// Every queue asks here whether it can have its capacity; a size in bytes never wraps around.
#include <ipuflow/queue/boost_ring.hpp>
#include <ipuflow/queue/capacity.hpp>
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <string>

namespace capacity_test {

using namespace ipuflow;
using namespace ipuflow::queue;

namespace {

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

/// The largest capacity is a power of 2 whose bytes can be counted, and twice as many could not.
template <class T>
constexpr bool largest_is_right() {
  constexpr std::size_t largest = largest_capacity<T>;
  constexpr std::size_t addresses = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  return std::has_single_bit(largest) && largest <= addresses / sizeof(T) && 2 * largest > addresses / sizeof(T);
}
static_assert(largest_is_right<char>() && largest_is_right<int>() && largest_is_right<std::array<char, 7>>() &&
              largest_is_right<std::array<char, 4096>>() && largest_is_right<std::string>());

template <class Ring>
void check_ring() {
  using item = typename Ring::value_type;
  for (const std::size_t asked : {largest_capacity<item> + 1, most / 2, most / 2 + 2, most - 1, most}) {
    CAPTURE(asked);
    const auto wrong = queue_fault{queue_wrong::capacity_too_large, asked, largest_capacity<item>};
    CHECK_THROWS_WITH_AS(Ring{asked}, sentence(wrong).data(), rejected<queue_fault>);
  }
  const auto none = queue_fault{queue_wrong::no_capacity, 0, 1};
  CHECK_THROWS_WITH_AS(Ring{0}, sentence(none).data(), rejected<queue_fault>);
  CHECK(Ring{1}.capacity() == 1);
  CHECK(Ring{1000}.capacity() == 1000);
}

}  // namespace

TEST_CASE("no ring can be asked for more slots than memory has addresses for") {
  check_ring<spsc_ring<char>>();
  check_ring<spsc_ring<std::array<int, 5>>>();
  check_ring<slot_ring<std::string>>();
  check_ring<boost_ring<long>>();
}

TEST_CASE("a channel without a limit is refused with a sentence, before anything is allocated") {
  CHECK_THROWS_WITH_AS((void)make_channel<int>(most),
                       "ipuflow: a queue is asked to hold 18446744073709551615 items, more than memory has addresses "
                       "for; give it a capacity of at most 1152921504606846976",
                       error);
}

}  // namespace capacity_test
