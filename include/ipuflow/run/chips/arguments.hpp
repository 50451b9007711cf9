// SPDX-License-Identifier: BSL-1.0
// Arguments of a run on chips: the host sends each once, to the first chip that needs it; that hands it on to the others; and
// each spreads it over its samples, where it stays for all micro-batches.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/run/chips/labels.hpp>
#include <ipuflow/run/chips/parts.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::run {

/// The stream of an argument: its numbers for one sample.
struct chips_argument {
  std::size_t number = 0;  ///< among all that enters the first stage
  ipu::variable_id variable{};
  ipu::stream_id stream{};
};

namespace impl {

template <class = void>
class basic_chips_arguments {
 public:
  basic_chips_arguments(const chips_plan& plan, ipu::graph& g, const light_vector<chips_part>& parts, const chips_options& options)
      : g_{g}, io_tiles_{options.io_tiles} {
    if (options.synthetic) return;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (const plan::run_argument& a : parts[part].with.arguments) add(a, plan.parts()[part].chip);
    }
  }

  [[nodiscard]] const light_vector<chips_argument>& streams() const { return streams_; }

  /// The step that brings them.
  [[nodiscard]] ipu::step bring(label_book& labels) const {
    ipu::step made;
    for (const chips_argument& a : streams_) made.then(ipu::stream_in(a.stream, a.variable));
    if (!between_.empty()) made.then(ipu::copy{between_});
    if (!spread_.empty()) made.then(ipu::copy{spread_});
    return made.empty() ? made : ipu::labelled(labels.of({.work = chips_work::load}), std::move(made));
  }

 private:
  void add(const plan::run_argument& a, std::size_t chip) {
    const auto [here, is_first_here] = arrived_.try_emplace({a.number, chip});
    if (is_first_here) {
      const ipu::name_text name = g_[a.value].name();
      const std::size_t tiles = g_.chip().tiles;
      const ipu::mapping map = ipu::linear(a.elements, tiles - io_tiles_, chip * tiles + io_tiles_);
      here->second = g_.add_temporary(name, g_[a.value].type(), a.elements, map);
      const auto [first, is_first] = first_.try_emplace(a.number, here->second);
      if (is_first)
        streams_.push_back({a.number, here->second, g_.add_stream({.name = name})});
      else
        between_.push_back(ipu::whole_piece(g_, first->second, here->second));
    }
    const std::size_t samples = g_[a.value].elements() / a.elements;
    spread_.push_back({.from = {here->second}, .to = {a.value}, .length = a.elements, .copies = samples, .copy_step = a.elements});
  }

  ipu::graph& g_;
  std::size_t io_tiles_;
  light_vector<chips_argument> streams_;
  light_vector<ipu::copy_piece> between_;
  light_vector<ipu::copy_piece> spread_;
  ipuflow::flat_map<light_pair<std::size_t, std::size_t>, ipu::variable_id> arrived_;  // by number and chip
  ipuflow::flat_map<std::size_t, ipu::variable_id> first_;                            // by number
};
using chips_arguments = basic_chips_arguments<>;

}  // namespace impl

}  // namespace ipuflow::run
