// SPDX-License-Identifier: BSL-1.0
// The stages of a pipeline as values: names, IPUs, inputs and outputs of each.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/graph/pipeline.hpp>
#include <ipuflow/graph/repeat.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace ipuflow {

/// The facts that are known of a stage before it runs.
struct stage_facts {
  fixed_string<60> name{};  ///< the blocks, joined by "+", of repetitions "layer[0:8]"; branches by "|"
  ipu_list ipus{};          ///< one for each branch
  type_text input{};        ///< the types that enter, as text
  type_text output{};       ///< the types that leave, as text
  bytes input_bytes{};      ///< of the values that enter, those carried along included
  bytes output_bytes{};     ///< of the values that leave

  friend constexpr bool operator==(const stage_facts&, const stage_facts&) = default;
};

namespace impl {

/// Adds the name of a block, and of the repetitions that follow it in its branch; returns the block behind them.
template <class Names, class Where>
constexpr std::size_t add_blocks(fixed_string<60>& text, const Names& names, const Where& where, std::size_t block) {
  name_range range = numbered_block_in(names[block]);
  std::size_t behind = block + 1;
  for (; range.end > 0 && !where.ends_branch(behind - 1); ++behind, ++range.end) {
    const name_range next = numbered_block_in(names[behind]);
    if (next.name != range.name || next.begin != range.end) break;
  }
  if (behind == block + 1) {
    text += names[block];
  } else {
    text += range.name;
    text += "[";
    text += range.begin;
    text += ":";
    text += range.end;
    text += "]";
  }
  return behind;
}

}  // namespace impl

namespace detail {

template <class... T>
constexpr bytes bytes_in(const std::tuple<T...>*) {
  return (bytes{} + ... + bytes_of<T>);
}
template <class... T>
constexpr type_text names_in(const std::tuple<T...>*) {
  return impl::names_of(values<T...>{});
}

template <class P, std::size_t Stage>
constexpr stage_facts facts_of() {
  constexpr const stage_input<P, Stage>* in = nullptr;
  constexpr const stage_output<P, Stage>* out = nullptr;
  constexpr const auto& where = P::placement;
  stage_facts facts{{},
                    P::ipus_of(Stage),
                    detail::names_in(in),
                    detail::names_in(out),
                    detail::bytes_in(in),
                    detail::bytes_in(out)};
  for (std::size_t b = where.first_block(Stage); b < where.blocks && where.stage[b] == Stage;) {
    if (!where.starts_stage(b)) facts.name += where.starts_branch(b) ? "|" : "+";
    b = impl::add_blocks(facts.name, P::names(), where, b);
  }
  return facts;
}

}  // namespace detail

/// One `stage_facts` a stage.
template <class P>
[[nodiscard]] constexpr bounded_vector<stage_facts, P::stage_count> stages(const P&) {
  return []<std::size_t... Stage>(std::index_sequence<Stage...>) {
    return bounded_vector<stage_facts, P::stage_count>{{detail::facts_of<P, Stage>()...}, P::stage_count};
  }(std::make_index_sequence<P::stage_count>{});
}

}  // namespace ipuflow
