// SPDX-License-Identifier: BSL-1.0
// Every schedule of the catalogue but one is proven in a constant expression at any size, within the limits that g++ and
// clang have by default: this file is compiled without a flag that raises them. The one is v_half, a search: its
// test says how far it goes.
#include "every_schedule.hpp"

#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>

namespace any_size_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

namespace {

/// The setup with as many micro-batches as the schedule allows next, if it does not allow these.
template <const auto& Generator>
constexpr setup nearest(setup asked) {
  const schedule_fault refused = Generator(asked).refused;
  if (refused.kind == schedule_wrong::not_a_multiple) asked.micro_batches = refused.limit;
  return asked;
}

template <const auto& Generator, std::size_t Ipus, std::size_t Chunks>
constexpr bool proven() {
  constexpr setup asked = nearest<Generator>({.ipus = Ipus, .stages_per_ipu = Chunks, .micro_batches = 1'000'064});
  if constexpr (!Generator(asked).refused) return accept<verify(Generator(asked))>();
  return true;
}

template <const auto& Generator>
constexpr bool proven_on_all() {
  if constexpr (Generator.name == v_half.name) {
    return true;
  } else {
    constexpr bool one = proven<Generator, 2, 0>() && proven<Generator, 3, 0>() && proven<Generator, 8, 0>() &&
                         proven<Generator, 31, 0>() && proven<Generator, 64, 0>();
    if constexpr (every::takes_chunks(Generator.name)) return one && proven<Generator, 64, 4>();
    return one;
  }
}

template <const auto&... Generator>
constexpr bool proven_all(impl::generator_list<Generator...>) {
  return (proven_on_all<Generator>() && ...);
}

}  // namespace

static_assert(proven_all(catalogue{}));

TEST_CASE("a million micro-batches are no more work when the program runs") {
  for (const std::string_view name : schedule_names) {
    if (name == v_half.name) continue;
    for (std::size_t ipus = 2; ipus <= 64; ++ipus) {
      setup asked{.ipus = ipus, .micro_batches = 1'000'064};
      const schedule_fault refused = with_schedule(name, asked, [](const auto& t) { return t.refused; });
      if (refused.kind == schedule_wrong::not_a_multiple) asked.micro_batches = refused.limit;
      with_schedule(name, asked, [&](const auto& t) {
        const bool odd = t.refused.kind == schedule_wrong::odd_ipus;
        CHECK_MESSAGE((odd || !verify(t)), name, " on ", ipus, " IPUs");
      });
    }
  }
}

}  // namespace any_size_test
