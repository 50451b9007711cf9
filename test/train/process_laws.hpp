// SPDX-License-Identifier: BSL-1.0
// The laws that processes keep, whatever carries their bytes. To be called in all of them.
#pragma once

#include <ipuflow/train/threads/other_processes.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ipuflow::test {

inline void must(bool holds, const char* law) {
  if (!holds) throw std::runtime_error{law};
}

inline void keeps_the_laws(train::other_processes& all) {
  const std::size_t me = all.process(), count = all.processes();
  // exchange: each gets what each sent it
  std::vector<std::vector<float>> sent(count), got(count);
  for (std::size_t p = 0; p < count; ++p) {
    if (p == me) continue;
    sent[p].assign(3 + p, static_cast<float>(10 * me + p));
    got[p].resize(3 + me);
  }
  for (int round = 0; round < 3; ++round) {
    all.exchange(std::vector<std::span<const float>>(sent.begin(), sent.end()), std::vector<std::span<float>>(got.begin(), got.end()));
    for (std::size_t p = 0; p < count; ++p) {
      for (const float x : got[p]) must(x == static_cast<float>(10 * p + me), "exchange");
    }
  }
  // share: parts that lie apart, of none to several a process
  std::vector<int> numbers(4 * count, -1);
  std::vector<train::owned_bytes> parts;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t owner = i * i % count;
    if (owner == me) numbers[i] = static_cast<int>(100 * i + owner);
    parts.push_back({owner, reinterpret_cast<std::byte*>(&numbers[i]), sizeof(int)});
  }
  all.share(parts);
  for (std::size_t i = 0; i < numbers.size(); ++i) must(numbers[i] == static_cast<int>(100 * i + i * i % count), "share");
  // any
  must(all.any(me + 1 == count), "any of one");
  must(!all.any(false), "any of none");
  // agree
  const train::agreed_fact same[] = {{"shoe size", "43"}, {"eyes", "2"}};
  all.agree(same);
  if (count > 1) {
    const train::agreed_fact other[] = {{"shoe size", "43"}, {"eyes", me == 1 ? "3" : "2"}};
    bool thrown = false;
    try {
      all.agree(other);
    } catch (const std::exception&) {
      thrown = true;
    }
    must(thrown, "all notice a difference");
  }
  // a ring of channels: messages keep their order, and places go round
  if (count > 1) {
    const std::size_t next = (me + 1) % count, before = (me + count - 1) % count;
    const auto out = all.sender(next, 7 * me, sizeof(std::size_t), 2);
    const auto in = all.receiver(before, 7 * before, sizeof(std::size_t), 2);
    for (std::size_t gone = 0, came = 0; gone < 40 || came < 40;) {
      bool moved = false;
      if (std::byte* const room = gone < 40 ? out->room() : nullptr) {
        std::memcpy(room, &gone, sizeof gone);
        out->send();
        ++gone;
        moved = true;
      }
      if (const std::byte* const message = came < 40 ? in->message(0) : nullptr) {
        std::size_t seen = 0;
        std::memcpy(&seen, message, sizeof seen);
        must(seen == came, "order");
        in->release();
        ++came;
        moved = true;
      }
      all.waiting(moved);
      if (!moved) std::this_thread::yield();
    }
    (void)all.any(false);  // both ends are done before one is gone
  }
}

}  // namespace ipuflow::test
