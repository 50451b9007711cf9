// SPDX-License-Identifier: BSL-1.0
// Blocks, and the stages that they are grouped into. A block is a name and its ops; a stage is blocks that follow each
// other on one IPU; concurrent stages are one stage with branches that each get the same arguments.
#pragma once

#include <ipuflow/graph/graph_fault.hpp>
#include <ipuflow/graph/op.hpp>
#include <ipuflow/graph/ops.hpp>

#include <boost/hana/flatten.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace hana = boost::hana;

/// The IPU of what is not placed yet.
inline constexpr std::size_t unplaced = static_cast<std::size_t>(-1);

namespace impl {

/// Stands in for what was refused, so that only the refusal is reported.
struct refused_part {
  template <std::size_t Index>
  [[nodiscard]] constexpr refused_part ipu() const {
    return {};
  }
};

/// A number where the compiler cannot have it. `Given` is what stands there: only a call that is made is refused.
template <fixed_string Name, fixed_string Wanted, class... Given>
inline constexpr graph_fault number_in_call{
    graph_wrong::number_in_call, sizeof...(Given), 0, {.name = fixed_string<60>{Name.view()}, .given = type_text{Wanted.view()}}};
template <class... Given>
constexpr refused_part ipu_in_call() {
  [[maybe_unused]] auto none = true ? problem_of<number_in_call<"ipu", "ipu<0>()", Given...>>() : nothing_wrong{};
  return {};
}

}  // namespace impl

/// A block: ops that follow each other, under a name that is part of the type.
template <fixed_string Name, std::size_t Ipu, class... Op>
struct block_t {
  hana::tuple<Op...> ops;

  static constexpr auto name = Name;
  static constexpr std::size_t op_count = sizeof...(Op);

  template <std::size_t Index>
  constexpr block_t<Name, Index, Op...> ipu() && {
    return {std::move(ops)};
  }
  template <std::size_t Index>
  [[nodiscard]] constexpr block_t<Name, Index, Op...> ipu() const& {
    return {ops};
  }
  template <class... Number>
  constexpr auto ipu(Number...) const {
    return impl::ipu_in_call<Number...>();
  }
};

namespace impl {

/// A block has a name, and one that sentences can show.
constexpr graph_fault verify_name(std::string_view name) {
  return impl::verify_length(name, graph_wrong::unnamed_block, graph_wrong::long_name);
}

template <fixed_string Name, class... Op>
constexpr block_t<Name, unplaced, Op...> block_of(hana::tuple<Op...> ops) {
  return {std::move(ops)};
}

}  // namespace impl

/// A named part of a model, the unit that stages are made of.
template <fixed_string Name, class... Op>
[[nodiscard]] constexpr auto block(Op&&... op) {
  constexpr graph_fault found = impl::verify_name(Name);
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (found) {
    return impl::refused_part{};
  } else {
    return impl::block_of<Name>(impl::joined_ops(std::forward<Op>(op)...));
  }
}
template <std::size_t... Number, class... Given>
constexpr auto block(const Given&...) {  // no name that is a part of the type, or a number in its place
  constexpr graph_fault found{graph_wrong::unnamed_block, sizeof...(Given)};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  return impl::refused_part{};
}

namespace impl {

template <class T>
inline constexpr bool is_block = false;
template <fixed_string Name, std::size_t Ipu, class... Op>
inline constexpr bool is_block<block_t<Name, Ipu, Op...>> = true;

}  // namespace impl

template <class T>
concept block_like = impl::is_block<std::remove_cvref_t<T>>;

/// A stage: blocks in a row, on one IPU.
template <std::size_t Ipu, block_like... Block>
struct stage_t {
  hana::tuple<Block...> blocks;

  template <std::size_t Index>
  constexpr stage_t<Index, Block...> ipu() && {
    return {std::move(blocks)};
  }
  template <std::size_t Index>
  [[nodiscard]] constexpr stage_t<Index, Block...> ipu() const& {
    return {blocks};
  }
  template <class... Number>
  constexpr auto ipu(Number...) const {
    return impl::ipu_in_call<Number...>();
  }
};

namespace impl {

/// The first argument of a function that does not belong there. `fits` has one entry more than there are arguments.
template <class... Part>
constexpr graph_fault verify_parts(std::string_view function, std::string_view wanted,
                                                 const bool (&fits)[sizeof...(Part) + 1]) {
  std::size_t first = 0;
  while (first < sizeof...(Part) && fits[first]) ++first;
  if (first == sizeof...(Part)) return {};
  type_text is;
  std::size_t i = 0;
  ((i++ == first ? void(is = type_name<Part>()) : void()), ...);
  return {graph_wrong::no_part, first, 0, {0, 0, fixed_string<60>{function}, is, type_text{wanted}}};
}

/// Parts of a description that follow each other: the blocks of `repeat`, the stages of `split`.
template <class... Part>
struct row_t {
  hana::tuple<Part...> parts;
};

template <class T>
inline constexpr bool is_row = false;
template <class... Part>
inline constexpr bool is_row<row_t<Part...>> = true;
template <class T>
inline constexpr bool is_row_of_blocks = false;
template <class... Part>
inline constexpr bool is_row_of_blocks<row_t<Part...>> = (is_block<Part> && ...);

template <class... Part>
constexpr graph_fault verify_blocks(std::string_view function) {
  return verify_parts<Part...>(
      function, "it block<\"name\">(op...)",
      {(is_block<Part> || is_row_of_blocks<Part> || std::is_same_v<Part, refused_part>)..., true});
}

template <fixed_string Name, std::size_t Ipu, class... Op>
constexpr hana::tuple<block_t<Name, Ipu, Op...>> blocks_in(block_t<Name, Ipu, Op...> block) {
  return {std::move(block)};
}
template <class... Block>
constexpr hana::tuple<Block...> blocks_in(row_t<Block...> row) {
  return std::move(row.parts);
}
template <class... Part>
inline constexpr bool any_refused = (std::is_same_v<Part, refused_part> || ...);

/// `make(block...)` with all blocks of some parts, unless a fault was found.
template <graph_fault Found, class Make, class... Part>
constexpr auto made_of_blocks(const Make& make, Part&&... part) {
  if constexpr (Found || any_refused<std::decay_t<Part>...>) {
    return refused_part{};
  } else if constexpr ((is_block<std::decay_t<Part>> && ...)) {
    return make(std::forward<Part>(part)...);
  } else {
    return hana::unpack(hana::flatten(hana::make_tuple(impl::blocks_in(std::forward<Part>(part))...)), make);
  }
}

}  // namespace impl

/// Blocks that run one after another on one IPU.
template <class... Block>
  requires(sizeof...(Block) > 0)
[[nodiscard]] constexpr auto stage(Block&&... block) {
  constexpr graph_fault found = impl::verify_blocks<std::decay_t<Block>...>("stage");
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  constexpr auto make = []<class... Each>(Each&&... each) {
    return stage_t<unplaced, std::decay_t<Each>...>{hana::tuple<std::decay_t<Each>...>{std::forward<Each>(each)...}};
  };
  return impl::made_of_blocks<found>(make, std::forward<Block>(block)...);
}

namespace impl {

/// A stage that names blocks which exist already: what `regroup` takes.
template <std::size_t Ipu, fixed_string... Name>
struct stage_of_names {
  template <std::size_t Index>
  [[nodiscard]] constexpr stage_of_names<Index, Name...> ipu() const {
    return {};
  }
};

}  // namespace impl
template <fixed_string... Name>
[[nodiscard]] constexpr auto stage() {
  constexpr graph_fault found{sizeof...(Name) == 0 ? graph_wrong::no_stages : graph_wrong::nothing};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (found) {
    return impl::refused_part{};
  } else {
    return impl::stage_of_names<unplaced, Name...>{};
  }
}

template <std::size_t Ipu, class... Block>
  requires(sizeof...(Block) > 0)
constexpr auto stage(const Block&...) {
  constexpr graph_fault found = impl::number_in_call<"stage", "stage(block...).ipu<0>()", Block...>;
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  return impl::refused_part{};
}

/// A concurrent stage: branches that take the same input side by side.
template <class... Stage>
struct concurrent_t {
  hana::tuple<Stage...> branches;
};

namespace impl {

template <class T>
inline constexpr bool is_concurrent = false;
template <class... Stage>
inline constexpr bool is_concurrent<concurrent_t<Stage...>> = true;

/// A stage or block that has its ops with it.
template <class T>
inline constexpr bool is_described = is_block<T>;
template <std::size_t Ipu, class... Block>
inline constexpr bool is_described<stage_t<Ipu, Block...>> = true;
template <class... Stage>
inline constexpr bool is_described<concurrent_t<Stage...>> = (is_described<Stage> && ...);

/// A stage whose blocks are only named.
template <class T>
inline constexpr bool is_of_names = false;
template <std::size_t Ipu, fixed_string... Name>
inline constexpr bool is_of_names<stage_of_names<Ipu, Name...>> = true;
template <class... Stage>
inline constexpr bool is_of_names<concurrent_t<Stage...>> = (is_of_names<Stage> && ...);

template <class... Stage>
constexpr graph_fault verify_branches() {
  if (sizeof...(Stage) == 0) return {graph_wrong::no_stages};
  if ((is_concurrent<Stage> || ...)) return {graph_wrong::nested_concurrency};
  return verify_parts<Stage...>("concurrent", "it stage(...) or block<\"name\">(op...)",
                                {is_described<Stage> || is_of_names<Stage> || std::is_same_v<Stage, refused_part>..., true});
}

}  // namespace impl

/// Stages that work on the same sample at the same time; they count as one.
template <class... Stage>
[[nodiscard]] constexpr auto concurrent(Stage&&... branch) {
  constexpr graph_fault found = impl::verify_branches<std::decay_t<Stage>...>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (found || (std::is_same_v<std::decay_t<Stage>, impl::refused_part> || ...)) {
    return impl::refused_part{};
  } else {
    return concurrent_t<std::decay_t<Stage>...>{hana::tuple<std::decay_t<Stage>...>{std::forward<Stage>(branch)...}};
  }
}

}  // namespace ipuflow
