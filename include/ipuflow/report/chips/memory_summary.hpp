// SPDX-License-Identifier: BSL-1.0
// Tables of memory: by category over all tiles and on the fullest one, by chip, and the largest variables. Always-live
// variables take their bytes all the time; the others share addresses and count with their peak.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/text_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace ipuflow::report {

/// Bytes that are live all the time: all but variables with a beginning and an end, and gaps between those.
[[nodiscard]] constexpr std::uint64_t always_live(const ipu::tile_memory& t) {
  return t.total() - t[ipu::memory_category::not_always_live] - t[ipu::memory_category::gaps];
}

namespace impl {

/// "tile 17 of IPU 1"
template <class = void>
[[nodiscard]] inline std::string tile_name(std::size_t tile, std::size_t tiles_per_chip) {
  const std::size_t per_chip = algorithms::max<std::size_t>(tiles_per_chip, 1);
  return joined("tile ", std::to_string(tile % per_chip), " of IPU ", std::to_string(tile / per_chip));
}

template <class = void>
class basic_memory_summary {
 public:
  explicit basic_memory_summary(const ipu::profile& p) : p_{p}, m_{p.memory} {}

  [[nodiscard]] std::string by_category() const {
    if (m_.tiles.empty()) return "";
    const ipu::tile_memory& fullest = m_.tiles[m_.fullest];
    text_table t({"", "all tiles", "%", "fullest tile", "%"}, 2);
    const auto add = [&](const std::string& name, std::uint64_t all, std::uint64_t on_fullest) {
      t.row({name, with_commas(all), percent(all, m_.total()), with_commas(on_fullest),
             percent(on_fullest, fullest.total())});
    };
    std::uint64_t live = 0;
    for (const ipu::tile_memory& tile : m_.tiles) live += always_live(tile);
    add("always live", live, always_live(fullest));
    for (std::size_t c = 0; c < ipu::memory_categories; ++c) {
      const auto which = static_cast<ipu::memory_category>(c);
      const bool inside = which < ipu::memory_category::not_always_live;
      add((inside ? "  " : "") + std::string(name_of(which)), m_.total(which), fullest[which]);
    }
    add("total", m_.total(), fullest.total());
    return t.text() + "fullest: " + tile_name(m_.fullest, p_.tiles_per_chip) + room(fullest.total()) + peak();
  }

  [[nodiscard]] std::string by_chip() const {
    if (m_.tiles.empty() || p_.tiles_per_chip == 0) return "";
    light_vector<std::string> head{""};
    light_vector<std::string> all{"all tiles"};
    light_vector<std::string> most{"fullest tile"};
    for (std::size_t first = 0; first < m_.tiles.size(); first += p_.tiles_per_chip) {
      std::uint64_t sum = 0;
      std::uint64_t largest = 0;
      for (std::size_t t = first; t < algorithms::min(first + p_.tiles_per_chip, m_.tiles.size()); ++t) {
        sum += m_.tiles[t].total();
        largest = algorithms::max<std::uint64_t>(largest, m_.tiles[t].total());
      }
      head.push_back(joined("IPU ", std::to_string(first / p_.tiles_per_chip)));
      all.push_back(with_commas(sum));
      most.push_back(with_commas(largest));
    }
    text_table t(std::move(head));
    t.row(std::move(all));
    t.row(std::move(most));
    return t.text();
  }

  [[nodiscard]] std::string largest_variables(std::size_t lines) const {
    if (m_.variables.empty()) return "";
    light_vector<ipu::variable_memory> sorted = m_.variables;
    algorithms::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return std::tuple(b.size, a.chip, a.name.view()) < std::tuple(a.size, b.chip, b.name.view());
    });
    text_table t({"", "IPU", "bytes", "live"});
    std::uint64_t others = 0;
    const std::size_t named = sorted.size() > lines ? algorithms::max<std::size_t>(lines, 1) - 1 : sorted.size();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const ipu::variable_memory& v = sorted[i];
      if (i >= named) {
        others += v.size;
        continue;
      }
      t.row({std::string(v.name.view()), std::to_string(v.chip), with_commas(v.size),
             v.always_live ? "always" : "not always"});
    }
    if (named < sorted.size()) t.row({with_commas(sorted.size() - named) + " others", "", with_commas(others)});
    return t.text();
  }

 private:
  std::string room(std::uint64_t used) const {
    if (p_.tile_memory.value == 0) return "\n";
    return joined(", ", percent(used, p_.tile_memory.value), " % of its ", with_commas(p_.tile_memory.value),
                  " bytes\n");
  }
  std::string peak() const {
    if (m_.live_by_step.empty()) return "";
    const auto most = algorithms::max_element(m_.live_by_step.begin(), m_.live_by_step.end());
    return joined("not always live: at most ", with_commas(*most), " bytes at once, in step ",
                  with_commas(static_cast<std::uint64_t>(most - m_.live_by_step.begin())), " of ",
                  with_commas(m_.live_by_step.size()), "\n");
  }

  const ipu::profile& p_;
  const ipu::memory_report& m_;
};
using memory_summary = basic_memory_summary<>;

}  // namespace impl

}  // namespace ipuflow::report
