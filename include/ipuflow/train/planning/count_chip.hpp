// SPDX-License-Identifier: BSL-1.0
// One chip of a pipeline, counted by the engine with the program that a session would have there: its stages, and those that share their
// weights, are lowered with their updates; the others are the ends that values come from and go to.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/run/chips/stage_moves.hpp>
#include <ipuflow/train/chips/cut_network.hpp>
#include <ipuflow/train/planning/mail_around_passes.hpp>
#include <ipuflow/train/planning/moves_behind_passes.hpp>
#include <ipuflow/train/planning/work_shares.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// Sorts what a program has on one chip.
template <class = void>
class basic_chip_account {
 public:
  basic_chip_account(const run::chips_program& program, const run::chips_profile& seen, std::size_t chip, const schedule::table& t)
      : program_{program}, seen_{seen}, chip_{chip}, table_{t}, tiles_{program.graph().chip().tiles} {
    made_.tiles.resize(tiles_);
  }

  /// `moves`: of all stages, in the order of the program's places.
  plan::counted_chip take(const light_vector<chips_update>& updates, const light_vector<run::moves_of_stage>& moves) {
    for (std::size_t i = 0; i < program_.places().size(); ++i) {
      if (program_.places()[i].chip == chip_) add_stage(i, updates[i]);
    }
    add_times();
    for (std::size_t s = 0; s < stage_.size(); ++s) add_moves(s, moves[place_[s]].all);
    add_memory();
    return std::move(made_);
  }

 private:
  using use = plan::memory_use;

  bytes size(ipu::variable_id v) const { return program_.graph()[v].size(); }
  void mark(ipu::variable_id v, use as) {
    if (as_.size() <= v.index) as_.resize(program_.graph().variables().size(), use::buffers);
    as_[v.index] = as;
  }

  void add_stage(std::size_t number, const chips_update& update) {
    const plan::lowered& part = program_.part(number);
    plan::counted_stage s;
    for (const auto& gradient : part.entry_gradients) {
      if (gradient) s.sent_back += size(*gradient);
    }
    for (const auto& gradient : part.exit_gradients) {
      if (gradient) s.wanted_back += size(*gradient);
    }
    const bool last = program_.places()[number].stage + 1 == stages();
    for (const ipu::variable_id exit : part.exit) (last ? s.to_host : s.sent) += size(exit);
    for (const run::host_end& end : program_.inputs()) {
      if (end.part == number) s.from_host += size(end.variable);
    }
    rings_.push_back(program_.rings(number));
    place_.push_back(number);
    made_.stages.push_back(s);
    stage_.push_back(program_.places()[number].stage);
    for (const plan::trained_tensor& t : part.parameters) mark(t.value, use::weights), mark(t.kept(), use::weights), mark(t.gradient, use::gradients);
    for (const plan::kept_state& k : part.state) mark(k.value, use::weights);
    for (const ipu::variable_id v : update.state) mark(v, use::optimiser_state);
    for (const parameter_shard& shard : update.shards) mark(shard.value, use::weights);
  }
  std::size_t stages() const {
    std::size_t count = 0;
    for (const auto& p : program_.places()) count = algorithms::max(count, p.stage + 1);
    return count;
  }

  /// Cycles of the chip's own work, label by label.
  void add_times() {
    using run::chips_work;
    const light_vector<pass_counts> counts = passes_of_stages(table_, chip_, stage_);
    for (const run::label_total& l : seen_.totals()) {
      if (l.what.work == chips_work::exchange && l.what.chip == schedule::nowhere) add_copies_of_io_tiles(l, counts);
      if (l.what.chip != chip_) continue;
      const auto at = algorithms::find(stage_.begin(), stage_.end(), l.what.stage);
      if (at == stage_.end()) continue;
      plan::counted_stage& s = made_.stages[static_cast<std::size_t>(at - stage_.begin())];
      const pass_counts& count = counts[static_cast<std::size_t>(at - stage_.begin())];
      const auto add = [&](std::size_t pass) {
        if (count[pass] > 0) s.passes[pass] += divided_up(l.busy, count[pass]);
      };
      switch (l.what.work) {
        case chips_work::infeed:
          s.infeed += divided_up(l.busy, count[static_cast<std::size_t>(schedule::pass::forward)]);
          break;
        case chips_work::outfeed:
          s.outfeed += divided_up(l.busy, sends(count));
          break;
        case chips_work::clear:
          made_.clear += l.busy;
          break;
        case chips_work::all_reduce:
          made_.all_reduce += l.busy;
          break;
        case chips_work::reduce:
        case chips_work::update:
          made_.update += l.busy;
          break;
        case chips_work::stash:
        case chips_work::restore:
          break;  // of the pass that they are beside
        case chips_work::load:
        case chips_work::store:
          if (l.what.pass == schedule::pass::update) {
            made_.update += l.busy;
            break;
          }
          [[fallthrough]];
        default:
          add(static_cast<std::size_t>(part_of(l.what.pass, count)));
      }
    }
    const cycles away = cleared_away(seen_, chip_);
    made_.clear += away, made_.update -= away;
    made_.meetings = meetings_of(seen_, chip_);
    moves_behind moved = moves_behind_passes(seen_, chip_, stage_, table_, counts);
    for (std::size_t s = 0; s < stage_.size(); ++s) {
      made_.stages[s].alone = made_.stages[s].passes;
      for (std::size_t pass = 0; pass < schedule::pass_count; ++pass) {
        if (counts[s][pass] > 0) made_.stages[s].behind[pass] = divided_up(cycles{moved.of_all[s][pass]}, counts[s][pass]);
        made_.stages[s].passes[pass] += made_.stages[s].behind[pass];
      }
      made_.stages[s].between = std::move(moved.between[s]);
    }
    const light_vector<pass_counts> handed = handed_on_chip(seen_, chip_, stage_, table_);
    const mail_times mail = mail_around_passes(seen_, chip_, stage_, table_);
    for (std::size_t s = 0; s < stage_.size(); ++s) {
      for (std::size_t pass = 0; pass < schedule::pass_count; ++pass) {
        if (counts[s][pass] == 0) continue;
        made_.stages[s].taken[pass] = divided_up(cycles{mail.taken[s][pass]}, counts[s][pass]);
        made_.stages[s].posted[pass] = divided_up(cycles{mail.posted[s][pass]}, counts[s][pass]);
        made_.stages[s].handed[pass] = divided_up(cycles{handed[s][pass]}, counts[s][pass]);
      }
    }
    made_.shares = work_shares(seen_, chip_);
  }

  /// Copies between I/O tiles and those that compute, which all chips wait for: to a micro-batch they are the first stage's, and those of
  /// results are the last one's.
  void add_copies_of_io_tiles(const run::label_total& l, const light_vector<pass_counts>& counts) {
    for (std::size_t s = 0; s < stage_.size(); ++s) {
      const auto forwards = counts[s][static_cast<std::size_t>(schedule::pass::forward)];
      if (l.what.pass == schedule::pass::infeed && stage_[s] == 0 && forwards > 0) made_.stages[s].brought = divided_up(l.busy, forwards);
      if (l.what.pass == schedule::pass::outfeed && stage_[s] + 1 == stages()) made_.stages[s].carried += divided_up(l.busy, sends(counts[s]));
    }
  }

  /// The number of times that a last stage sends results: in training those of the last micro-batch.
  [[nodiscard]] std::uint64_t sends(const pass_counts& count) const {
    return table_.run_for == mode::training ? 1 : algorithms::max(count[static_cast<std::size_t>(schedule::pass::forward)], std::uint64_t{1});
  }

  /// Cycles of each kind of move of a stage. The program makes those that have anything to move, in the order of the timetable; where it
  /// does not, as it hands values on by I/O tiles, passes take what they take on the average.
  void add_moves(std::size_t number, const light_vector<run::stage_move>& planned) {
    plan::counted_stage& s = made_.stages[number];
    const auto moves = program_.moves(place_[number]);
    light_vector<std::size_t> kinds;
    for (const run::stage_move& m : planned) {
      if (moves[run::channel_of_move(m.kind)]) kinds.push_back(m.kind);
    }
    std::array<std::uint64_t, run::kinds_of_moves> time{}, times{};
    std::size_t next = 0;
    seen_.for_each([&](const run::chips_activity& a) {
      const bool move = a.what.work == run::chips_work::stash || a.what.work == run::chips_work::restore;
      if (!move || a.what.chip != chip_ || a.what.stage != stage_[number]) return true;
      if (next < kinds.size()) time[kinds[next]] += (a.finish - a.start).value, ++times[kinds[next]];
      ++next;
      return true;
    });
    s.moves = light_vector<cycles>(run::kinds_of_moves, cycles{});
    if (next != kinds.size()) {
      s.alone = s.passes;
      return;
    }
    for (std::size_t k = 0; k < run::kinds_of_moves; ++k) {
      if (times[k] > 0) s.moves[k] = divided_up(cycles{time[k]}, times[k]);
    }
  }

  template <class Ring>
  void add_ring(plan::counted_stage& to, std::size_t kind, const Ring& ring) const {
    plan::counted_ring &places = to.rings[kind], &listed = to.rings[kind + plan::kinds_of_values];
    listed.slot.resize(tiles_), listed.depth = ring.listed();
    if (!ring.away) places.slot.resize(tiles_), places.depth = ring.depth;
    const ipu::variable& v = program_.graph()[ring.slots];
    for (const auto& [tile, held] : v.tiles()) {
      listed.slot[tile % tiles_] += static_cast<std::uint32_t>(Ring::listed_slot);
      if (!ring.away) places.slot[tile % tiles_] += static_cast<std::uint32_t>(held / v.copies() * ipu::size_of(v.type()));
    }
  }

  void add_memory() {
    const ipu::graph& g = program_.graph();
    as_.resize(g.variables().size(), use::buffers);
    for (const auto& ring : g.rings()) {
      if (!ring.away) mark(ring.slots, use::stash);
    }
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      for (std::size_t r = 0; r < plan::kinds_of_values; ++r)
        for (const ipu::ring_id id : rings_[i][r]) add_ring(made_.stages[i], r, g.rings()[id.index]);
    }
    for (std::size_t t = 0; t < tiles_; ++t) {
      const ipu::tile_memory& seen = seen_.chips.memory.tiles[chip_ * tiles_ + t];
      plan::tile_bytes& to = made_.tiles[t];
      to[use::vertex_code] = seen[ipu::memory_category::vertex_code];
      to[use::vertex_state] = seen[ipu::memory_category::vertex_state];
      to[use::exchange_code] = seen[ipu::memory_category::exchange_code];
      to[use::control_code] = seen[ipu::memory_category::control_code];
      to[use::stack] = seen[ipu::memory_category::stack];
      to[use::activations] = seen[ipu::memory_category::not_always_live];
      to[use::gaps] = seen[ipu::memory_category::gaps];
    }
    for (std::size_t v = 0; v < as_.size(); ++v) {
      const ipu::variable& var = g.variables()[v];
      if (!var.always_live()) continue;
      for (const auto& [tile, held] : var.tiles()) {
        if (tile / tiles_ == chip_) made_.tiles[tile % tiles_][as_[v]] += held * ipu::size_of(var.type());
      }
    }
    for (const plan::tile_bytes& t : made_.tiles) made_.totals.push_back(static_cast<std::uint32_t>(t.total()));
  }

  const run::chips_program& program_;
  const run::chips_profile& seen_;
  std::size_t chip_;
  const schedule::table& table_;
  std::size_t tiles_;
  plan::counted_chip made_{};
  light_vector<std::size_t> stage_{};  // of each counted one
  light_vector<std::size_t> place_{};  // likewise
  light_vector<use> as_{};             // of each variable that is always live
  light_vector<std::array<light_vector<ipu::ring_id>, plan::kinds_of_values>> rings_{};  // of each
};
using chip_account = basic_chip_account<>;

}  // namespace impl

/// A chip of a session with these stages and options, as its program counts.
template <class Optimiser>
[[nodiscard]] plan::counted_chip count_chip(const cut_network& of, const schedule::table& t, std::size_t chip, const Optimiser& optimiser,
                                            const options& o, const on::chips& where, number_types numbers = {}) {
  throw_if(impl::verify_sharding(o));
  throw_if(impl::verify_cuts(of, t.where.stages));
  impl::cut_stages<Optimiser> stages(of, t, optimiser, o, where, numbers);
  const ipu::chip_system system = impl::system_for(where, impl::chips_needed(t.where.ipus, o.replicas));
  const auto lower = [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) {
    return impl::has_part_in<>(of, t.where, chip, stage) ? stages(g, stage, how) : stages.ends(g, stage, how);
  };
  const run::chips_options asked = impl::run_options_of(t, o, where);
  const run::chips_program program = run::on_chips(t, system, lower, asked);
  const run::chips_profile seen = program.cost();
  return impl::chip_account(program, seen, chip, t).take(stages.updates(), run::moves_of(t, asked.recompute));
}

}  // namespace ipuflow::train
