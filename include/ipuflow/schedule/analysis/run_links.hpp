// SPDX-License-Identifier: BSL-1.0
// The links over which messages go while a timetable runs. A port is a seat, a direction of micro-batches and a way: forward or back; a
// link goes from one port to another that is on another IPU.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

template <class = void>
struct basic_run_links {
  struct port {
    std::uint32_t first_in = 0;   ///< its links are those up to the first one of the next port
    std::uint32_t first_out = 0;
  };

  dynamic_array<port> ports{};
  dynamic_array<std::uint32_t> makers{};  ///< of each link, the port that it comes from; they are ordered by the one that they go to
  dynamic_array<std::size_t> delay{};     ///< of each link
  dynamic_array<std::uint32_t> out{};     ///< the links, ordered by the port that they come from
  std::size_t most = 0;                   ///< that go to one port

  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  /// The first link to a port, and the first one from it: where every stage has one seat, there is no other.
  [[nodiscard]] constexpr std::uint32_t link_to(std::uint32_t at) const {
    return ports[at].first_in < ports[at + 1].first_in ? ports[at].first_in : none;
  }
  [[nodiscard]] constexpr std::uint32_t link_from(std::uint32_t at) const {
    return ports[at].first_out < ports[at + 1].first_out ? out[ports[at].first_out] : none;
  }

  constexpr basic_run_links() = default;
  template <whereabouts Where, pricing Costs>
  constexpr basic_run_links(const Where& where, const Costs& c) : ports{4 * where.seats() + 1} {
    for (std::size_t stage = 0, seat = 0; stage < where.stages; ++stage) {
      for (; seat < where.first_seat(stage + 1); ++seat) {
        for (std::size_t p = 4 * seat; p < 4 * seat + 4; ++p) {
          const std::size_t first = makers.size();
          ports[p].first_in = static_cast<std::uint32_t>(first);
          const std::size_t m = p % 4 >= 2 ? where.micro_batches - 1 : 0;
          const std::size_t from = read_from(where, op{p % 2 == 1 ? pass::backward : pass::forward, stage, m});
          for_each_ipu_but(where.ipu_of(seat, m), where, from, m, [&](std::size_t ipu) {
            makers.push_back(static_cast<std::uint32_t>(4 * where.seat_of(ipu, from, m) + p % 4));
            delay.push_back(message_time(c, from));
          });
          if (makers.size() - first > most) most = makers.size() - first;
        }
      }
    }
    ports.back().first_in = static_cast<std::uint32_t>(makers.size());
    out = dynamic_array<std::uint32_t>{makers.size()};
    for (const std::uint32_t p : makers) ++ports[p + 1].first_out;
    for (std::size_t p = 1; p < ports.size(); ++p) ports[p].first_out += ports[p - 1].first_out;
    dynamic_array<std::uint32_t> next{ports.size()};
    for (std::size_t i = 0; i < makers.size(); ++i) {
      out[ports[makers[i]].first_out + next[makers[i]]++] = static_cast<std::uint32_t>(i);
    }
  }
};

using run_links = basic_run_links<>;

}  // namespace ipuflow::schedule::impl
