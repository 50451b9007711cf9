// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/courier.hpp>

#include "thread_processes.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

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
    mail.begin(count);
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

TEST_CASE("what a process that is ahead sends for its next run waits until that begins here") {
  constexpr std::size_t count = 3, bytes = 24;
  test::in_processes(2, [&](train::other_processes& all) {
    const bool sends = all.process() == 0;
    link way{2 * count, 2 * count, bytes};
    train::impl::courier mail{all};
    mail.serve(crossing{&way, 0, 0, 1, 5}, sends, 1 - all.process(), {bytes, bytes}, false);
    train::impl::memory_block made{bytes};
    for (std::size_t i = 0; sends && i < 2 * count; ++i) {  // two runs of it
      if (i % count == 0) mail.begin(count);
      made.data()[0] = static_cast<std::byte>(i);
      (void)way.forward.try_push({made.data(), i});
      mail.finish();
    }
    (void)all.any(false);  // all messages are there
    for (std::size_t run = 0; !sends && run < 2; ++run) {
      way.clear();  // as a run does that begins
      mail.begin(count);
      mail.carry();
      const auto came = way.forward.peek(2 * count);
      if (came.size() != count) throw std::runtime_error{"messages of a run"};
      for (std::size_t i = 0; i < count; ++i) {
        if (came[i].memory[0] != static_cast<std::byte>(run * count + i)) throw std::runtime_error{"their order"};
      }
      way.forward.release(count);
      mail.carry();
      if (!way.forward.peek(1).empty()) throw std::runtime_error{"of the next run"};
    }
    (void)all.any(false);
  });
}

}  // namespace courier_test
