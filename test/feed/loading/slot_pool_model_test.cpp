// SPDX-License-Identifier: BSL-1.0
// The pool of a loader's slots and their leases, with the very source that runs in production: every interleaving and
// every stale value while threads give back what one thread takes. What is in a slot is plain memory, so that a slot
// that is taken too soon shows as a data race. Each memory order is weakened in turn.
#include <ipuflow/feed/loading/slot_pool.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "queue/memory_model.hpp"

namespace slot_pool_model_test {

using namespace ipuflow::feed;
using memory_model::atomics;
using memory_model::counted_checks;
using memory_model::log;
using memory_model::plain_number;

namespace {

class slot;
using pool_type = impl::basic_slot_pool<slot, atomics>;
using lease_type = impl::basic_lease<atomics>;

/// A slot that lies at the same place whenever a program is run again.
class slot final : public impl::basic_leased<atomics> {
 public:
  slot(std::span<const impl::element_kind* const>, slot* before) : made_before{before} {}

  void give_back() noexcept override { home->give_back(*this); }

  static void* operator new(std::size_t) { return &room.at(next++); }
  static void operator delete(void*) {}
  std::size_t number() const {
    return static_cast<std::size_t>(reinterpret_cast<const place*>(this) - room.data()) + 1;
  }

  plain_number contents{};
  slot* made_before;
  memory_model::plain_pointer<slot> next_free{};
  static inline pool_type* home = nullptr;
  static inline std::size_t next = 0;

 private:
  struct alignas(std::max_align_t) place {
    std::byte bytes[64];
  };
  static inline std::array<place, 8> room{};
};

/// Two slots that were taken; two leases of the first one.
struct world {
  std::unique_ptr<pool_type> pool = std::make_unique<pool_type>(std::span<const impl::element_kind* const>{});
  slot* first = nullptr;
  slot* second = nullptr;
  std::array<lease_type, 2> leases{};

  explicit world(bool leased) {
    slot::home = pool.get();
    slot::next = 0;
    first = &pool->take();
    second = &pool->take();
    if (!leased) return;
    leases[0] = lease_type{*first};
    leases[1] = leases[0];
  }
};

using program = memory_model::explorer<world>::program;

/// Reads what is in a slot and gives it back.
program returns(slot* world::*which) {
  return [=](world& w) {
    log read{(w.*which)->contents.get()};
    w.pool->give_back(*(w.*which));
    return read;
  };
}

/// The same through a lease, or through it and a copy.
program ends_lease(std::size_t which, bool copies) {
  return [=](world& w) {
    lease_type mine = std::move(w.leases[which]);
    std::optional<lease_type> copy;
    if (copies) copy.emplace(mine);
    mine = {};
    return log{w.first->contents.get()};  // while the copy, if any, is there
  };
}
program reads_and_ends_lease(std::size_t which) {
  return [=](world& w) {
    const lease_type mine = std::move(w.leases[which]);
    return log{w.first->contents.get()};
  };
}

void take(world& w, log& taken) {
  slot& s = w.pool->take();
  s.contents.set(s.number());
  taken.push_back(s.number());
}

/// Takes and fills slots while others give back; of those that are taken, none is taken twice.
program takes(std::size_t while_others_run, std::size_t after_them) {
  return [=](world& w) {
    log taken;
    for (std::size_t i = 0; i < while_others_run; ++i) take(w, taken);
    memory_model::join();
    for (std::size_t i = 0; i < after_them; ++i) take(w, taken);
    return taken;
  };
}
/// The taking thread gives one back itself.
program gives_back_itself(std::size_t after_them) {
  return [=](world& w) {
    w.pool->give_back(*w.second);
    log taken;
    take(w, taken);
    memory_model::join();
    for (std::size_t i = 0; i < after_them; ++i) take(w, taken);
    return taken;
  };
}

/// The first program takes slots: each of the first `known` once, and no other one more than once.
bool each_once(const log& taken, std::size_t known) {
  log sorted = taken;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
  return sorted.size() >= known && sorted[known - 1] == known;
}
auto pool_is_right(bool leased, std::vector<program> threads, std::size_t known) {
  return memory_model::explorer<world>{[=] { return world{leased}; }, std::move(threads),
                                       [=](const std::vector<log>& results) {
                                         return each_once(results[0], known) &&
                                                std::all_of(results.begin() + 1, results.end(),
                                                            [](const log& read) { return read == log{0}; });
                                       }};
}

counted_checks check_all() {
  counted_checks checks;
  checks.run(pool_is_right(false, {takes(1, 2), returns(&world::first), returns(&world::second)}, 2));
  checks.run(pool_is_right(false, {takes(2, 2), returns(&world::first), returns(&world::second)}, 2));
  checks.run(pool_is_right(false, {gives_back_itself(1), returns(&world::first)}, 2));
  checks.run(pool_is_right(true, {takes(1, 1), reads_and_ends_lease(0), reads_and_ends_lease(1)}, 1));
  checks.run(pool_is_right(true, {takes(1, 1), ends_lease(0, true), reads_and_ends_lease(1)}, 1));
  checks.run(pool_is_right(
      true, {takes(1, 2), reads_and_ends_lease(0), ends_lease(1, true), returns(&world::second)}, 2));
  return checks;
}

}  // namespace

TEST_CASE("a pool gives no slot away that is held, loses none, and its memory orders and those of leases are needed") {
  const auto orders = memory_model::weaken_in_turn(check_all);
  const auto& checks = orders.with_all;
  CHECK(checks.hold);
  CHECK(checks.executions > 100);
  CHECK(orders.all == 4);
  CHECK(orders.not_needed == std::vector<std::string>{});
  for (const std::string& text : orders.not_needed) MESSAGE("holds without: ", text);
  MESSAGE("slot_pool and lease: ", checks.executions, " executions, ", checks.states, " states, ", orders.all,
          " memory orders weakened in turn");
}

}  // namespace slot_pool_model_test
