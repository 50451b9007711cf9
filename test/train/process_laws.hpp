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
  // messages: each gets what each sent it, small and large, of each tag in its order, whenever it begins to receive
  for (const std::size_t size : {3u, 100000u}) {
    const auto text = [&](std::size_t from, std::size_t to, std::size_t tag, std::size_t turn) {
      return std::vector<std::size_t>(size, 1000 * from + 100 * to + 10 * tag + turn);
    };
    std::vector<std::vector<std::size_t>> sent, wanted, got;
    std::vector<std::size_t> open;
    sent.reserve(4 * count);
    got.reserve(4 * count);
    const auto receive_all = [&] {
      for (std::size_t p = 0; p < count; ++p) {
        for (std::size_t i = 0; i < 4 && p != me; ++i) {
          const std::size_t tag = i / 2 == 0 ? 32767 : 5, turn = i % 2;  // not in the order of sends
          wanted.push_back(text(p, me, tag, turn));
          open.push_back(all.begin_receive(p, tag, std::as_writable_bytes(std::span{got.emplace_back(size)})));
        }
      }
    };
    if (me % 2 == 0) receive_all();
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t i = 0; i < 4 && p != me; ++i) {
        const std::size_t tag = i % 2 == 0 ? 5 : 32767, turn = i / 2;
        open.push_back(all.begin_send(p, tag, std::as_bytes(std::span{sent.emplace_back(text(me, p, tag, turn))})));
      }
    }
    if (me % 2 != 0) receive_all();
    while (!open.empty()) {
      const bool moved = std::erase_if(open, [&](std::size_t message) { return all.done(message); }) > 0;
      all.waiting(moved);
    }
    must(got == wanted, "messages");
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
