// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/sum_pieces.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <utility>
#include <ipuflow/core/light_vector.hpp>

namespace sum_pieces_test {

using namespace ipuflow;
using train::impl::sum_message;
using train::impl::sum_piece;
using train::impl::sum_share;

namespace {

constexpr std::size_t processes = 3, copies = 6, most = 64;
const ipuflow::light_vector<std::size_t> seats{0, 300, 300, 1000};
const ipuflow::light_vector<sum_share> shares{{0, 0, 250, true}, {1, 250, 400, false}, {0, 650, 7, true}, {2, 657, 343, true}};

std::size_t process_of(std::size_t copy, std::size_t seat) { return (copy + seat) % processes; }

ipuflow::light_vector<train::impl::sum_pieces> of_all() {
  ipuflow::light_vector<train::impl::sum_pieces> made;
  for (std::size_t me = 0; me < processes; ++me) made.emplace_back(me, processes, seats, copies, process_of, shares, most);
  return made;
}

}  // namespace

TEST_CASE("each number is in one piece, of the process that is to add it up") {
  ipuflow::light_vector<std::size_t> adder(seats.back(), processes);
  for (std::size_t me = 0; const auto& pieces : of_all()) {
    for (const sum_piece& p : pieces.added) {
      CHECK(p.process == me);
      CHECK(p.count <= most);
      std::size_t count = 0;
      for (const auto& r : p.ranges) {
        CHECK(seats[r.seat] + r.of_seat == r.first);
        CHECK(r.first + r.count <= seats[r.seat + 1]);
        for (std::size_t i = r.first; i < r.first + r.count; ++i) CHECK(std::exchange(adder[i], me) == processes);
        count += r.count;
      }
      CHECK(count == p.count);
    }
    ++me;
  }
  for (const sum_share& s : shares) {
    for (std::size_t i = s.first; i < s.first + s.count; ++i) CHECK(adder[i] == s.process);
  }
}

TEST_CASE("a process is sent what it expects: branches of what it adds up, and results that are for all") {
  const auto all = of_all();
  std::map<std::pair<std::size_t, std::size_t>, const sum_piece*> added;  // by process and number
  for (const auto& pieces : all) {
    for (const sum_piece& p : pieces.added) added[{p.process, p.number}] = &p;
  }
  for (std::size_t me = 0; me < processes; ++me) {
    std::size_t given = 0, taken = 0;
    for (const sum_piece& p : all[me].given) {
      REQUIRE(p.messages.size() == 1);
      CHECK(p.messages[0].process == p.process);
      for (const sum_message& m : added.at({p.process, p.number})->messages) {
        if (m.process != me) continue;
        CHECK(m.count == p.room());
        ++given;
      }
    }
    CHECK(given == all[me].given.size());
    for (const sum_piece& p : all[me].taken) {
      CHECK(p.for_all);
      CHECK(p.results.size() == added.at({p.process, p.number})->results.size());
      ++taken;
    }
    for (const auto& [who, p] : added) taken -= who.first != me && p->for_all ? 1 : 0;
    CHECK(taken == 0);
  }
}

TEST_CASE("neighbours are one message of results; pieces of all processes take turns") {
  const auto all = of_all();
  CHECK(all[0].added.size() == 5);  // 257 numbers
  CHECK(all[0].added[4].ranges[0].first == 0);  // the end of the model comes first
  CHECK(all[0].added[4].results.size() == 1);
  CHECK(all[0].added[1].results.size() == 2);  // 192 to 249, and those of the other share
  for (const auto& pieces : all) {
    for (std::size_t i = 1; i < pieces.given.size(); ++i) CHECK(pieces.given[i - 1].number <= pieces.given[i].number);
  }
  CHECK(all[1].given[0].process == 2);  // the next one comes first
  CHECK(all[2].given[0].process == 0);
}

}  // namespace sum_pieces_test
