// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/process_sums.hpp>

#include "thread_processes.hpp"

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/threads/crew.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

namespace process_sums_test {

using namespace ipuflow;
using train::impl::sum_share;

namespace {

constexpr std::size_t copies = 6, numbers = 5700;
const ipuflow::light_vector<std::size_t> seats{0, 300, 300, 5700};  // the second has no parameters

/// Work whose gradients are made up. A process must not ask for those of a copy that it does not have.
struct made_up_work {
  std::size_t me;
  std::size_t (*process_of)(std::size_t copy, std::size_t seat);
  ipuflow::light_vector<float> third = gradient(2);  // is at hand

  static ipuflow::light_vector<float> gradient(std::size_t copy) {
    ipuflow::light_vector<float> made(numbers);
    for (std::size_t i = 0; i < numbers; ++i) made[i] = 1.0f / static_cast<float>(1 + copy * 977 + i);
    return made;
  }
  const float* at_hand(std::size_t seat, std::size_t copy, std::size_t first) const {
    if (process_of(copy, seat) != me) throw std::runtime_error{"not here"};
    return copy == 2 ? third.data() + seats[seat] + first : nullptr;
  }
  const float* add_up(std::size_t seat, std::size_t first_copy, std::size_t end, std::size_t first, std::span<float> to) const {
    return train::impl::tree_sum(first_copy, end, to, [](std::size_t a, std::size_t b) { return b - a == 1; },
                                 [&](std::size_t copy, std::size_t, std::span<float> one) {
                                   if (const float* const here = at_hand(seat, copy, first)) return here;
                                   for (std::size_t i = 0; i < one.size(); ++i) one[i] = 1.0f / static_cast<float>(1 + copy * 977 + seats[seat] + first + i);
                                   return static_cast<const float*>(one.data());
                                 });
  }
};

std::size_t nobody_else(std::size_t, std::size_t) { return 0; }
std::size_t by_halves(std::size_t copy, std::size_t) { return copy / 3; }  // in the middle of a branch
std::size_t by_seat(std::size_t, std::size_t seat) { return seat / 2; }
std::size_t by_pairs(std::size_t copy, std::size_t) { return copy / 2; }
std::size_t a_copy_each(std::size_t copy, std::size_t) { return copy; }
std::size_t mixed(std::size_t copy, std::size_t seat) { return (copy + seat) % 3; }

ipuflow::light_vector<float> sums_of(std::size_t processes, std::size_t (*process_of)(std::size_t, std::size_t), ipuflow::light_vector<sum_share> shares, std::size_t reader, std::size_t most) {
  ipuflow::light_vector<float> found(numbers);
  test::in_processes(processes, [&](train::other_processes& all) {
    train::impl::process_sums sums{all, seats, copies, process_of, shares, most};
    run::crew threads{all.process() + 1};
    for (const float before : {-2.0f, -1.0f}) {
      std::fill(sums.sums().begin(), sums.sums().end(), before);
      sums(made_up_work{all.process(), process_of}, [&](const auto& job) { threads.run(job); });
    }
    if (all.process() == reader) found.assign(sums.sums().begin(), sums.sums().end());
  });
  return found;
}

}  // namespace

TEST_CASE("sums do not depend on who has which copy of which seat") {
  const auto alone = sums_of(1, nobody_else, {{0, 0, numbers, true}}, 0, numbers);
  CHECK(alone[0] == ((1.0f + 1.0f / 978) + (1.0f / 1955 + 1.0f / 2932)) + (1.0f / 3909 + 1.0f / 4886));
  const ipuflow::light_vector<sum_share> two{{0, 0, 310, true}, {1, 310, 2000, true}, {1, 2400, numbers - 2400, true}, {0, 2310, 90, true}};
  for (const std::size_t most : {7u, 100u, 100000u}) {  // numbers of a piece
    for (const std::size_t reader : {0u, 1u}) {
      CHECK(sums_of(2, by_halves, two, reader, most) == alone);
      CHECK(sums_of(2, by_seat, two, reader, most) == alone);
    }
    CHECK(sums_of(3, mixed, {{2, 0, 5, true}, {0, 5, 600, true}, {1, 605, numbers - 605, true}}, 1, most) == alone);
    CHECK(sums_of(3, by_pairs, {{2, 0, 5000, true}, {0, 5000, numbers - 5000, true}}, 1, most) == alone);
    CHECK(sums_of(6, a_copy_each, {{2, 0, 5, true}, {0, 5, 600, true}, {5, 605, numbers - 605, true}}, 4, most) == alone);
  }
}

TEST_CASE("without sharing a process has the sums that it adds up") {
  const auto alone = sums_of(1, nobody_else, {{0, 0, numbers, true}}, 0, numbers);
  const auto mine = sums_of(2, by_halves, {{0, 0, 310, false}, {1, 310, numbers - 310, false}}, 1, 64);
  for (std::size_t i = 0; i < numbers; ++i) CHECK(mine[i] == (i < 310 ? -1.0f : alone[i]));
}

TEST_CASE("pieces of seats that are ready are exchanged while others are not") {
  const auto alone = sums_of(1, nobody_else, {{0, 0, numbers, true}}, 0, numbers);
  test::in_processes(2, [&](train::other_processes& all) {
    const made_up_work work{all.process(), by_halves};
    train::impl::process_sums sums{all, seats, copies, by_halves, {{0, 0, 2000, true}, {1, 2000, numbers - 2000, true}}, 100};
    run::crew threads{2};
    for (int round = 0; round < 2; ++round) {
      std::fill(sums.sums().begin(), sums.sums().end(), -1.0f);
      sums.begin();
      sums.advance(work);
      sums.ready(2);
      const auto is_there = [&](std::size_t i) { return sums.sums()[i] == alone[i]; };
      while (!is_there(300) || !is_there(numbers - 1)) sums.advance(work);
      for (std::size_t i = 0; i < 300; ++i) CHECK(sums.sums()[i] == -1.0f);
      sums(work, [&](const auto& job) { threads.run(job); });
      CHECK(std::equal(alone.begin(), alone.end(), sums.sums().begin()));
    }
  });
}

TEST_CASE("a thread that fails ends the others of its process") {
  test::in_processes(1, [](train::other_processes& all) {
    train::impl::process_sums sums{all, seats, copies, nobody_else, {{0, 0, numbers, true}}, 100};
    run::crew threads{3};
    struct {
      made_up_work all{0, nobody_else};
      const float* at_hand(std::size_t, std::size_t, std::size_t) const { return nullptr; }
      const float* add_up(std::size_t seat, std::size_t first_copy, std::size_t end, std::size_t first, std::span<float> to) const {
        if (seat == 2 && first == 1000) throw std::runtime_error{"the cat is on the keyboard"};
        return all.add_up(seat, first_copy, end, first, to);
      }
    } fails_once;
    CHECK_THROWS_WITH(sums(fails_once, [&](const auto& job) { threads.run(job); }), "the cat is on the keyboard");
  });
}

TEST_CASE("sums are rounded where accumulators are halves") {
  ipuflow::light_vector<float> sums{1.0001f, 1.0001f, 1.0001f};
  train::impl::round_sums({{0, 1, train::accumulator_type::f32}, {1, 1, train::accumulator_type::f16}, {2, 1, train::accumulator_type::f32}}, std::span{sums});
  CHECK(sums == ipuflow::light_vector<float>{1.0001f, 1.0f, 1.0001f});
}

}  // namespace process_sums_test
