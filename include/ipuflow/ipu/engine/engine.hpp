// SPDX-License-Identifier: BSL-1.0
// The functional engine: bytes live in tile memories, codelets run on them, copies move them, for every chip of every
// replica. It meters each step that it runs with the same `meter` as the costing engine, one run at a time.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/replica_sum.hpp>
#include <ipuflow/ipu/engine/tile_copies.hpp>
#include <ipuflow/ipu/engine/vertex_run.hpp>
#include <ipuflow/ipu/program/program_walk.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace ipuflow::ipu {

/// Runs one program of one graph; both must outlive it, as they are.
template <class = void>
class basic_engine {
 public:
  basic_engine(const chip_system& all, const graph& g, const step& whole, const run_options& options = {});

  basic_engine(const chip_system&, const graph&, step&&, const run_options& = {}) = delete;  // ipuflow: an engine runs a step that outlives it; give the step a name
  basic_engine(const basic_engine&) = delete;  // ipuflow: chips cannot be copied; make another engine of the same program
  basic_engine& operator=(const basic_engine&) = delete;

  template <class Element>
  void write(variable_id id, std::span<const Element> values, std::size_t replica = 0) {
    check_host<Element>(id, values.size());
    check_replica(replica);
    stores_[replica].write(id.index, std::as_bytes(values));
  }
  template <class Array>
  void write(variable_id id, const Array& values, std::size_t replica = 0) {
    write(id, std::span<const std::remove_cvref_t<decltype(*values.data())>>{values.data(), values.size()}, replica);
  }

  template <class Element>
  light_vector<Element> read(variable_id id, std::size_t replica = 0) {
    light_vector<Element> values((*g_)[id].elements());
    check_host<Element>(id, values.size());
    check_replica(replica);
    stores_[replica].read(id.index, std::as_writable_bytes(std::span{values}));
    return values;
  }

  /// The content of streaming memory.
  template <class Array>
  void write(remote_id id, const Array& values, std::size_t replica = 0) {
    check_remote<typename Array::value_type>(id, values.size(), replica);
    light_vector<std::byte>& kept = remotes_[replica][id.index];
    std::memcpy(kept.data(), values.data(), kept.size());
  }
  template <class Element>
  light_vector<Element> read(remote_id id, std::size_t replica = 0) const {
    impl::check_id(id.index, g_->remotes().size(), "remote buffer");
    light_vector<Element> values(g_->remotes()[id.index].elements);
    check_remote<Element>(id, values.size(), replica);
    std::memcpy(values.data(), remotes_[replica][id.index].data(), values.size() * sizeof(Element));
    return values;
  }

  /// Appends to what a stream will bring to the chips.
  template <class Element>
  void feed(stream_id id, std::span<const Element> values, std::size_t replica = 0) {
    const auto added = std::as_bytes(values);
    auto& [pending, taken, arrived] = stream_of(id, replica);
    if (taken == pending.size()) {  // all of it was taken: a long run keeps no more than a step's
      pending.clear();
      taken = 0;
    }
    pending.insert(pending.end(), added.data(), added.data() + added.size());
  }

  /// Takes all that a stream has brought from the chips.
  template <class Element>
  light_vector<Element> drain(stream_id id, std::size_t replica = 0) {
    auto& arrived = stream_of(id, replica).arrived;
    light_vector<Element> values(arrived.size() / sizeof(Element));
    if (!values.empty()) std::memcpy(values.data(), arrived.data(), values.size() * sizeof(Element));
    arrived.clear();
    return values;
  }

  /// Has `arrived(to, stream, replica)` called, while a program runs, each time that a stream has brought something.
  void watch(void* to, void (*arrived)(void* to, stream_id stream, std::size_t replica)) { watcher_ = {to, arrived}; }

  /// Runs the program once. Where it throws, tiles keep what they have, and streams what was not taken.
  profile run();

  const impl::memory_layout& layout() const { return layout_; }

 private:
  struct host_stream {
    light_vector<std::byte> pending;
    std::size_t taken = 0;
    light_vector<std::byte> arrived;
  };
  struct watcher {
    void* to = nullptr;
    void (*arrived)(void* to, stream_id stream, std::size_t replica) = nullptr;
  };
  struct ring_places {
    std::size_t pushes = 0;
    light_vector<std::size_t> pulls;
  };
  /// The layout follows copies to their tiles, so a program that leaves its variables has to be found before.
  static impl::memory_layout laid_out(const chip_system& all, const graph& g, const step& whole, const run_options& options) {
    throw_if(verify(all));
    throw_if(verify(all, g, options));
    throw_if(verify_ids(g, whole));
    throw_if(verify_moves(g, whole, options.replicas));
    if (options.checked) throw_if(verify_program(g, whole, options.replicas));
    return impl::lay_out(g, whole);
  }
  void check_replica(std::size_t replica) const {
    if (replica >= stores_.size()) throw_if(program_fault{program_wrong::no_replica, replica, stores_.size()});
  }
  host_stream& stream_of(stream_id id, std::size_t replica) {
    check_replica(replica);
    impl::check_id(id.index, g_->streams().size(), streams_[replica].size(), "stream");
    return streams_[replica][id.index];
  }
  template <class Element>
  static void check_array(name_text name, element_type type, std::size_t elements, std::size_t given) {
    const program_place where{{}, name, 0};
    if (type != element_type_of<Element>())
      throw_if(program_fault{program_wrong::host_type, sizeof(Element), size_of(type), where});
    if (given != elements) throw_if(program_fault{program_wrong::wrong_size, given, elements, where});
  }
  template <class Element>
  void check_host(variable_id id, std::size_t elements) const {
    impl::check_id(id.index, g_->variables().size(), layout_.always.size(), "variable");
    const variable& v = (*g_)[id];
    check_array<Element>(v.name(), v.type(), v.elements(), elements);
    if (!v.always_live()) throw_if(program_fault{.kind = program_wrong::not_kept, .where = {{}, v.name(), 0}});
  }
  template <class Element>
  void check_remote(remote_id id, std::size_t elements, std::size_t replica) const {
    check_replica(replica);
    impl::check_id(id.index, g_->remotes().size(), remotes_[replica].size(), "remote buffer");
    const graph::remote_buffer& b = g_->remotes()[id.index];
    check_array<Element>(b.name, b.type, b.elements, elements);
  }

  /// Each kind of leaf on every replica.
  void perform(const execute& s) {
    for (impl::tile_store& store : stores_)
      for (const impl::placed_vertex& v : vertices_of(s.set))
        options_.checked ? impl::run_checked(*g_, store, v) : impl::run_vertex(*g_, store, v);
  }
  void perform(const copy& s) {
    for (impl::tile_store& store : stores_) copies_.run(s, store);
  }
  void perform(const push& s) {
    const impl::variable_ring& r = g_->rings()[s.ring.index];
    const std::size_t slot = r.slot_pushed(places_[s.ring.index].pushes++);
    for (std::size_t replica = 0; replica < stores_.size(); ++replica) {
      if (r.away)
        stores_[replica].read(s.variable.index, slot_away(r, s.variable, slot, replica));
      else
        for_each_slot(s.variable, slot, [&](const impl::placed_run& mine, const impl::placed_run& kept) {
          stores_[replica].copy_within(s.variable.index, mine, r.slots.index, kept);
        });
    }
  }
  void perform(const pull& s) {
    const impl::variable_ring& r = g_->rings()[s.ring.index];
    const std::size_t slot = r.slot_pulled(s.reader, places_[s.ring.index].pulls[s.reader]++);
    for (std::size_t replica = 0; replica < stores_.size(); ++replica) {
      if (r.away)
        stores_[replica].write(s.variable.index, slot_away(r, s.variable, slot, replica));
      else
        for_each_slot(s.variable, slot, [&](const impl::placed_run& mine, const impl::placed_run& kept) {
          stores_[replica].copy_within(r.slots.index, kept, s.variable.index, mine);
        });
    }
  }
  void perform(const stream_in& s) {
    const std::size_t size = (*g_)[s.variable].size().value;
    for (std::size_t r = 0; r < stores_.size(); ++r) {
      host_stream& from = streams_[r][s.stream.index];
      const std::size_t left = from.pending.size() - from.taken;
      if (left < size)
        throw_if(program_fault{program_wrong::stream_dry, left, size, {g_->streams()[s.stream.index].name, {}, 0}});
      stores_[r].write(s.variable.index, light_span<const std::byte>{from.pending}.subspan(from.taken, size));
      from.taken += size;
    }
  }
  void perform(const stream_out& s) {
    for (std::size_t r = 0; r < stores_.size(); ++r) {
      auto& arrived = streams_[r][s.stream.index].arrived;
      const std::size_t before = arrived.size();
      arrived.resize(before + (*g_)[s.variable].size().value);
      stores_[r].read(s.variable.index, light_span{arrived}.subspan(before));
    }
    if (watcher_.arrived == nullptr) return;
    for (std::size_t r = 0; r < stores_.size(); ++r) watcher_.arrived(watcher_.to, s.stream, r);
  }
  void perform(const load& s) {
    for (std::size_t r = 0; r < stores_.size(); ++r) stores_[r].write(s.variable.index, remotes_[r][s.buffer.index]);
  }
  void perform(const store& s) {
    for (std::size_t r = 0; r < stores_.size(); ++r) stores_[r].read(s.variable.index, remotes_[r][s.buffer.index]);
  }
  void perform(const all_reduce& s) {
    const auto sum = impl::summed(parts_of(s.variable), (*g_)[s.variable].type());
    for (impl::tile_store& store : stores_) store.write(s.variable.index, sum);
  }
  void perform(const all_gather& s) {
    const auto whole = impl::gathered(parts_of(s.shard));
    for (impl::tile_store& store : stores_) store.write(s.whole.index, whole);
  }
  void perform(const reduce_scatter& s) {
    const auto sum = impl::summed(parts_of(s.whole), (*g_)[s.whole].type());
    const std::size_t size = sum.size() / stores_.size();
    for (std::size_t r = 0; r < stores_.size(); ++r) stores_[r].write(s.shard.index, light_span{sum}.subspan(r * size, size));
  }
  void perform(const synchronise&) {}

  light_span<std::byte> slot_away(const impl::variable_ring& r, variable_id moved, std::size_t slot, std::size_t replica) {
    const std::size_t size = (*g_)[moved].size().value;
    return light_span{remotes_[replica][r.buffer.index]}.subspan(slot * size, size);
  }
  /// Calls `visit(what a tile holds of the variable, where that stands among the slots)`.
  template <class Visit>
  void for_each_slot(variable_id moved, std::size_t slot, Visit&& visit) const {
    for (const auto& [tile, held] : (*g_)[moved].tiles())
      visit(impl::placed_run{tile, 0, held}, impl::placed_run{tile, slot * held, held});
  }

  const light_vector<impl::placed_vertex>& vertices_of(compute_set_id set) {
    if (const auto* const found = vertices_.find(set.index)) return *found;
    return vertices_.try_emplace(set.index, impl::placed_vertices(*g_, g_->compute_sets()[set.index], layout_)).first->second;
  }

  /// The numbers that each replica holds of a variable.
  light_vector<light_vector<std::byte>> parts_of(variable_id shared) {
    light_vector<light_vector<std::byte>> parts;
    for (impl::tile_store& store : stores_) {
      parts.emplace_back((*g_)[shared].size().value);
      store.read(shared.index, parts.back());
    }
    return parts;
  }

  chip_system all_;
  const graph* g_;
  const step* program_;
  run_options options_;
  impl::memory_layout layout_;
  light_vector<impl::tile_store> stores_;
  light_vector<light_vector<light_vector<std::byte>>> remotes_;
  light_vector<light_vector<host_stream>> streams_;
  watcher watcher_{};
  light_vector<ring_places> places_;  // how often each ring was pushed and pulled
  memo<std::size_t, light_vector<impl::placed_vertex>> vertices_;
  impl::tile_copies copies_;
};
using engine = basic_engine<>;

template <class Unused>
profile basic_engine<Unused>::run() {
  impl::meter m({all_, *g_, options_.replicas, &layout_.copies});
  const auto perform_leaf = [this](const auto& leaf) { this->perform(leaf); };
  light_vector<ring_places> before = places_;
  try {
    profile made = impl::timed(m, *g_, layout_, impl::turns::each, options_, *program_, perform_leaf);
    made.memory = layout_.report;
    return made;
  } catch (...) {
    places_ = std::move(before);  // pushes without pulls would shift those of the next run
    throw;
  }
}

template <class Unused>
basic_engine<Unused>::basic_engine(const chip_system& all, const graph& g, const step& whole, const run_options& options)
    : all_{all}, g_{&g}, program_{&whole}, options_{options}, layout_{laid_out(all, g, whole, options)},
      copies_{g, layout_, options.checked} {
  if (!options.allow_out_of_memory) throw_if(verify(g, layout_));
  for (const impl::variable_ring& r : g.rings()) places_.push_back({0, light_vector<std::size_t>(r.pulls.size(), 0)});
  for (std::size_t r = 0; r < options.replicas; ++r) {
    stores_.emplace_back(g, layout_, options.checked);
    remotes_.emplace_back();
    for (const graph::remote_buffer& b : g.remotes()) remotes_.back().emplace_back(b.elements * size_of(b.type));
    streams_.emplace_back(g.streams().size());
  }
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class basic_engine<>;
#endif

}  // namespace ipuflow::ipu
