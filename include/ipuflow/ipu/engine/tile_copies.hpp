// SPDX-License-Identifier: BSL-1.0
// Copies between tile memories, for the functional engine: where the words of a copy are and go is worked out once.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/ipu/engine/tile_store.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// The copies of one program; graph and layout must outlive it.
template <class = void>
class basic_tile_copies {
 public:
  basic_tile_copies(const graph& g, const memory_layout& layout, bool checked)
      : g_{&g}, layout_{&layout}, checked_{checked} {}

  /// All words leave before any arrives where a variable is at both ends.
  void run(const copy& s, tile_store& store) {
    const moves& all = moves_of(s);
    const auto deliver = [&](const move& m, const std::byte* words) {
      for (std::size_t t = m.first_target; t < m.first_target + m.targets; ++t) {
        std::memcpy(store.at(all.targets[t].run.tile, all.targets[t].address), words, m.size);
        store.mark(m.to, all.targets[t].run);
      }
    };
    light_vector<std::byte> words;
    for (const move& m : all.sources) {
      if (checked_) store.check_written(name_from("copy"), m.from, m.source);
      const std::byte* source = store.at(m.source.tile, m.address);
      if (all.both_ends)
        words.insert(words.end(), source, source + m.size);
      else
        deliver(m, source);
    }
    std::size_t at = 0;
    for (const move& m : all.sources) {
      if (!all.both_ends) break;
      deliver(m, words.data() + at);
      at += m.size;
    }
  }

 private:
  struct move {
    std::size_t from, to;  // variables
    placed_run source;
    std::size_t address, size, first_target, targets;
  };
  struct target {
    placed_run run;
    std::size_t address;
  };
  struct moves {
    light_vector<move> sources;
    light_vector<target> targets;
    bool both_ends = false;  // a variable is read and written
  };

  std::size_t address_of(std::size_t variable, const placed_run& run) const {
    return layout_->address(variable, run.tile) + run.local * size_of(g_->variables()[variable].type());
  }

  const moves& moves_of(const copy& s) {
    if (const moves* const found = moves_.find(&s)) return *found;
    throw_if(verify_copy(*g_, s));
    moves made;
    for_each_fragment(*g_, s, [&](const fragment& f) {
      const std::size_t size = f.source.length * size_of(g_->variables()[f.from].type());
      made.sources.push_back(
          {f.from, f.to, f.source, address_of(f.from, f.source), size, made.targets.size(), f.targets.size()});
      for (const placed_run& t : f.targets) made.targets.push_back({t, address_of(f.to, t)});
    });
    light_vector<bool> read(g_->variables().size(), false);
    for (const copy_piece& p : s.pieces) read[p.from.variable.index] = true;
    for (const copy_piece& p : s.pieces) made.both_ends = made.both_ends || read[p.to.variable.index];
    return moves_.try_emplace(&s, std::move(made)).first->second;
  }

  const graph* g_;
  const memory_layout* layout_;
  bool checked_;
  memo<const copy*, moves> moves_;
};
using tile_copies = basic_tile_copies<>;

}  // namespace impl

}  // namespace ipuflow::ipu
