// SPDX-License-Identifier: BSL-1.0
// The stage, branch and IPU of every block: three small arrays, filled from the user's types, checked by ordinary
// functions, and part of the pipeline's type. The same functions check lists that come in at run time.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/graph/stage.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow {

/// One entry for each block, in the order of the data flow.
template <std::size_t Blocks>
struct placement {
  std::size_t stage[Blocks]{};
  std::size_t branch[Blocks]{};
  std::size_t ipu[Blocks]{};

  static constexpr std::size_t blocks = Blocks;

  [[nodiscard]] constexpr std::size_t stages() const { return stage[Blocks - 1] + 1; }
  [[nodiscard]] constexpr bool starts_stage(std::size_t block) const { return block == 0 || stage[block] != stage[block - 1]; }
  [[nodiscard]] constexpr bool starts_branch(std::size_t block) const {
    return starts_stage(block) || branch[block] != branch[block - 1];
  }
  [[nodiscard]] constexpr bool ends_branch(std::size_t block) const { return block + 1 == Blocks || starts_branch(block + 1); }
  [[nodiscard]] constexpr std::size_t first_block(std::size_t of_stage, std::size_t of_branch = 0) const {
    std::size_t block = 0;
    while (stage[block] < of_stage || branch[block] < of_branch) ++block;
    return block;
  }
  [[nodiscard]] constexpr std::size_t branches(std::size_t of_stage) const {
    std::size_t count = 0;
    for (std::size_t b = first_block(of_stage); b < Blocks && stage[b] == of_stage; ++b) count = branch[b] + 1;
    return count;
  }

  friend constexpr bool operator==(const placement&, const placement&) = default;
};

/// The IPUs of one stage: one, or one for each concurrent branch.
using ipu_list = bounded_vector<std::size_t, 16>;

template <class... Index>
[[nodiscard]] constexpr ipu_list ipus(Index... index) {
  return {{static_cast<std::size_t>(index)...}, sizeof...(Index)};
}

namespace impl {

/// A block as it is named by a list of stages, which need not exist.
struct listed_block {
  fixed_string<60> name{};
  std::size_t stage = 0;
  std::size_t branch = 0;
  std::size_t ipu = unplaced;
};

constexpr bool same_place(const listed_block& a, const listed_block& b) { return a.stage == b.stage && a.branch == b.branch; }

template <class Names>
constexpr std::size_t position(const Names& names, std::string_view name) {
  std::size_t found = 0;
  while (found < names.size() && names[found] != name) ++found;
  return found;
}

constexpr graph_fault about(graph_wrong kind, std::string_view name, std::size_t got = 0, std::size_t limit = 0) {
  return {kind, got, limit, {.name = fixed_string<60>{name}}};
}

/// Every block has a name, and one of its own. `names` is any container of texts.
template <class Names>
constexpr graph_fault verify_names(const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const graph_fault found = verify_name(names[i])) return found;
    const std::size_t first = position(names, names[i]);
    if (first != i) return about(graph_wrong::repeated_block, names[i], i, first);
  }
  return {};
}

}  // namespace impl

/// Every block is in exactly one stage of the list; stages, branches, and the names within them follow the order of the
/// blocks.
template <class Names, class List>
constexpr graph_fault verify_grouping(const Names& names, const List& list) {
  if (list.size() == 0) return {graph_wrong::no_stages};
  impl::listed_block before;
  std::size_t place_before = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    impl::listed_block here;
    std::size_t times = 0, place = 0;
    for (std::size_t l = 0; l < list.size(); ++l) {
      const impl::listed_block& listed = list[l];
      if (listed.name != names[i]) continue;
      if (times++ > 0) return impl::about(graph_wrong::block_in_two_stages, names[i], listed.stage, here.stage);
      here = listed;
      place = l;
    }
    if (times == 0) return impl::about(graph_wrong::block_in_no_stage, names[i], i, list[list.size() - 1].stage + 1);
    if (here.stage < before.stage) return impl::about(graph_wrong::ids_descend, names[i], here.stage, before.stage);
    if (here.stage == before.stage && here.branch < before.branch) {
      graph_fault found = impl::about(graph_wrong::branches_descend, names[i], here.branch, before.branch);
      found.where.stage = here.stage;
      return found;
    }
    if (here.stage == before.stage && here.branch == before.branch && place < place_before) {
      graph_fault found = impl::about(graph_wrong::names_descend, names[i], here.stage);
      found.where.given = type_text{names[i - 1]};
      return found;
    }
    before = here;
    place_before = place;
  }
  return {};
}

/// Every name of the list is the name of a block.
template <class Names, class List>
constexpr graph_fault verify_known(const Names& names, const List& list) {
  type_text all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) all += ", ";
    all += names[i];
  }
  for (const impl::listed_block& listed : list) {
    if (impl::position(names, listed.name) < names.size()) continue;
    graph_fault found = impl::about(graph_wrong::unknown_block, listed.name, listed.stage, names.size());
    found.where.given = all;
    return found;
  }
  return {};
}

namespace impl {

/// There is a stage of that number.
template <std::size_t Blocks>
constexpr graph_fault verify_stage(const placement<Blocks>& where, std::size_t stage) {
  if (stage < where.stages()) return {};
  return {graph_wrong::no_such_stage, stage, where.stages(), {.stage = stage}};
}

}  // namespace impl

/// One entry for each stage, and in it one IPU for each branch. `list` is any container of ipu_list.
template <std::size_t Blocks, class List>
constexpr graph_fault verify_ipus(const placement<Blocks>& where, const List& list) {
  const std::size_t given = list.size();
  if (given != where.stages()) return {graph_wrong::lists_differ, given, where.stages()};
  for (std::size_t s = 0; s < given; ++s) {
    if (list[s].size() != where.branches(s)) {
      return {graph_wrong::branches_unplaced, list[s].size(), where.branches(s), {.stage = s}};
    }
  }
  return {};
}

namespace impl {

/// The same blocks on other IPUs; `list` has passed `verify_ipus`.
template <std::size_t Blocks, class List>
[[nodiscard]] constexpr placement<Blocks> placed_on(placement<Blocks> where, const List& list) {
  for (std::size_t b = 0; b < Blocks; ++b) where.ipu[b] = list[where.stage[b]][where.branch[b]];
  return where;
}

/// Blocks of a stage that are placed are all on one IPU.
template <class List>
constexpr graph_fault verify_places(const List& list) {
  for (std::size_t l = 0, placed = 0; l < list.size(); ++l) {
    if (!same_place(list[placed], list[l]) || list[placed].ipu == unplaced) placed = l;
    if (list[l].ipu == unplaced || list[l].ipu == list[placed].ipu) continue;
    graph_fault found = about(graph_wrong::places_differ, list[l].name.view(), list[l].ipu, list[placed].ipu);
    found.where.stage = list[l].stage;
    return found;
  }
  return {};
}

/// The placement that a list of stages stands for; `list` has passed `verify_grouping`. A stage without an IPU gets that of its
/// blocks, or the one after those of the stages before it.
template <std::size_t Blocks, class Names, class List>
[[nodiscard]] constexpr placement<Blocks> grouped_as(const Names& names, const List& list) {
  placement<Blocks> where;
  std::size_t free_ipu = 0;  // behind all that have been given
  for (std::size_t first = 0, end = 0; first < list.size(); first = end) {
    std::size_t ipu = unplaced;
    for (; end < list.size() && same_place(list[first], list[end]); ++end) ipu = ipu == unplaced ? list[end].ipu : ipu;
    if (ipu == unplaced) ipu = free_ipu;
    if (ipu >= free_ipu) free_ipu = ipu + 1;
    for (std::size_t l = first; l < end; ++l) {
      const std::size_t block = position(names, list[l].name);
      where.stage[block] = list[l].stage;
      where.branch[block] = list[l].branch;
      where.ipu[block] = ipu;
    }
  }
  return where;
}

}  // namespace impl

/// The two ways to make stages from where blocks already are: one for each IPU in turn, or one for each block.
enum class auto_stage : unsigned char { same_as_ipu, auto_increment };

/// The list of stages for blocks that are placed like this; concurrent stages stay what they are. An IPU that is left
/// and comes back makes the stages descend, which `verify_grouping` refuses.
template <class Names, std::size_t Blocks>
[[nodiscard]] constexpr bounded_vector<impl::listed_block, Blocks> auto_stages(auto_stage how, const Names& names,
                                                                         const placement<Blocks>& where) {
  const auto forks = [&](std::size_t block) { return where.branches(where.stage[block]) > 1; };
  bounded_vector<impl::listed_block, Blocks> list;
  std::size_t stages = 0;
  for (std::size_t b = 0; b < Blocks; ++b) {
    std::size_t stage = forks(b) && !where.starts_stage(b) ? stages - 1 : stages;
    for (std::size_t before = 0; before < b && how == auto_stage::same_as_ipu && !forks(b); ++before) {
      if (where.ipu[before] == where.ipu[b] && !forks(before)) stage = list[before].stage;
    }
    if (stage == stages) ++stages;
    list.push_back({fixed_string<60>{names[b]}, stage, where.branch[b], where.ipu[b]});
  }
  return list;
}

}  // namespace ipuflow
