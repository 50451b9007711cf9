// SPDX-License-Identifier: BSL-1.0
// A stage may begin inside a block: "layer3[8]" names the part of block "layer3" from its op 8 on. The parts of a block know
// by their names which block they are of and where they begin there, so what belongs to an op in its block, such as the random
// numbers of a layer, stays what it was.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/graph/numbered_name.hpp>
#include <ipuflow/graph/stage.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/flatten.hpp>
#include <boost/hana/tuple.hpp>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace ipuflow {

/// The origin of a block that was cut: the block as it was written, its number, and its op that comes first here.
struct block_origin {
  std::string_view name{};
  std::size_t number = 0;
  std::size_t first_op = 0;

  friend constexpr bool operator==(const block_origin&, const block_origin&) = default;
};

namespace impl {

/// "layer3[8]" as "layer3" and 8, "encoder[2][8]" as "encoder[2]" and 8; a name that is not of this form as itself and 0.
constexpr block_origin parsed_part(std::string_view name) {
  const bracketed part = bracketed_in(name);
  const std::size_t op = number_in(part.inside);
  return op == no_number || part.inside.front() == '0' ? block_origin{name} : block_origin{part.name, 0, op};
}

/// The origin of each block. A block is a part only if it stands where the part before it ends: two blocks that merely have
/// such names are two blocks.
template <std::size_t Blocks>
constexpr bounded_vector<block_origin, Blocks> origins_of(const bounded_vector<std::string_view, Blocks>& names,
                                                          const std::size_t (&op_counts)[Blocks]) {
  bounded_vector<block_origin, Blocks> all;
  for (std::size_t b = 0; b < Blocks; ++b) {
    block_origin here = parsed_part(names[b]);
    if (b > 0 && here.name == all[b - 1].name && here.first_op > 0 && here.first_op == all[b - 1].first_op + op_counts[b - 1])
      here.number = all[b - 1].number;
    else
      here = {names[b], b == 0 ? 0 : all[b - 1].number + 1, 0};
    all.push_back(here);
  }
  return all;
}

template <class... Block>
inline constexpr auto origins = origins_of<sizeof...(Block)>({{Block::name.view()...}, sizeof...(Block)}, {Block::op_count...});

/// The cut that a name of a list asks for: which block, and before which of its ops; none for a block that is there, or a
/// name that is unknown.
struct asked_cut {
  bool is_one = false;
  std::size_t block = 0;
  std::size_t op = 0;
  graph_fault fault{};
};

template <class... Block>
constexpr asked_cut cut_for(std::string_view name) {
  constexpr const auto& all = origins<Block...>;
  constexpr std::size_t counts[]{Block::op_count...};
  const block_origin wanted = parsed_part(name);
  if (((Block::name.view() == name) || ...) || wanted.first_op == 0) return {};
  std::size_t ops = 0;
  for (std::size_t b = 0; b < sizeof...(Block); ++b) {
    if (all[b].name != wanted.name) continue;
    ops = all[b].first_op + counts[b];
    if (wanted.first_op > all[b].first_op && wanted.first_op < ops)
      return {true, b, wanted.first_op - all[b].first_op, verify_name(name)};
  }
  if (ops == 0) return {};
  return {.fault = {graph_wrong::cut_outside, wanted.first_op, ops, {.name = fixed_string<60>{wanted.name}}}};
}

template <fixed_string Part, fixed_string Name, std::size_t Ipu, class... Op, std::size_t... Before, std::size_t... Behind>
constexpr auto parts_of(block_t<Name, Ipu, Op...> whole, std::index_sequence<Before...>, std::index_sequence<Behind...>) {
  using ops = std::tuple<Op...>;
  constexpr std::size_t at = sizeof...(Before);
  using first = block_t<Name, Ipu, std::tuple_element_t<Before, ops>...>;
  using second = block_t<Part, Ipu, std::tuple_element_t<at + Behind, ops>...>;
  return hana::tuple<first, second>{first{{std::move(hana::at_c<Before>(whole.ops))...}},
                                    second{{std::move(hana::at_c<at + Behind>(whole.ops))...}}};
}

/// Block `At` in two, the others as they are.
template <fixed_string Part, std::size_t At, std::size_t Op, std::size_t Index, class Block>
constexpr auto parts_at(Block block) {
  if constexpr (Index == At) {
    constexpr std::make_index_sequence<Op> before{};
    return impl::parts_of<Part>(std::move(block), before, std::make_index_sequence<Block::op_count - Op>{});
  } else {
    return hana::tuple<Block>{std::move(block)};
  }
}

/// The blocks after the cuts that names ask for.
template <class... Block>
constexpr auto cut(hana::tuple<Block...> blocks) {
  return blocks;
}
template <fixed_string First, fixed_string... Name, class... Block>
constexpr auto cut(hana::tuple<Block...> blocks) {
  constexpr asked_cut asked = cut_for<Block...>(First.view());
  if constexpr (asked.is_one) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return impl::cut<Name...>(hana::flatten(
          hana::make_tuple(impl::parts_at<First, asked.block, asked.op, I>(std::move(hana::at_c<I>(blocks)))...)));
    }(std::index_sequence_for<Block...>{});
  } else {
    return impl::cut<Name...>(std::move(blocks));
  }
}

/// The first cut that is asked for where there is nothing to cut.
template <fixed_string... Name, class... Block>
constexpr graph_fault verify_cuts(const hana::tuple<Block...>*) {
  graph_fault found;
  ((found = found ? found : cut_for<Block...>(Name.view()).fault), ...);
  return found;
}

/// The names that a list of stages has.
template <fixed_string... Name>
struct name_list {};
template <fixed_string... A, fixed_string... B>
constexpr name_list<A..., B...> operator+(name_list<A...>, name_list<B...>) {
  return {};
}
/// A part that is no stage by names lists none here, and is refused elsewhere.
constexpr name_list<> names_listed(const void*) { return {}; }
template <std::size_t Ipu, fixed_string... Name>
constexpr name_list<Name...> names_listed(const stage_of_names<Ipu, Name...>*) {
  return {};
}
template <class... Stage>
constexpr auto names_listed(const concurrent_t<Stage...>*) {
  return (name_list<>{} + ... + impl::names_listed(static_cast<const Stage*>(nullptr)));
}

}  // namespace impl

}  // namespace ipuflow
