// SPDX-License-Identifier: BSL-1.0
// Blocks that come again and again: `repeat<24>(block<"encoder">(...))` is what its blocks written 24 times would be, called
// "encoder[0]" to "encoder[23]"; `split<6>` deals blocks out to stages; "encoder[4:8]" is the name of four of them in a list.
// Equal blocks between equal types are walked through once, so a repetition costs compilers little: flow/walk.hpp.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/graph/numbered_name.hpp>
#include <ipuflow/graph/stage.hpp>

#include <boost/hana/at.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace impl {

constexpr std::size_t digits_of(std::size_t number) { return number < 10 ? 1 : 1 + digits_of(number / 10); }

/// The name of a block in a repetition. Of one that is repeated already the outer number comes first: "encoder[3][0]".
template <fixed_string Name, std::size_t Number>
inline constexpr auto numbered_name = [] {
  constexpr std::string_view name = Name;
  constexpr std::size_t base = name.find('[') < name.size() ? name.find('[') : name.size();
  return numbered<name.size() + 2 + digits_of(Number)>(name.substr(0, base), Number, name.substr(base));
}();

template <std::size_t Number, fixed_string Name, std::size_t Ipu, class... Op>
constexpr auto numbered_block(const block_t<Name, Ipu, Op...>& block) {
  return block_t<numbered_name<Name, Number>, Ipu, Op...>{block.ops};
}

/// The blocks of a part, and the first of them whose name gets too long with a number.
template <class Part>
inline constexpr std::size_t blocks_of_part = 1;
template <class... Block>
inline constexpr std::size_t blocks_of_part<row_t<Block...>> = sizeof...(Block);
template <std::size_t Number, fixed_string Name, std::size_t Ipu, class... Op>
constexpr graph_fault verify_numbered(const block_t<Name, Ipu, Op...>*) {
  return verify_name(numbered_name<Name, Number>);
}
template <std::size_t Number, class... Block>
constexpr graph_fault verify_numbered(const row_t<Block...>*) {
  graph_fault found;
  ((found = found ? found : verify_numbered<Number>(static_cast<const Block*>(nullptr))), ...);
  return found;
}

template <std::size_t Times, class... Part>
constexpr graph_fault verify_repetition() {
  constexpr graph_fault misplaced = verify_blocks<Part...>("repeat");
  if constexpr (misplaced || any_refused<Part...>) {
    return misplaced;
  } else if constexpr (Times == 0 || sizeof...(Part) == 0) {
    return {Times == 0 ? graph_wrong::no_repetition : graph_wrong::no_stages};
  } else {
    graph_fault found;
    ((found = found ? found : verify_numbered<Times - 1>(static_cast<const Part*>(nullptr))), ...);
    return found;
  }
}

template <std::size_t Stages, class... Part>
constexpr graph_fault verify_split() {
  const graph_fault misplaced = verify_blocks<Part...>("split");
  constexpr std::size_t blocks = (0 + ... + blocks_of_part<Part>);
  if (misplaced || any_refused<Part...> || (Stages > 0 && Stages <= blocks)) return misplaced;
  return {graph_wrong::uneven_split, Stages, blocks};
}

/// The blocks of a row again and again.
template <class... Block, std::size_t... I>
constexpr auto repeated(const row_t<Block...>& body, std::index_sequence<I...>) {
  constexpr std::size_t each = sizeof...(Block);
  return row_t<decltype(impl::numbered_block<I / each>(hana::at_c<I % each>(body.parts)))...>{
      {impl::numbered_block<I / each>(hana::at_c<I % each>(body.parts))...}};
}

template <std::size_t Begin, class Row, std::size_t... I>
constexpr auto stage_of(const Row& row, std::index_sequence<I...>) {
  return stage_t<unplaced, std::decay_t<decltype(hana::at_c<Begin + I>(row.parts))>...>{{hana::at_c<Begin + I>(row.parts)...}};
}
/// Stage s of S has the blocks from s / S of them to (s + 1) / S.
template <class... Block, std::size_t... S>
constexpr auto dealt_out(const row_t<Block...>& row, std::index_sequence<S...>) {
  constexpr auto begin = [](std::size_t stage) { return stage * sizeof...(Block) / sizeof...(S); };
  return [](auto... stage) { return row_t<decltype(stage)...>{{std::move(stage)...}}; }(
      stage_of<begin(S)>(row, std::make_index_sequence<begin(S + 1) - begin(S)>{})...);
}

/// The names that one of a list stands for: "encoder[4:8]" is "encoder[4]" to "encoder[7]", any other name itself.
struct name_range {
  std::string_view name{};
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const { return end == 0 ? 1 : end - begin; }
  [[nodiscard]] constexpr fixed_string<60> operator[](std::size_t index) const {
    return end == 0 ? fixed_string<60>{name} : numbered<60>(name, begin + index);
  }
};

constexpr name_range names_meant(std::string_view name) {
  constexpr std::size_t most = 1'000'000;
  const bracketed parts = bracketed_in(name);
  const std::size_t colon = parts.inside.find(':');
  if (colon == std::string_view::npos) return {name};
  const std::size_t begin = number_in(parts.inside.substr(0, colon)), end = number_in(parts.inside.substr(colon + 1));
  return begin >= end || end >= most ? name_range{name} : name_range{parts.name, begin, end};
}

/// "encoder[4]" as "encoder" from 4 to 5; a name that is not of this form as itself.
constexpr name_range numbered_block_in(std::string_view name) {
  const bracketed parts = bracketed_in(name);
  const std::size_t number = number_in(parts.inside);
  return number == no_number ? name_range{name} : name_range{parts.name, number, number + 1};
}

}  // namespace impl

/// The same blocks `Times` times, one after the other. Weights are not shared: each repetition has its own.
template <std::size_t Times, class... Block>
[[nodiscard]] constexpr auto repeat(Block&&... block) {
  constexpr graph_fault found = impl::verify_repetition<Times, std::decay_t<Block>...>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  constexpr auto make = []<class... Each>(Each&&... each) {
    const impl::row_t<std::decay_t<Each>...> body{{std::forward<Each>(each)...}};
    return impl::repeated(body, std::make_index_sequence<Times * sizeof...(Each)>{});
  };
  return impl::made_of_blocks<found>(make, std::forward<Block>(block)...);
}

template <class First, class... Given>
  requires(impl::is_block<First> || impl::is_row<First>)
constexpr auto repeat(const First&, const Given&...) {
  [[maybe_unused]] auto none = true ? problem_of<impl::number_in_call<"repeat", "repeat<3>(block...)", First>>() : nothing_wrong{};
  return impl::refused_part{};
}

/// Blocks in `Stages` stages that follow each other, each of as many blocks, or of one less: `split<6>(repeat<24>(...))`.
template <std::size_t Stages, class... Block>
[[nodiscard]] constexpr auto split(Block&&... block) {
  constexpr graph_fault found = impl::verify_split<Stages, std::decay_t<Block>...>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  constexpr auto make = []<class... Each>(Each&&... each) {
    const impl::row_t<std::decay_t<Each>...> row{{std::forward<Each>(each)...}};
    return impl::dealt_out(row, std::make_index_sequence<Stages>{});
  };
  return impl::made_of_blocks<found>(make, std::forward<Block>(block)...);
}

}  // namespace ipuflow
