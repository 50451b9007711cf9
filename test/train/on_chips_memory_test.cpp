// SPDX-License-Identifier: BSL-1.0
// A session that is out of memory names options with which it fits: those that fit, all of them, and no others.
#include <ipuflow/train/on_chips.hpp>

#include "chips_check.hpp"

#include <string>
#include <string_view>

namespace on_chips_memory_test {

using namespace ipuflow;
using run::kept_in;

constexpr auto network = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                  block<"wide">(nn::flatten, nn::linear<48>, nn::tanh), block<"out">(nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto t = schedule::grouped(network, micro_batches<8>);

ipu::chip_system with_memory(std::size_t bytes_of_a_tile) {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 4;
  chip.tile_memory = bytes{bytes_of_a_tile};
  return ipu::pod(chip, 2);
}

/// What a session says of its memory; nothing if it fits.
std::string said_of(const on::chips& where, std::size_t micro_batch = 16) {
  const train::session session{network, t, train::adamw{}, {.micro_batch = micro_batch}, where};
  try {
    static_cast<void>(session.cost());
  } catch (const rejected<ipu::memory_fault>& no) {
    return no.what();
  }
  return "";
}

/// The bytes of the fullest tile.
std::size_t fullest(on::chips where, std::size_t micro_batch = 16) {
  where.system = with_memory(1 << 20);
  const train::session session{network, t, train::adamw{}, {.micro_batch = micro_batch}, where};
  const auto memory = session.cost().chips.memory;
  return memory.tiles[memory.fullest].total();
}

TEST_CASE("What an exception names fits, and what it does not name doesn't") {
  const struct {
    std::string_view name;
    on::chips where;
    std::size_t bytes;
  } kinds[] = {{"optimiser_state", {.optimiser_state = kept_in::streaming_memory}, fullest({.optimiser_state = kept_in::streaming_memory})},
               {"accumulators", {.accumulators = kept_in::streaming_memory}, fullest({.accumulators = kept_in::streaming_memory})},
               {"activations", {.activations = kept_in::streaming_memory}, fullest({.activations = kept_in::streaming_memory})},
               {"weights", {.weights = kept_in::streaming_memory}, fullest({.weights = kept_in::streaming_memory})}};
  const std::size_t all = fullest({});
  std::size_t named = 0;
  for (std::size_t memory = all / 2; memory < all; memory += all / 32) {
    const std::string said = said_of({.system = with_memory(memory)});
    INFO(memory << " of " << all << ": " << said);
    REQUIRE(said.starts_with("ipuflow: tile "));
    const std::string remedy = said.substr(said.find("too few; "), said.find("; largest there") - said.find("too few; "));
    const bool alone = remedy.find(" and ") == std::string::npos;
    for (const auto& kind : kinds) {
      const bool fits = kind.bytes <= memory;
      if (alone) CHECK((remedy.find(kind.name) != std::string::npos) == fits);
      if (!alone) CHECK_FALSE(fits);
      named += fits;
    }
    const auto few = said.find("give a micro-batch ");
    for (std::size_t half = 8; half > 0; half /= 2) {
      if (fullest({}, half) > memory) continue;
      REQUIRE(few != std::string::npos);
      CHECK(std::stoul(said.substr(few + 19)) == half);
      break;
    }
  }
  CHECK(named > 4);
  CHECK(said_of({.system = with_memory(all)}).empty());
}

TEST_CASE("A step that cannot begin says the same as its cost, and what it says helps") {
  const std::size_t enough = fullest({.optimiser_state = kept_in::streaming_memory});
  train::session session{network, t, train::adamw{}, {.micro_batch = 16}, on::chips{.system = with_memory(enough)}};
  std::string said;
  try {
    session(test::made_up{session.samples_per_step()});
  } catch (const rejected<ipu::memory_fault>& no) {
    said = no.what();
  }
  CHECK(said == said_of({.system = with_memory(enough)}));
  CHECK(said.find("keep optimiser_state") != std::string::npos);
}

}  // namespace on_chips_memory_test
