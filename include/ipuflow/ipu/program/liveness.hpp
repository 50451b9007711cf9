// SPDX-License-Identifier: BSL-1.0
// Live ranges of a program's variables. The program is walked once, calls in line, repeats once. A step that
// overwrites all of a variable begins a new range, any other use extends the present one. A variable that is live on
// entry to a loop, or read in it before it is fully overwritten, is live throughout the loop.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/core/wrapping.hpp>
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// Steps [begin, end) of the walk.
struct live_range {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend constexpr bool operator==(const live_range&, const live_range&) = default;
};

struct program_liveness {
  std::size_t steps = 0;
  light_vector<light_vector<live_range>> ranges;  // of each variable; none for those that are always live
};

/// The use that a step makes of a variable.
struct variable_use {
  std::size_t variable = 0;
  bool read = false;
  std::size_t written = 0;  // elements
};

/// Says of each kind of leaf how it uses variables.
template <class = void>
struct use_list {
  const graph& g;
  light_vector<variable_use> uses{};

  void operator()(const execute& s) {
    for (const vertex_group& group : g.compute_sets()[s.set.index].groups) {
      const auto& kinds = g.codelets()[group.codelet].operands();
      for (std::size_t o = 0; o < group.operands.size(); ++o) {
        const operand& given = group.operands[o];
        variable_use& u = use(given.variable);
        if (kinds[o].read) u.read = true;
        if (!kinds[o].written) continue;
        if (!given.whole) u.written += given.length * group.tiles * group.per_tile;
        for (std::size_t t = 0; given.whole && t < group.tiles; ++t)
          u.written += g[given.variable].held(group.first_tile + t);
      }
    }
  }
  void operator()(const copy& s) {
    for (const copy_piece& piece : s.pieces) {
      read(piece.from.variable);
      use(piece.to.variable).written += piece.length * piece.count * piece.copies;
    }
  }
  void operator()(const stream_in& s) { write(s.variable); }
  void operator()(const load& s) { write(s.variable); }
  void operator()(const pull& s) { write(s.variable); }
  void operator()(const stream_out& s) { read(s.variable); }
  void operator()(const store& s) { read(s.variable); }
  void operator()(const push& s) { read(s.variable); }
  void operator()(const all_reduce& s) { read(s.variable), write(s.variable); }
  void operator()(const all_gather& s) { read(s.shard), write(s.whole); }
  void operator()(const reduce_scatter& s) { read(s.whole), write(s.shard); }
  void operator()(const synchronise&) {}

 private:
  variable_use& use(variable_id v) {
    for (variable_use& u : uses) {
      if (u.variable == v.index) return u;
    }
    uses.push_back({v.index, false, 0});
    return uses.back();
  }
  void read(variable_id v) { use(v).read = true; }
  void write(variable_id v) { use(v).written += g[v].elements(); }
};

/// The uses of one step; of one that is made of others, none.
template <class = void>
inline light_vector<variable_use> uses_of(const graph& g, const step& s) {
  use_list<> made{g};
  visit_kind(s, [&]<class Kind>(const Kind& kind) {
    if constexpr (leaf_step<Kind>) made(kind);
  });
  return std::move(made.uses);
}

}  // namespace impl

/// Calls `visit(variable, whether it is read, elements that are written)` for each use in a step and in the functions that it calls.
template <class Visit>
void for_each_use(const graph& g, const step& s, const Visit& visit) {
  if (const auto* const called = s.get_if<call>()) return for_each_use(g, g.functions()[called->function.index], visit);
  for_each_inner(s, [&](const step& inner) { for_each_use(g, inner, visit); });
  for (const impl::variable_use& u : impl::uses_of(g, s)) visit(u.variable, u.read, u.written);
}

/// Adds the variables that a step reads, with those of the functions that it calls.
template <class = void>
inline void collect_read(const graph& g, const step& s, flat_set<std::size_t>& read) {
  for_each_use(g, s, [&](std::size_t v, bool is_read, std::size_t) {
    if (is_read) read.insert(v);
  });
}

namespace impl {

/// Sums over the elements that copies write, of their numbers and of the squares of these, twice and six times: whole ones,
/// without what is beyond 64 bits.
struct element_sums {
  std::size_t count = 0;
  std::size_t twice = 0;
  std::size_t six_squares = 0;

  template <class = void>
  constexpr void add(std::size_t begin, const std::array<light_pair<std::size_t, std::size_t>, 3>& axes) {  // extents and steps
    const auto times = [](auto... factor) {
      std::size_t all = 1;
      return ((all = wrapping_product(all, factor)), ...), all;
    };
    const auto plus = [](std::size_t& sum, std::size_t more) { sum = wrapping_sum(sum, more); };
    const std::size_t n = axes[0].first * axes[1].first * axes[2].first;
    if (n == 0) return;
    std::size_t offsets = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [m, step] = axes[i];
      plus(offsets, times(step, m, m - 1, n / m));
      plus(six_squares, times(step, step, m, m - 1, 2 * m - 1, n / m));
      for (std::size_t j = 0; j < i; ++j) {
        const auto [other, by] = axes[j];
        plus(six_squares, times(std::size_t{3}, step, m, m - 1, by, other, other - 1, n / m / other));
      }
    }
    count += n;
    plus(twice, wrapping_sum(times(std::size_t{2}, n, begin), offsets));
    plus(six_squares, wrapping_sum(times(std::size_t{6}, n, begin, begin), times(std::size_t{6}, begin, offsets)));
  }
  friend constexpr bool operator==(const element_sums&, const element_sums&) = default;
};

/// True if the runs of a copy, which have as many elements as a variable or more, meet each: they may overlap. Of as many,
/// sums tell.
template <class = void>
[[nodiscard]] inline bool covers(const copy& s, std::size_t variable, std::size_t elements) {
  element_sums written, all;
  all.add(0, {{{elements, 1}, {1, 0}, {1, 0}}});
  for (const copy_piece& p : s.pieces) {
    if (p.to.variable.index != variable) continue;
    if (p.length == elements && p.count > 0 && p.copies > 0) return true;
    written.add(p.to.begin, {{{p.length, 1}, {p.count, p.to.step}, {p.copies, p.copy_step}}});
  }
  if (written.count == elements) return written == all;
  light_vector<bool> met(elements, false);
  for (const copy_piece& p : s.pieces) {
    for (std::size_t run = 0; p.to.variable.index == variable && run < p.count * p.copies; ++run) {
      const std::size_t begin = p.to.begin + run % p.count * p.to.step + run / p.count * p.copy_step;
      for (std::size_t e = begin; e < algorithms::min(begin + p.length, elements); ++e) met[e] = true;
    }
  }
  return algorithms::all_of(met.begin(), met.end(), [](bool m) { return m; });
}

struct access {
  std::size_t at;
  bool all_written;  // and nothing read
};

template <class = void>
struct access_walk {
  const graph& g;
  std::size_t position = 0;
  light_vector<light_vector<access>> accesses;
  light_vector<live_range> loops;                                                     // inner before outer
  memo<const step*, light_vector<light_pair<std::size_t, bool>>> known;  // variables, and if all is written
  bool left_out = false;  // within a repeat of no turns, which writes nothing

  void operator()(const step& s) {
    if (const auto* const called = s.get_if<call>()) return (*this)(g.functions()[called->function.index]);
    if (!is_made_of_steps(s)) return leaf(s);
    const std::size_t begin = position;
    const auto* const loop = s.get_if<repeat_of>();
    const bool outside = left_out;
    left_out = left_out || (loop != nullptr && loop->count == 0);
    for_each_inner(s, [&](const step& inner) { (*this)(inner); });
    left_out = outside;
    if (loop != nullptr && loop->count > 1) loops.push_back({begin, position});
  }

  void leaf(const step& s) {
    const auto [found, added] = known.try_emplace(&s);
    if (added) {
      for (const variable_use& u : uses_of(g, s)) {
        const variable& of = g.variables()[u.variable];
        bool all_written = !u.read && u.written >= of.elements();
        const auto* const copied = all_written && !of.always_live() ? s.get_if<copy>() : nullptr;
        if (copied != nullptr) all_written = covers(*copied, u.variable, of.elements());
        found->second.emplace_back(u.variable, all_written);
      }
    }
    for (const auto& [variable, all_written] : found->second)
      accesses[variable].push_back({position, all_written && !left_out});
    ++position;
  }
};

/// The ranges of one variable, from its accesses in order and the loops, inner before outer.
template <class = void>
inline light_vector<live_range> ranges_from(const light_vector<access>& accesses,
                                           const light_vector<live_range>& loops) {
  light_vector<live_range> ranges;
  for (const access& a : accesses) {
    if (ranges.empty() || a.all_written)
      ranges.push_back({a.at, a.at + 1});
    else
      ranges.back().end = a.at + 1;
  }
  for (const live_range& loop : loops) {
    const auto first =
        algorithms::find_if(accesses.begin(), accesses.end(), [&](const access& a) { return a.at >= loop.begin; });
    if (first == accesses.end() || first->at >= loop.end) continue;
    const bool carried = !first->all_written;  // its value comes from before the loop or from the turn before
    live_range merged = loop;
    light_vector<live_range> kept;
    bool any = false;
    for (const live_range& r : ranges) {
      const bool meets = r.begin < loop.end && r.end > loop.begin;
      if (meets && (carried || r.begin < loop.begin)) {
        merged = {algorithms::min(merged.begin, r.begin), algorithms::max(merged.end, r.end)};
        any = true;
      } else {
        kept.push_back(r);
      }
    }
    if (any) kept.push_back(merged);
    algorithms::sort(kept.begin(), kept.end(), [](const live_range& a, const live_range& b) { return a.begin < b.begin; });
    ranges = kept;
  }
  return ranges;
}

template <class = void>
inline program_liveness live_ranges(const graph& g, const step& program) {
  access_walk<> walk{g, 0, {}, {}, {}};
  walk.accesses.resize(g.variables().size());
  walk(program);
  program_liveness made{walk.position, {}};
  made.ranges.resize(g.variables().size());
  for (std::size_t v = 0; v < g.variables().size(); ++v) {
    if (!g.variables()[v].always_live()) made.ranges[v] = ranges_from(walk.accesses[v], walk.loops);
  }
  return made;
}

}  // namespace impl

}  // namespace ipuflow::ipu
