// SPDX-License-Identifier: BSL-1.0
// The host's two ends of a run on chips: which micro-batches' results go out, sums of all of them, and the
// transfers of a step, directly or by way of I/O tiles.
#pragma once

#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/run/chips/labels.hpp>
#include <ipuflow/run/chips/parts.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::run::impl {

/// Parts and the micro-batches that they transfer.
using fed_list = light_vector<light_pair<std::size_t, std::uint32_t>>;

template <class = void>
class basic_chips_ends {
 public:
  basic_chips_ends(const chips_plan& plan, ipu::graph& g, const light_vector<chips_part>& parts, label_book& labels,
             const chips_options& options)
      : plan_{plan}, g_{g}, parts_{parts}, labels_{labels}, options_{options}, mode_{feed::mode_of({options.outputs, options.period}, plan.timetable().run_for)} {
    outputs_.resize(parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part) add_outputs(part);
  }

  /// The streams to the host, part by part.
  [[nodiscard]] light_vector<host_end> outputs() const {
    light_vector<host_end> all;
    for (const auto& of_part : outputs_) all.insert(all.end(), of_part.begin(), of_part.end());
    return all;
  }

  [[nodiscard]] bool sends(std::size_t part, std::size_t micro_batch) const {
    return !outputs_[part].empty() &&
           sent_after(options_, plan_.timetable().where.micro_batches, plan_.timetable().run_for, micro_batch);
  }

  /// Steps that add a part's results up, to be run after its forwards.
  [[nodiscard]] const light_vector<light_pair<std::size_t, ipu::step>>& sums() const { return sums_; }
  /// Begins the sums of a run.
  [[nodiscard]] const light_vector<light_pair<std::size_t, ipu::step>>& begin_sums() const { return begin_sums_; }

  /// Transfers from the host for these parts.
  void feed(const fed_list& fed, light_vector<ipu::step>& steps) {
    for (const auto& [part, micro_batch] : fed) {
      light_vector<ipu::step> transfers;
      for (const host_end& end : parts_[part].fed) transfers.push_back(ipu::stream_in(end.stream, end.beside));
      steps.push_back(labelled(chips_work::infeed, part, schedule::pass::infeed, std::move(transfers)));
    }
  }
  /// Transfers to the host.
  void send(const fed_list& sent, light_vector<ipu::step>& steps) {
    for (const auto& [part, micro_batch] : sent) {
      light_vector<ipu::step> transfers;
      for (const host_end& end : outputs_[part]) transfers.push_back(ipu::stream_out(end.beside, end.stream));
      steps.push_back(labelled(chips_work::outfeed, part, schedule::pass::outfeed, std::move(transfers)));
    }
  }
  /// Sums go to the host at the end of a run.
  void send_sums(light_vector<ipu::step>& steps) {
    if (mode_ != feed::output_mode::sum) return;
    fed_list all;
    for (std::size_t part = 0; part < outputs_.size(); ++part) {
      if (!outputs_[part].empty()) all.emplace_back(part, last_of(part));
    }
    send(all, steps);
    note_sent(all);
  }
  void note_fed(const fed_list& fed) { note(chips_work::infeed, schedule::pass::infeed, fed); }
  void note_sent(const fed_list& sent) { note(chips_work::outfeed, schedule::pass::outfeed, sent); }

  /// Copies between I/O tiles and those that compute, for all chips at once or, if they do not wait for each other, for each.
  void bring_in(const fed_list& fed, light_vector<ipu::step>& steps) { bring(fed, &basic_chips_ends::copy_in, schedule::pass::infeed, steps); }
  void bring_out(const fed_list& sent, light_vector<ipu::step>& steps) { bring(sent, &basic_chips_ends::copy_out, schedule::pass::outfeed, steps); }

  /// From the I/O tiles to those that compute.
  [[nodiscard]] ipu::copy copy_in(const fed_list& fed) const {
    light_vector<ipu::copy_piece> pieces;
    for (const auto& [part, micro_batch] : fed) {
      for (const host_end& end : parts_[part].fed) pieces.push_back(ipu::whole_piece(g_, end.beside, end.variable));
    }
    return {std::move(pieces)};
  }
  [[nodiscard]] ipu::copy copy_out(const fed_list& sent) const {
    light_vector<ipu::copy_piece> pieces;
    for (const auto& [part, micro_batch] : sent) {
      for (const host_end& end : outputs_[part]) pieces.push_back(ipu::whole_piece(g_, end.variable, end.beside));
    }
    return {std::move(pieces)};
  }

 private:
  void bring(const fed_list& all, ipu::copy (basic_chips_ends::*copies)(const fed_list&) const, schedule::pass of, light_vector<ipu::step>& steps) {
    if (all.empty()) return;
    if (options_.sync == waits_for::all_chips) {
      steps.push_back(ipu::labelled(labels_.of({.work = chips_work::exchange, .pass = of}), (this->*copies)(all)));
      return;
    }
    for (const auto& one : all) {
      ipu::copy made = (this->*copies)({one});
      const part_plan& p = plan_.parts()[one.first];
      if (!made.pieces.empty())
        steps.push_back(ipu::labelled(labels_.of({.work = chips_work::exchange, .chip = p.chip, .stage = p.stage}), std::move(made)));
    }
  }

  std::uint32_t last_of(std::size_t part) const {
    const light_vector<part_event>& events = plan_.parts()[part].events;
    std::uint32_t last = 0;
    for (const part_event& e : events) {
      if (e.what == part_work::forward) last = e.micro_batch;
    }
    return last;
  }

  void add_outputs(std::size_t part) {
    const part_plan& p = plan_.parts()[part];
    if (p.stage + 1 != plan_.timetable().where.stages || options_.synthetic) return;
    const bool sum = mode_ == feed::output_mode::sum;
    light_vector<ipu::step> adds;
    for (const ipu::variable_id exit : parts_[part].with.exit) {
      host_end end{part, exit, exit, {}};
      ipu::name_text name = ipu::name_from(sum ? "sum of " : "out ");
      name += g_[exit].name().view();
      if (sum) {
        end.variable = end.beside = g_.add_variable(name, g_[exit].type(), g_[exit].elements(), g_[exit].map());
        begin_sums_.emplace_back(part, ipu::fill(g_, end.variable, 0));
        adds.push_back(ipu::scaled_add(g_, end.variable, 1, exit));
      } else if (options_.io_tiles > 0) {
        end.beside = part_wiring::on_io_tiles(g_, exit, p.chip, options_);
      }
      end.stream = g_.add_stream({name, options_.prefetch});
      outputs_[part].push_back(end);
    }
    if (sum) sums_.emplace_back(part, ipu::sequence(std::move(adds)));
  }

  chips_label label(chips_work work, std::size_t part, schedule::pass kind) const {
    return {work, plan_.parts()[part].chip, plan_.parts()[part].stage, kind};
  }
  ipu::step labelled(chips_work work, std::size_t part, schedule::pass kind, light_vector<ipu::step> steps) {
    return ipu::labelled(labels_.of(label(work, part, kind)), ipu::sequence(std::move(steps)));
  }
  void note(chips_work work, schedule::pass kind, const fed_list& which) {
    for (const auto& [part, micro_batch] : which) labels_.note(label(work, part, kind), micro_batch);
  }

  const chips_plan& plan_;
  ipu::graph& g_;
  const light_vector<chips_part>& parts_;
  label_book& labels_;
  const chips_options& options_;
  feed::output_mode mode_;
  light_vector<light_vector<host_end>> outputs_;
  light_vector<light_pair<std::size_t, ipu::step>> sums_;
  light_vector<light_pair<std::size_t, ipu::step>> begin_sums_;
};
using chips_ends = basic_chips_ends<>;

}  // namespace ipuflow::run::impl
