// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/chips/verdict.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace verdict_test {

using namespace ipuflow;

namespace {

/// Chips with so much compute and host each, in a run of 1000 cycles.
ipu::profile run_of(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> compute_and_host) {
  ipu::profile p;
  p.total = {1000};
  p.tiles_per_chip = 2;
  for (const auto& [compute, host] : compute_and_host) {
    auto& chip = p.chips.emplace_back();
    chip[ipu::phase::compute] = {compute};
    chip[ipu::phase::host] = {host};
  }
  return p;
}

ipu::profile with_memory(std::uint32_t code, std::uint32_t live) {
  ipu::profile p;
  p.tiles_per_chip = 2;
  p.tile_memory = bytes{1000};
  p.memory.tiles.resize(4);
  p.memory.fullest = 3;
  p.memory.tiles[3][ipu::memory_category::vertex_code] = code;
  p.memory.tiles[3][ipu::memory_category::always_live] = live;
  return p;
}

}  // namespace

TEST_CASE("whether it fits, with how much room, or what takes it") {
  CHECK(report::verdict(with_memory(100, 400)) == "Fits: the fullest, tile 1 of IPU 1, has 50.0 % of its 1,000 bytes free.\n");
  CHECK(report::verdict(with_memory(100, 900)) == "Fits: the fullest, tile 1 of IPU 1, has 0.0 % of its 1,000 bytes free.\n");
  CHECK(report::verdict(with_memory(101, 900)) ==
        "Does not fit: tile 1 of IPU 1 lacks 1 of 1,001 bytes.\nMost of them are always-live variables, 900.\n");
}

TEST_CASE("what bounds the time, where, and what would help most") {
  CHECK(report::verdict(run_of({{800, 100}})) == "IPU 0 bounds the time, with 80.0 % of it in compute.\n"
                                                 "Numbers of half the size, more tiles or more replicas would help most.\n");
  CHECK(report::verdict(run_of({{300, 600}, {800, 0}})) == "IPU 0 bounds the time, with 60.0 % of it in host.\n"
                                                           "I/O tiles, bytes in place of floats, or fewer results a step would help most.\n");
  CHECK(report::verdict(run_of({{300, 0}, {900, 0}})) == "IPU 1 bounds the time, with 90.0 % of it in compute.\n"
                                                         "It works 1.5 times the mean: a cut that gives some of it to others would help most.\n");
  CHECK(report::verdict(run_of({{500, 0}, {480, 0}})) ==
        "Waiting bounds the time: even IPU 0, which works most, waits 50.0 % of it.\n"
        "More micro-batches between updates, or a schedule with a smaller bubble, would help most.\n");
  CHECK(report::verdict(run_of({{100, 0}, {500, 0}})).find("It works 1.7 times the mean") != std::string::npos);
  CHECK(report::verdict(ipu::profile{}).empty());
}

}  // namespace verdict_test
