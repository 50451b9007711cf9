// SPDX-License-Identifier: BSL-1.0
// The stages of a run on chips, lowered and wired: variables beside those of the stages where values wait, rings
// for those that wait longer, streams at both ends, the passes as functions.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/run/chips/chips_fault.hpp>
#include <ipuflow/run/chips/part.hpp>
#include <ipuflow/run/chips/plan.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace ipuflow::run {

namespace impl {

/// A place for a variable in streaming memory.
template <class = void>
inline streamed add_home(ipu::graph& g, std::string_view what, ipu::variable_id of) {
  ipu::name_text name = ipu::name_from(what);
  name += g[of].name().view();
  return {of, g.add_remote(name.view(), g[of].elements(), g[of].type()), of};
}

template <class = void>
class basic_part_wiring {
 public:
  basic_part_wiring(const chips_plan& plan, ipu::graph& g, light_vector<plan::lowered> lowered, const chips_options& options)
      : plan_{plan}, g_{g}, options_{options}, parts_(lowered.size()), streamed_(g.chips()) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].with = std::move(lowered[i]);
      const tensors_away away = leaving(plan_.parts()[i], parts_[i]);
      for (const auto* const all : {&away.weights, &away.sums, &away.values}) {
        for (const variable_id v : *all) streamed_[plan_.parts()[i].chip] += g_[v].size();
      }
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) wire(i);
  }

  light_vector<chips_part> take() { return std::move(parts_); }

 private:
  using variable_id = ipu::variable_id;

  ipu::name_text named(std::string_view what, variable_id of) const {
    ipu::name_text name = ipu::name_from(what);
    name += g_[of].name().view();
    return name;
  }
  variable_id like(std::string_view what, variable_id of) {
    return g_.add_temporary(named(what, of), g_[of].type(), g_[of].elements(), g_[of].map());
  }

  void wire(std::size_t i) {
    const part_plan& p = plan_.parts()[i];
    chips_part& made = parts_[i];
    made.from_stage = entries_from_stage(i);
    light_vector<variable_id> first(made.with.entry.begin(),
                                   made.with.entry.begin() + static_cast<std::ptrdiff_t>(made.from_stage));
    light_vector<variable_id> back;
    if (p.stage + 1 < plan_.timetable().where.stages) {
      for (const auto& gradient : made.with.exit_gradients) {
        if (gradient) back.push_back(*gradient);
      }
    }
    if (p.arriving.waits) beside(made.arriving, first, p.mailed, p.chip);
    if (p.returning.waits) beside(made.returning, back, p.mailed_back, p.chip);
    post(i);
    if (p.values.waits) made.values.what = carried(made.with.values);
    if (p.slopes.waits) made.slopes.what = carried(made.with.slopes);
    add_rings(made.arriving, p.arriving, "queue of ", false);
    add_rings(made.returning, p.returning, "queue of ", false);
    const bool away = options_.activations == kept_in::streaming_memory;
    add_rings(made.values, p.values, "stash of ", away);
    add_rings(made.slopes, p.slopes, "stash of ", away);
    add_passes(made);
    add_homes(p, made);
    feed(i);
  }

  /// The first of its entries come from the stage before, as many as that hands on; the host fills the rest.
  std::size_t entries_from_stage(std::size_t i) const {
    const part_plan& p = plan_.parts()[i];
    if (p.stage == 0 || p.events.empty()) return 0;
    const light_vector<variable_id>& entry = parts_[i].with.entry;
    std::size_t count = 0;
    plan_.each_branch(p.stage - 1, p.events[0].micro_batch, [&](std::size_t before) {
      for (const variable_id from : parts_[before].with.exit) {
        if (count < entry.size() &&
            (g_[from].elements() != g_[entry[count]].elements() || g_[from].type() != g_[entry[count]].type())) {
          throw_if(chips_fault{chips_wrong::elements_differ, g_[entry[count]].elements(),
                               g_[from].elements(), {p.stage, count}});
        }
        ++count;
      }
    });
    if (count > entry.size()) throw_if(chips_fault{chips_wrong::values_differ, entry.size(), count, {p.stage, 0}});
    return count;
  }

  /// Mail is received in one place on I/O tiles and read from another, with a ring between them where more has to wait.
  void beside(wired_channel& c, const light_vector<variable_id>& places, bool mailed, std::size_t chip) {
    for (const variable_id v : places) {
      if (!mailed) {
        c.what.push_back({like("early ", v), v});
        continue;
      }
      c.what.push_back({box("mail to ", v, chip), box("mail for ", v, chip)});
      c.taken.push_back({c.what.back().read, v});
    }
  }

  /// Room for what a part hands on to others that receive mail.
  void post(std::size_t i) {
    const part_plan& p = plan_.parts()[i];
    chips_part& made = parts_[i];
    if (p.events.empty()) return;
    const auto any = [&](std::size_t stage, bool part_plan::*mailed) {
      bool found = false;
      plan_.each_branch(stage, p.events[0].micro_batch, [&](std::size_t to) { found = found || plan_.parts()[to].*mailed; });
      return found;
    };
    if (p.stage + 1 < plan_.timetable().where.stages && any(p.stage + 1, &part_plan::mailed)) {
      for (const variable_id v : made.with.exit) made.posted.push_back({v, box("mail from ", v, p.chip)});
    }
    if (p.stage == 0 || !any(p.stage - 1, &part_plan::mailed_back)) return;
    for (std::size_t e = 0; e < made.from_stage && e < made.with.entry_gradients.size(); ++e) {
      const auto& gradient = made.with.entry_gradients[e];
      if (gradient) made.posted_back.push_back({*gradient, box("mail from ", *gradient, p.chip)});
    }
  }

  /// A place on I/O tiles of its own: they work at times of their own, so that no two things share memory there.
  variable_id box(std::string_view what, variable_id of, std::size_t chip) {
    const std::size_t count = g_[of].elements();
    return g_.add_variable(named(what, of), g_[of].type(), count, ipu::linear(count, options_.io_tiles, chip * g_.chip().tiles));
  }

  static light_vector<plan::carried> carried(const light_vector<plan::carried>& all) {
    light_vector<plan::carried> made;
    for (const plan::carried& c : all) {
      if (c.made.index != c.read.index) made.push_back(c);
    }
    return made;
  }

  void add_rings(wired_channel& c, const carried_values& planned, std::string_view what, bool away) {
    if (!planned.waits || planned.plan.depth == 0) return;
    for (const plan::carried& one : c.what) {
      const ipu::name_text name = named(what, one.made);
      const std::size_t depth = planned.plan.depth;
      c.rings.push_back(away ? g_.add_ring_off_chip(name.view(), one.made, depth, planned.plan.pulls.size())
                             : g_.add_ring(name.view(), one.made, depth, planned.plan.pulls.size()));
      g_.set_order(c.rings.back(), planned.plan.pushes, planned.plan.pulls);
      g_.begin_again(c.rings.back(), planned.plan.pushes_of_run, planned.plan.pulls_of_run);
    }
  }

  void add_passes(chips_part& made) {
    ipu::step* const steps[] = {&made.with.forward, &made.with.backward, &made.with.backward_inputs,
                                &made.with.backward_weights, &made.with.recompute};
    for (std::size_t k = 0; k < made.passes.size(); ++k) made.passes[k] = g_.add_function(std::move(*steps[k]));
  }

  /// The tensors of a part that live in streaming memory.
  struct tensors_away {
    light_vector<variable_id> weights{};
    light_vector<variable_id> sums{};
    light_vector<variable_id> values{};
  };
  tensors_away leaving(const part_plan& p, const chips_part& part) const {
    tensors_away made;
    const bool trains = plan_.timetable().run_for == mode::training;
    for (const plan::trained_tensor& t : part.with.parameters) {
      if (options_.weights == kept_in::streaming_memory) made.weights.push_back(t.kept());
      if (trains && options_.accumulators == kept_in::streaming_memory) made.sums.push_back(t.gradient);
    }
    const bool leave = plan_.timetable().live != schedule::liveness::always_live && !p.values.waits;
    if (trains && leave && options_.activations == kept_in::streaming_memory) {
      for (const plan::carried& c : part.with.values) made.values.push_back(c.made);
    }
    return made;
  }

  /// Tensors that live elsewhere are loaded before the passes that read them, and stored after those that change them.
  void add_homes(const part_plan& p, chips_part& made) {
    const tensors_away away = leaving(p, made);
    light_vector<streamed> weights;
    light_vector<streamed> values;
    for (const variable_id v : away.weights) {
      g_.keep_while_used(v);
      weights.push_back(sent_away(p, v));
      made.homes.push_back(weights.back().home);
    }
    for (const variable_id v : away.sums) {
      g_.keep_while_used(v);
      made.sums.push_back(sent_away(p, v));
    }
    for (const variable_id v : away.values) values.push_back(sent_away(p, v));
    if (weights.empty() && made.sums.empty() && values.empty()) return;
    for (std::size_t k = 0; k < made.passes.size(); ++k) {
      flat_set<std::size_t> read;
      ipu::collect_read(g_, g_.functions()[made.passes[k]->index], read);
      if (p.within && k != static_cast<std::size_t>(part_work::forward))
        ipu::collect_read(g_, g_.functions()[made.passes[static_cast<std::size_t>(part_work::recompute)]->index], read);
      const auto take_read = [&](const light_vector<streamed>& all, light_vector<streamed>& to) {
        for (const streamed& s : all)
          if (read.contains(s.variable.index)) to.push_back(s);
      };
      take_read(weights, made.loaded[k]);
      take_read(made.sums, made.loaded[k]);
      take_read(made.sums, made.stored[k]);
      if (k == static_cast<std::size_t>(part_work::forward))
        made.stored[k].insert(made.stored[k].end(), values.begin(), values.end());
      else
        take_read(values, made.loaded[k]);
    }
  }

  /// I/O tiles have a place for each tensor where they have room for all of their chip, which come as early as they can;
  /// else places share memory. A twentieth of it goes to code and buffers, as ipu::io_tiles has it.
  streamed sent_away(const part_plan& p, variable_id v) {
    streamed made = add_home(g_, "home of ", v);
    const bool overlaps = plan_.timetable().live == schedule::liveness::off_chip_after_forward && options_.io_tiles > 0;
    const bool room = streamed_[p.chip].value * 105 <= g_.chip().tile_memory.value * options_.io_tiles * 100;
    if (overlaps) made.beside = on_io_tiles(g_, v, p.chip, options_, !room);
    return made;
  }

  /// Streams into entries, by way of the I/O tiles if there are any, and of a place beside where that is in use.
  void feed(std::size_t i) {
    const part_plan& p = plan_.parts()[i];
    chips_part& made = parts_[i];
    for (std::size_t e = made.from_stage; e < made.with.entry.size(); ++e) {
      const variable_id entry = made.with.entry[e];
      variable_id target = entry;
      if (p.staged) {
        target = like("early ", entry);
        made.staged.push_back({target, entry});
      }
      variable_id arrives = target;
      if (options_.io_tiles > 0) arrives = on_io_tiles(g_, target, p.chip, options_);
      if (options_.synthetic) continue;
      ipu::data_stream stream{.name = named("in ", entry)};
      if (made.fed.empty() && p.branch == 0 && fed_first_.value_or(p.stage) == p.stage) {
        fed_first_ = p.stage;  // the host makes all values of a micro-batch together, for one chip or the other, and for later stages
        stream.prefetch = options_.prefetch;
        stream.host_time = options_.host_time;
        stream.host_times = options_.host_times;
        stream.host = 0;
      }
      made.fed.push_back({i, target, arrives, g_.add_stream(std::move(stream))});
    }
  }

 public:
  /// A copy of a variable, spread over the I/O tiles of a chip: its first ones. They work ahead as far as their places are
  /// free, so it has a place of its own unless it `shares`.
  [[nodiscard]] static variable_id on_io_tiles(ipu::graph& g, variable_id of, std::size_t chip, const chips_options& o,
                                               bool shares = false) {
    ipu::name_text name = ipu::name_from("I/O ");
    name += g[of].name().view();
    const std::size_t count = g[of].elements();
    const ipu::mapping map = ipu::linear(count, o.io_tiles, chip * g.chip().tiles);
    return shares ? g.add_temporary(name, g[of].type(), count, map) : g.add_variable(name, g[of].type(), count, map);
  }

 private:
  const chips_plan& plan_;
  ipu::graph& g_;
  const chips_options& options_;
  light_vector<chips_part> parts_;
  light_vector<bytes> streamed_;  // of each chip
  std::optional<std::size_t> fed_first_{};  // the first stage that the host feeds
};
using part_wiring = basic_part_wiring<>;

}  // namespace impl

}  // namespace ipuflow::run
