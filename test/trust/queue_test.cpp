// SPDX-License-Identifier: BSL-1.0
// Channels and rings with everything that may fail failing in turn; items whose copies and moves throw.
#include "injection.hpp"

#include <ipuflow/queue.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trust_queue_test {

using namespace ipuflow;
using trust::fault;

/// Has memory of its own, and may fail whenever it is copied.
struct fragile_item {
  std::unique_ptr<int> value;

  explicit fragile_item(int v) : value{std::make_unique<int>(v)} {}
  fragile_item(const fragile_item& other) : value{std::make_unique<int>(*other.value)} { trust::user_call(); }
  fragile_item(fragile_item&&) noexcept = default;
  fragile_item& operator=(fragile_item&&) noexcept = default;
};

TEST_CASE("a channel between two threads, one of which may give up at any time") {
  trust::walk_all("channel, two threads", [] {
    auto [out, in] = queue::make_channel<fragile_item>(2);
    long sum = 0;
    {
      std::jthread reader{[&sum, reads = std::move(in)]() mutable {
        while (auto item = reads.pop()) sum += *item->value;
      }};
      auto writes = std::move(out);  // closed when this scope is left, whichever way
      for (int i = 1; i <= 10; ++i) {
        const fragile_item made{i};
        fragile_item copy = made;
        writes.push(std::move(copy));
      }
    }
    CHECK(sum == 55);
  });
}

TEST_CASE("a channel whose items were never taken gives their memory back") {
  trust::walk_all("channel, items left", [] {
    auto [out, in] = queue::make_channel<fragile_item>(8);
    for (int i = 0; i < 5; ++i) (void)out.try_push(fragile_item{i});
    auto item = in.pop();
    CHECK(*item->value == 0);
  });
}

/// Which side ends a channel, and how.
enum class leaving : unsigned char { writer_closes, writer_stops, writer_fails, writer_is_gone, reader_stops, reader_is_gone };

template <class Wait>
void ends(const char* operation, leaving how, std::size_t room) {
  const bool reader_leaves = how >= leaving::reader_stops;
  const auto here = [&](bool reader) { return reader == reader_leaves && trust::ends_here(); };
  trust::walk(operation, fault::end, [&] {
    auto [out, in] = queue::make_channel<fragile_item, queue::spsc_ring<fragile_item>, Wait>(room);
    int taken = 0, written = 0;
    bool left = false, failed = false;
    {
      std::jthread reader{[&, reads = std::move(in)]() mutable {
        try {
          while (!(left = here(true))) {
            const auto item = reads.pop();
            if (!item) return;
            CHECK(*item->value == taken++);
          }
          if (how == leaving::reader_stops) reads.stop();
        } catch (const trust::failed_call&) {
          failed = true;
        }
      }};
      auto writes = std::move(out);
      for (; written < 6; ++written) {
        if (here(false)) {
          if (how == leaving::writer_closes) writes.close();
          if (how == leaving::writer_stops) writes.stop();
          if (how == leaving::writer_fails) writes.fail(std::make_exception_ptr(trust::failed_call{}));
          break;
        }
        if (!writes.push(fragile_item{written})) break;
      }
    }
    CHECK(failed == (how == leaving::writer_fails && written < 6));
    if (reader_leaves && left) CHECK(taken <= written + 1);
    else if (how == leaving::writer_stops) CHECK(taken <= written);
    else CHECK(taken == written);
  });
}

TEST_CASE("either side of a channel ends it, or is gone, at every item") {
  const char* const names[] = {"closed", "stopped by its writer", "failed", "its writer is gone", "stopped by its reader",
                               "its reader is gone"};
  for (std::size_t how = 0; how < 6; ++how) {
    for (const std::size_t room : {1u, 2u}) {
      const std::string name = std::string{"channel "} + names[how] + ", room " + std::to_string(room);
      ends<queue::block>(name.c_str(), static_cast<leaving>(how), room);
      ends<queue::spin_then_yield>((name + ", spinning").c_str(), static_cast<leaving>(how), room);
    }
  }
}

}  // namespace trust_queue_test
