// SPDX-License-Identifier: BSL-1.0
// The functional engine: bytes live in tile memories, codelets run on them, copies move them, for every chip of every
// replica. It meters each step that it runs with the same `meter` as the costing engine, one run at a time.
#pragma once

#include <ipuflow/core/memo.hpp>
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/replica_sum.hpp>
#include <ipuflow/ipu/engine/tile_copies.hpp>
#include <ipuflow/ipu/engine/vertex_run.hpp>
#include <ipuflow/ipu/program/program_walk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

/// Runs one program of one graph; both must outlive it.
class engine {
 public:
  engine(const chip_system& all, const graph& g, const step& program, const run_options& options = {})
      : all_{all},
        g_{&g},
        program_{&program},
        options_{options},
        layout_{lay_out(g, program)},
        copies_{g, layout_, options.checked} {
    throw_if(verify(all));
    throw_if(verify(all, g, options));
    if (options.checked) throw_if(verify_program(g, program, options.replicas));
    if (!options.allow_out_of_memory) throw_if(verify(g, layout_));
    for (const variable_ring& r : g.rings()) places_.push_back({0, std::vector<std::size_t>(r.pulls.size(), 0)});
    for (std::size_t r = 0; r < options.replicas; ++r) {
      stores_.emplace_back(g, layout_, options.checked);
      remotes_.emplace_back();
      for (const graph::remote_buffer& b : g.remotes()) remotes_.back().emplace_back(b.elements * size_of(b.type));
      streams_.emplace_back(g.streams().size());
    }
  }

  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  template <class Element>
  void write(variable_id id, std::span<const Element> values, std::size_t replica = 0) {
    check_host<Element>(id, values.size());
    stores_[replica].write(id.index, std::as_bytes(values));
  }
  template <class Element>
  void write(variable_id id, const std::vector<Element>& values, std::size_t replica = 0) {
    write(id, std::span<const Element>{values}, replica);
  }

  template <class Element>
  std::vector<Element> read(variable_id id, std::size_t replica = 0) {
    std::vector<Element> values((*g_)[id].elements());
    check_host<Element>(id, values.size());
    stores_[replica].read(id.index, std::as_writable_bytes(std::span{values}));
    return values;
  }

  /// What is in streaming memory.
  template <class Element>
  void write(remote_id id, const std::vector<Element>& values, std::size_t replica = 0) {
    std::vector<std::byte>& kept = remotes_[replica][id.index];
    check_remote<Element>(id, values.size());
    std::memcpy(kept.data(), values.data(), kept.size());
  }
  template <class Element>
  [[nodiscard]] std::vector<Element> read(remote_id id, std::size_t replica = 0) const {
    const std::vector<std::byte>& kept = remotes_[replica][id.index];
    std::vector<Element> values(g_->remotes()[id.index].elements);
    check_remote<Element>(id, values.size());
    std::memcpy(values.data(), kept.data(), kept.size());
    return values;
  }

  /// Appends to what a stream will bring to the chips.
  template <class Element>
  void feed(stream_id id, std::span<const Element> values, std::size_t replica = 0) {
    const auto added = std::as_bytes(values);
    auto& [pending, taken, arrived] = streams_[replica][id.index];
    if (taken == pending.size()) {  // all of it was taken: a long run keeps no more than a step's
      pending.clear();
      taken = 0;
    }
    pending.insert(pending.end(), added.begin(), added.end());
  }

  /// Takes all that a stream has brought from the chips.
  template <class Element>
  std::vector<Element> drain(stream_id id, std::size_t replica = 0) {
    auto& arrived = streams_[replica][id.index].arrived;
    std::vector<Element> values(arrived.size() / sizeof(Element));
    if (!values.empty()) std::memcpy(values.data(), arrived.data(), values.size() * sizeof(Element));
    arrived.clear();
    return values;
  }

  /// Runs the program once.
  profile run() {
    meter m({all_, *g_, options_.replicas, &layout_.copies});
    profile made = timed_walk(m, *g_, turns::each, [this](const step& s) { run_leaf(s); }).run(*program_);
    made.memory = layout_.report;
    return made;
  }

  [[nodiscard]] const memory_layout& layout() const { return layout_; }

 private:
  struct host_stream {
    std::vector<std::byte> pending;
    std::size_t taken = 0;
    std::vector<std::byte> arrived;
  };
  struct ring_places {
    std::size_t pushes = 0;
    std::vector<std::size_t> pulls;
  };
  template <class Element>
  void check_host(variable_id id, std::size_t elements) const {
    const variable& v = (*g_)[id];
    const program_place where{{}, v.name(), 0};
    if (v.type() != element_type_of<Element>())
      throw_if(program_fault{program_wrong::host_type, sizeof(Element), size_of(v.type()), where});
    if (elements != v.elements()) throw_if(program_fault{program_wrong::wrong_size, elements, v.elements(), where});
    if (!v.always_live()) throw_if(program_fault{.kind = program_wrong::not_kept, .where = where});
  }

  template <class Element>
  void check_remote(remote_id id, std::size_t elements) const {
    const graph::remote_buffer& b = g_->remotes()[id.index];
    const program_place where{{}, b.name, 0};
    if (b.type != element_type_of<Element>())
      throw_if(program_fault{program_wrong::host_type, sizeof(Element), size_of(b.type), where});
    if (elements != b.elements) throw_if(program_fault{program_wrong::wrong_size, elements, b.elements, where});
  }

  void run_leaf(const step& s) {
    for (std::size_t r = 0; r < options_.replicas; ++r) run_leaf(s, r);
    if (s.kind >= step_kind::all_reduce && s.kind != step_kind::sync) run_collective(s);
    if (s.kind == step_kind::push) ++places_[s.index].pushes;
    if (s.kind == step_kind::pull) ++places_[s.index].pulls[s.count];
  }

  void run_leaf(const step& s, std::size_t replica) {
    tile_store& store = stores_[replica];
    switch (s.kind) {
      case step_kind::execute:
        for (const placed_vertex& v : vertices_of(s)) {
          if (options_.checked)
            run_checked(*g_, store, v);
          else
            run_vertex(*g_, store, v);
        }
        return;
      case step_kind::copy:
        copies_.run(s, store);
        return;
      case step_kind::push:
      case step_kind::pull:
        run_ring(s, store, replica);
        return;
      case step_kind::stream_in:
        take(s, store, streams_[replica][s.index]);
        return;
      case step_kind::stream_out: {
        auto& arrived = streams_[replica][s.index].arrived;
        const std::size_t before = arrived.size();
        arrived.resize(before + (*g_)[s.variable].size().value);
        store.read(s.variable.index, std::span{arrived}.subspan(before));
        return;
      }
      case step_kind::remote_load:
        store.write(s.variable.index, remotes_[replica][s.index]);
        return;
      case step_kind::remote_store:
        store.read(s.variable.index, remotes_[replica][s.index]);
        return;
      default:
        return;
    }
  }

  void run_ring(const step& s, tile_store& store, std::size_t replica) {
    const variable_ring& r = g_->rings()[s.index];
    const ring_places& at = places_[s.index];
    const bool pushes = s.kind == step_kind::push;
    const std::size_t slot = pushes ? r.slot(r.pushes, at.pushes) : r.slot(r.pulls[s.count], at.pulls[s.count]);
    if (r.away) {
      const std::size_t size = (*g_)[s.variable].size().value;
      const auto kept = std::span{remotes_[replica][r.buffer.index]}.subspan(slot * size, size);
      return pushes ? store.read(s.variable.index, kept) : store.write(s.variable.index, kept);
    }
    for (const auto& [tile, held] : (*g_)[s.variable].tiles()) {
      const placed_run mine{tile, 0, held};
      const placed_run kept{tile, slot * held, held};
      if (pushes)
        store.copy_within(s.variable.index, mine, r.slots.index, kept);
      else
        store.copy_within(r.slots.index, kept, s.variable.index, mine);
    }
  }

  void take(const step& s, tile_store& store, host_stream& from) {
    const std::size_t size = (*g_)[s.variable].size().value;
    const std::size_t left = from.pending.size() - from.taken;
    if (left < size)
      throw_if(program_fault{program_wrong::stream_dry, left, size, {g_->streams()[s.index].name, {}, 0}});
    store.write(s.variable.index, std::span<const std::byte>{from.pending}.subspan(from.taken, size));
    from.taken += size;
  }

  const std::vector<placed_vertex>& vertices_of(const step& s) {
    if (const auto* const found = vertices_.find(s.index)) return *found;
    return vertices_.try_emplace(s.index, placed_vertices(*g_, g_->compute_sets()[s.index])).first->second;
  }

  void run_collective(const step& s) {
    std::vector<std::vector<std::byte>> parts;
    for (tile_store& store : stores_) {
      parts.emplace_back((*g_)[s.variable].size().value);
      store.read(s.variable.index, parts.back());
    }
    const auto results = s.kind == step_kind::all_gather ? gathered(parts) : summed(parts, (*g_)[s.variable].type());
    for (std::size_t r = 0; r < stores_.size(); ++r) {
      std::span<const std::byte> mine{results};
      if (s.kind == step_kind::reduce_scatter)
        mine = mine.subspan(r * (mine.size() / stores_.size()), mine.size() / stores_.size());
      stores_[r].write(s.kind == step_kind::all_reduce ? s.variable.index : s.target.index, mine);
    }
  }

  chip_system all_;
  const graph* g_;
  const step* program_;
  run_options options_;
  memory_layout layout_;
  std::vector<tile_store> stores_;
  std::vector<std::vector<std::vector<std::byte>>> remotes_;
  std::vector<std::vector<host_stream>> streams_;
  std::vector<ring_places> places_;  // how often each ring was pushed and pulled
  memo<std::size_t, std::vector<placed_vertex>> vertices_;
  tile_copies copies_;
};

}  // namespace ipuflow::ipu
