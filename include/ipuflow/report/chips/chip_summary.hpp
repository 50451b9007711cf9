// SPDX-License-Identifier: BSL-1.0
// Tables of a chip profile: cycles by phase, tiles, bytes by stream, and cycles by operation. Each number is in the
// profile, or a sum, mean or percentage of numbers that are.
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
#include <utility>

namespace ipuflow::report {

namespace impl {

/// A headline above a part of a summary.
template <class = void>
[[nodiscard]] inline std::string headed(const std::string& headline, const std::string& table) {
  return table.empty() ? "" : "\n" + headline + "\n" + table;
}

/// Amounts of each IPU with their parts of a whole; in front the mean.
class share_table {
 public:
  share_table(std::size_t chips, double whole) : chips_{chips}, whole_{whole}, table_{head(chips), 2} {}

  template <class Of>
  void add(std::string name, Of of) {
    light_vector<std::string> cells{std::move(name)};
    const auto show = [&](double value) {
      cells.push_back(with_digits(value, 0));
      cells.push_back(percent(value, whole_));
    };
    double sum = 0;
    for (std::size_t c = 0; c < chips_; ++c) sum += of(c);
    show(sum / static_cast<double>(chips_));
    for (std::size_t c = 0; c < chips_; ++c) show(of(c));
    table_.row(cells);
  }
  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  static light_vector<std::string> head(std::size_t chips) {
    light_vector<std::string> cells{"", "mean", "%"};
    for (std::size_t c = 0; c < chips; ++c) {
      cells.push_back(joined("IPU ", std::to_string(c)));
      cells.push_back("%");
    }
    return cells;
  }

  std::size_t chips_;
  double whole_;
  text_table table_;
};

template <class = void>
class basic_chip_summary {
 public:
  explicit basic_chip_summary(const ipu::profile& p) : p_{p} {}

  /// `samples`: of the run, over all replicas; 0 if they are unknown.
  [[nodiscard]] std::string head(std::uint64_t samples) const {
    std::string text = with_commas(p_.total.value) + " cycles";
    const bool timed = p_.clock.value > 0;
    if (timed) text += joined(", ", short_time(p_.time().value), " at ", with_digits(p_.clock.value * 1e-9, 3), " GHz");
    text += joined("\n", with_commas(p_.chips.size()), p_.chips.size() == 1 ? " IPU of " : " IPUs of ",
                   with_commas(p_.tiles_per_chip), " tiles");
    if (p_.replicas > 1) text += joined(", in ", with_commas(p_.replicas), " replicas; one is shown");
    text += "\n";
    if (!timed || p_.total.value == 0) return text;
    if (samples > 0) text += with_digits(real(samples) / p_.time().value, 0) + " samples/s, ";
    return text + with_digits(p_.flops() * 1e-12, 3) + " TFLOPS\n";
  }

  /// Of each chip, the phases add up to the total.
  [[nodiscard]] std::string cycles_by_phase() const {
    if (p_.chips.empty()) return "";
    share_table t{p_.chips.size(), real(p_.total.value)};
    const auto add = [&](std::string name, auto of) { t.add(std::move(name), of); };
    const auto phase = [&](ipu::phase which) {
      add(std::string(name_of(which)), [&, which](std::size_t c) { return real(p_.chips[c][which].value); });
    };
    const double tiles = algorithms::max(real(p_.tiles_per_chip), 1.0);
    phase(ipu::phase::compute);
    add("  with idle", [&](std::size_t c) { return real(p_.chips[c].tile_busy.value) / tiles; });
    add("  without idle", [&](std::size_t c) { return real(p_.chips[c].tile_issued.value) / tiles; });
    for (const ipu::phase which :
         {ipu::phase::exchange, ipu::phase::inter_chip, ipu::phase::host, ipu::phase::streaming, ipu::phase::sync}) {
      phase(which);
    }
    add("waiting", [&](std::size_t c) { return real(p_.waiting(c).value); });
    add("total", [&](std::size_t) { return real(p_.total.value); });
    return t.text();
  }

  [[nodiscard]] std::string tiles() const {
    if (p_.chips.empty()) return "";
    text_table t(titled("", {"mean"}));
    const auto share = [&](const std::string& name, auto of) {
      light_vector<std::string> cells{name};
      double sum = 0;
      for (std::size_t c = 0; c < p_.chips.size(); ++c) sum += of(c);
      cells.push_back(percent(sum, real(p_.chips.size())));
      for (std::size_t c = 0; c < p_.chips.size(); ++c) cells.push_back(percent(of(c), 1.0));
      t.row(cells);
    };
    share("balance, %", [&](std::size_t c) { return p_.balance(c); });
    share("utilisation, %", [&](std::size_t c) { return p_.utilisation(c); });
    return t.text();
  }

  [[nodiscard]] std::string bytes_by_stream() const {
    if (p_.chips.empty()) return "";
    text_table t(titled("", {"all"}));
    const auto add = [&](const std::string& name, std::uint64_t ipu::traffic::*what) {
      each_count(t, name, [&](const ipu::chip_profile& c) { return c.moved.*what; });
    };
    add("from the host", &ipu::traffic::host_in);
    add("to the host", &ipu::traffic::host_out);
    add("from streaming memory", &ipu::traffic::streaming_in);
    add("to streaming memory", &ipu::traffic::streaming_out);
    add("from other IPUs", &ipu::traffic::chip_in);
    add("to other IPUs", &ipu::traffic::chip_out);
    add("exchanged by tiles", &ipu::traffic::exchanged);
    return t.text();
  }

  [[nodiscard]] std::string work() const {
    if (p_.chips.empty()) return "";
    text_table t(titled("", {"all"}));
    each_count(t, "supersteps", [](const ipu::chip_profile& c) { return c.supersteps; });
    each_count(t, "vertices", [](const ipu::chip_profile& c) { return c.vertices; });
    each_count(t, "flops", [](const ipu::chip_profile& c) { return c.flops; });
    return t.text();
  }

  /// The largest first; the last line adds up those that have no line of their own.
  [[nodiscard]] std::string cycles_by_operation(std::size_t lines) const {
    if (p_.codelets.empty()) return "";
    light_vector<ipu::codelet_profile> sorted = p_.codelets;
    algorithms::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.alone != b.alone ? a.alone > b.alone : a.name.view() < b.name.view();
    });
    cycles all;
    for (const ipu::codelet_profile& c : sorted) all += c.alone;
    const std::size_t named = sorted.size() > lines ? algorithms::max<std::size_t>(lines, 1) - 1 : sorted.size();
    text_table t({"", "vertices", "cycles", "%"});
    const auto show = [&](const std::string& name, std::uint64_t vertices, cycles alone) {
      t.row({name, with_commas(vertices), with_commas(alone.value), percent(alone.value, all.value)});
    };
    std::uint64_t vertices = 0;
    cycles alone;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i < named) {
        show(std::string(sorted[i].name.view()), sorted[i].vertices, sorted[i].alone);
      } else {
        vertices += sorted[i].vertices;
        alone += sorted[i].alone;
      }
    }
    if (named < sorted.size()) show(with_commas(sorted.size() - named) + " others", vertices, alone);
    return t.text();
  }

 private:
  static double real(std::uint64_t n) { return static_cast<double>(n); }

  /// A head: `first`, `then` and a column for each chip.
  light_vector<std::string> titled(std::string first, const light_vector<std::string>& then) const {
    light_vector<std::string> cells{std::move(first)};
    cells.insert(cells.end(), then.begin(), then.end());
    for (std::size_t c = 0; c < p_.chips.size(); ++c) cells.push_back(joined("IPU ", std::to_string(c)));
    return cells;
  }

  template <class Of>
  void each_count(text_table& t, const std::string& name, Of of) const {
    light_vector<std::string> cells{name};
    std::uint64_t sum = 0;
    for (const ipu::chip_profile& c : p_.chips) sum += of(c);
    cells.push_back(with_commas(sum));
    for (const ipu::chip_profile& c : p_.chips) cells.push_back(with_commas(of(c)));
    t.row(cells);
  }

  const ipu::profile& p_;
};
using chip_summary = basic_chip_summary<>;

}  // namespace impl

}  // namespace ipuflow::report
