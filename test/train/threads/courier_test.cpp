// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/courier.hpp>

#include "thread_processes.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <thread>

namespace courier_test {

using namespace ipuflow;
using train::impl::crossing;
using train::impl::link;

TEST_CASE("activations go to the other process and gradients come back, each in its order") {
  constexpr std::size_t count = 50, bytes = 24;
  test::in_processes(2, [&](train::other_processes& all) {
    const bool sends = all.process() == 0;
    link way{2, 3, bytes};
    train::impl::courier mail{all};
    CHECK(mail.idle());
    mail.serve(crossing{&way, 0, 0, 1, 5}, sends, 1 - all.process(), {bytes, bytes}, true);
    CHECK_FALSE(mail.idle());
    std::vector<train::impl::memory_block> made;
    for (std::size_t i = 0; i < 3; ++i) made.emplace_back(bytes);
    std::size_t gone = 0, came = 0;
    while (gone < count || came < count) {
      mail.carry();
      if (sends) {
        if (gone < count && way.forward.has_room()) {
          made[gone % 3].data()[0] = static_cast<std::byte>(gone);
          (void)way.forward.try_push({made[gone % 3].data(), gone});
          ++gone;
        }
        if (const auto back = way.backward.peek(1); !back.empty()) {
          if (back[0].memory.data()[1] != static_cast<std::byte>(100 + came)) throw std::runtime_error{"gradient"};
          way.backward.release(1);
          ++came;
        }
      } else {
        if (const auto seen = way.forward.peek(1); !seen.empty() && gone == came) {
          if (seen[0].memory[0] != static_cast<std::byte>(came)) throw std::runtime_error{"activation"};
          way.forward.release(1);
          ++came;
        }
        if (gone < came && !way.backward.reserve(1).empty()) {
          way.backward.reserve(1)[0].memory.data()[1] = static_cast<std::byte>(100 + gone);
          way.backward.commit(1);
          ++gone;
        }
      }
      std::this_thread::yield();
    }
    mail.finish();
    if (!way.forward.peek(1).empty()) throw std::runtime_error{"left behind"};
  });
}

}  // namespace courier_test
