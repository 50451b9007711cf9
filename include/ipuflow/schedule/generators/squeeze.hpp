// SPDX-License-Identifier: BSL-1.0
// Stages in a V whose IPUs repeat a block of six operations: the block as it is, with gradients for weights in the cells that it
// leaves free, and then the ramps squeezed. In a ramp each operation moves to the earliest free cell of its IPU that comes after
// what it reads, if the IPU keeps no more values at any time than the fullest one does without. Qi et al., "Pipeline parallelism
// with controllable memory". The blocks between the ramps stay, so more micro-batches only repeat these.
#pragma once

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The cells of a block, of its forward through the first and the second chunk, and of its backward through the second and the first.
struct block_cells {
  std::size_t of[4]{};
};

template <class = void>
class squeezing {
 public:
  constexpr squeezing(const grid& where, block_cells (*block)(std::size_t ipus, std::size_t ipu))
      : ipus_{where.ipus}, count_{where.micro_batches}, at_(4 * where.ipus * where.micro_batches), rows_{where.ipus} {
    std::size_t end = 0;
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      const block_cells cells = block(ipus_, ipu);
      for (std::size_t type = 0; type < 4; ++type) {
        for (std::size_t m = 0; m < count_; ++m) at(ipu, type, m) = cells.of[type] + 6 * m;
        if (at(ipu, type, count_ - 1) >= end) end = at(ipu, type, count_ - 1) + 1;
      }
    }
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      rows_[ipu] = row(end, free);
      for (std::size_t type = 0; type < 4; ++type) {
        for (std::size_t m = 0; m < count_; ++m) rows_[ipu][at(ipu, type, m)] = static_cast<unsigned char>(type);
      }
    }
  }

  /// The orders of all IPUs.
  constexpr table squeezed(const grid& where) {
    add_weights(false);
    squeeze(true);
    time();
    remove_weights();
    squeeze(false);
    add_weights(false);
    time();
    remove_weights();
    add_weights(true);
    table t{where, mode::training};
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      std::size_t next[6]{};
      for (const unsigned char type : rows_[ipu]) {
        if (type == free) continue;
        constexpr pass kinds[] = {pass::forward, pass::forward, pass::backward_inputs, pass::backward_inputs,
                                  pass::backward_weights, pass::backward_weights};
        const std::size_t chunk = type == 1 || type == 2 || type == 4 ? 1 : 0;
        t.rows[ipu].push_back({{kinds[type], where.stage_of(ipu, chunk), next[type]++}, t.rows[ipu].size(), false});
      }
    }
    return t;
  }

 private:
  using row = dynamic_array<unsigned char>;
  static constexpr unsigned char weights = 4;  // or 5, of the first chunk
  static constexpr unsigned char free = 6;

  constexpr std::size_t& at(std::size_t ipu, std::size_t type, std::size_t m) { return at_[(4 * ipu + type) * count_ + m]; }
  static constexpr void put(row& cells, std::size_t cell, unsigned char type) {
    while (cells.size() <= cell) cells.push_back(free);
    cells[cell] = type;
  }

  /// Gradients for weights where nothing else is, as soon as they can be; of each chunk, those of the second one first.
  constexpr void add_weights(bool of_chunks) {
    for (row& cells : rows_) {
      std::size_t due[2]{};
      for (std::size_t cell = 0; cell < cells.size() || due[0] + due[1] > 0; ++cell) {
        const unsigned char type = cell < cells.size() ? cells[cell] : free;
        if (type == 2 || type == 3) ++due[of_chunks ? type - 2 : 0];
        if (type != free || due[0] + due[1] == 0) continue;
        const std::size_t which = due[0] > 0 ? 0 : 1;
        --due[which];
        put(cells, cell, static_cast<unsigned char>(weights + which));
      }
    }
  }
  constexpr void remove_weights() {
    for (row& cells : rows_) {
      for (unsigned char& type : cells) type = type >= weights ? free : type;
      while (!cells.empty() && cells.back() == free) cells.pop_back();
    }
  }

  /// Every operation as early as what it reads and the order of its IPU allow.
  constexpr void time() {
    dynamic_array<row> timed{ipus_};
    dynamic_array<std::size_t> next{6 * ipus_};
    for_each_cell([&](std::size_t ipu, std::size_t, unsigned char type) {
      const std::size_t m = next[6 * ipu + type]++;
      std::size_t cell = timed[ipu].size();
      const std::size_t read = type < weights ? read_by(ipu, type, m) : 0;
      if (read > cell) cell = read;
      put(timed[ipu], cell, type);
      if (type < weights) at(ipu, type, m) = cell;
    });
    rows_ = timed;
  }

  /// One past the last cell of what an operation waits for.
  constexpr std::size_t read_by(std::size_t ipu, std::size_t type, std::size_t m) {
    std::size_t after = 0;
    const auto wait = [&](std::size_t cell) { after = cell + 1 > after ? cell + 1 : after; };
    if (type % 2 == 0 && ipu > 0) wait(at(ipu - 1, type, m));
    if (type % 2 == 1 && ipu + 1 < ipus_) wait(at(ipu + 1, type, m));
    if (type > 0) wait(at(ipu, type - 1, m));
    if (m > 0) wait(at(ipu, type, m - 1));
    return after;
  }

  /// Calls `visit(ipu, cell, type)` for all operations, cell by cell.
  template <class Visit>
  constexpr void for_each_cell(Visit visit) const {
    bool more = true;
    for (std::size_t cell = 0; more; ++cell) {
      more = false;
      for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
        if (cell >= rows_[ipu].size()) continue;
        more = true;
        if (rows_[ipu][cell] != free) visit(ipu, cell, rows_[ipu][cell]);
      }
    }
  }

  /// The most values of an IPU: `head` up to a cell, from there on `tail`. Gradients for weights that are not there run in free cells.
  static constexpr std::size_t kept(const row& head, std::size_t end, const row& tail, bool with_weights) {
    std::size_t alive = 0, due = 0, most = 0;
    for (std::size_t cell = 0; cell < tail.size(); ++cell) {
      const unsigned char type = cell >= end ? tail[cell] : cell < head.size() ? head[cell] : free;
      if (type < 2) ++alive;
      if (type == 2 || type == 3) ++due;
      const bool weight = with_weights ? type != free && type >= weights : type == free && due > 0;
      if (weight) --alive;
      if (weight && !with_weights) --due;
      if (alive > most) most = alive;
    }
    return most;
  }

  /// Moves what is before the first backward of the first stage, if there are gradients for weights, and what is behind its last
  /// forward.
  constexpr void squeeze(bool with_weights) {
    std::size_t most = 0;
    for (const row& cells : rows_) {
      const std::size_t own = kept(cells, 0, cells, with_weights);
      if (own > most) most = own;
    }
    dynamic_array<row> moved{ipus_};
    dynamic_array<std::size_t> next{6 * ipus_};
    dynamic_array<dynamic_array<std::size_t>> backwards{ipus_};  // in order of time
    dynamic_array<std::size_t> last_weights{ipus_};
    enum { ramp_up, body, ramp_down } phase = ramp_up;
    for_each_cell([&](std::size_t ipu, std::size_t cell, unsigned char type) {
      const std::size_t m = next[6 * ipu + type]++;
      if (type == 3 && ipu == 0 && phase == ramp_up) phase = body;
      const bool stays = phase == body || (phase == ramp_up && !with_weights);
      if (phase == body && type == 0 && m + 1 == count_) phase = ramp_down;
      std::size_t to = cell;
      if (!stays) {
        const std::size_t first = type < weights ? read_by(ipu, type, m) : later(backwards[ipu][m], last_weights[ipu]);
        to = earliest(moved[ipu], rows_[ipu], first, cell, type, most, with_weights);
      }
      put(moved[ipu], to, type);
      rows_[ipu][cell] = free;
      if (type < weights) at(ipu, type, m) = to;
      if (type == weights) last_weights[ipu] = to + 1;
      if (type == 2 || type == 3) insert(backwards[ipu], to + 1);
    });
    rows_ = moved;
  }

  static constexpr std::size_t later(std::size_t a, std::size_t b) { return a < b ? b : a; }
  static constexpr void insert(dynamic_array<std::size_t>& sorted, std::size_t added) {
    sorted.push_back(added);
    for (std::size_t i = sorted.size() - 1; i > 0 && sorted[i] < sorted[i - 1]; --i) {
      const std::size_t kept_back = sorted[i];
      sorted[i] = sorted[i - 1];
      sorted[i - 1] = kept_back;
    }
  }

  /// The first free cell from `first` on to which an operation can move without more values than `most`; `cell`, if none.
  static constexpr std::size_t earliest(row& head, row& tail, std::size_t first, std::size_t cell, unsigned char type,
                                        std::size_t most, bool with_weights) {
    tail[cell] = free;
    std::size_t found = cell;
    for (std::size_t to = first; to < cell && found == cell; ++to) {
      if (to < head.size() && head[to] != free) continue;
      const std::size_t size = head.size();
      put(head, to, type);
      if (kept(head, cell, tail, with_weights) <= most) found = to;
      head[to] = free;
      while (head.size() > size) head.pop_back();
    }
    return found;
  }

  std::size_t ipus_;
  std::size_t count_;
  dynamic_array<std::size_t> at_;
  dynamic_array<row> rows_;
};

/// The most IPUs for which blocks are squeezed, and micro-batches for each of them: further ones repeat the body.
inline constexpr std::size_t most_squeezed = 64;
inline constexpr std::size_t squeezed_per_ipu = 4;

/// A row with one block, that of the forward of `middle` through the first chunk, repeated `more` times; false if there is none.
template <class = void>
constexpr bool repeat_block(const dynamic_array<placed>& row, std::size_t middle, std::size_t more, dynamic_array<placed>& to) {
  constexpr std::size_t block = 6;
  std::size_t begin = 0;
  const auto is_first = [&](const op& o) { return o == op{pass::forward, row[0].stage, middle}; };
  while (begin < row.size() && !is_first(row[begin])) ++begin;
  if (begin + 2 * block > row.size()) return false;
  for (std::size_t i = begin; i < begin + block; ++i) {
    const placed& next = row[i + block];
    if (next.kind != row[i].kind || next.stage != row[i].stage || next.micro_batch != row[i].micro_batch + 1) return false;
  }
  to.reserve(row.size() + more * block);
  const auto add = [&](op o, std::size_t later) {
    o.micro_batch += later;
    to.push_back({o, to.size(), false});
  };
  for (std::size_t i = 0; i < begin + block; ++i) add(row[i], 0);
  for (std::size_t k = 0; k < more; ++k) {
    for (std::size_t i = begin; i < begin + block; ++i) add(row[i], k + 1);
  }
  for (std::size_t i = begin + block; i < row.size(); ++i) add(row[i], more);
  return true;
}

/// Squeezed blocks for any number of micro-batches; without operations if there are too many IPUs, or no body to repeat.
template <class = void>
[[nodiscard]] constexpr table squeezed_blocks(std::size_t ipus, std::size_t count,
                                              block_cells (*block)(std::size_t ipus, std::size_t ipu)) {
  const grid where{ipus, 2 * ipus, count, layout::vee};
  table none{where, mode::training};
  if (ipus > most_squeezed) return none;
  const grid fewer{ipus, 2 * ipus, count < squeezed_per_ipu * ipus ? count : squeezed_per_ipu * ipus, layout::vee};
  const table few = squeezing<>{fewer, block}.squeezed(fewer);
  if (fewer.micro_batches == count) return tabulate<table>(few);
  table many = none;
  for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
    if (!repeat_block(few.rows[ipu], fewer.micro_batches / 2, count - fewer.micro_batches, many.rows[ipu])) return none;
  }
  return tabulate<table>(many);
}

}  // namespace ipuflow::schedule::impl
