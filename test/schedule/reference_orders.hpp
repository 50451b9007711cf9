// SPDX-License-Identifier: BSL-1.0
// The orders of the field's schedules as their authors write them: loops that append to a list. They share nothing with
// the library's closed forms and are what those are compared with.
#pragma once

#include <ipuflow/schedule/timetable.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace reference {

using ipuflow::schedule::op;
using ipuflow::schedule::pass;
using order = std::vector<op>;
using size = std::size_t;

/// What a timetable runs on an IPU.
template <class T>
order order_of(const T& t, size ipu) {
  order found;
  for (auto w = t.walk(ipu); w; ++w) found.push_back(*w);
  return found;
}

inline order gpipe(size stage, size micro_batches) {
  order o;
  for (size m = 0; m < micro_batches; ++m) o.push_back({pass::forward, stage, m});
  for (size m = 0; m < micro_batches; ++m) o.push_back({pass::backward, stage, m});
  return o;
}

/// `warm` forwards, then forward and backward in turn, then what is left of the backwards.
inline order alternate(const order& forwards, const order& backwards, size warm) {
  warm = std::min(warm, forwards.size());
  order o(forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(warm));
  size next = 0;
  for (size k = warm; k < forwards.size(); ++k) {
    o.push_back(forwards[k]);
    o.push_back(backwards[next++]);
  }
  while (next < backwards.size()) o.push_back(backwards[next++]);
  return o;
}

inline order one_f_one_b(size stage, size ipus, size micro_batches, size warm_factor = 1) {
  order f, b;
  for (size m = 0; m < micro_batches; ++m) {
    f.push_back({pass::forward, stage, m});
    b.push_back({pass::backward, stage, m});
  }
  return alternate(f, b, warm_factor * (ipus - 1 - stage));
}

/// Micro-batches in `rounds` groups, the larger ones first.
inline std::vector<std::pair<size, size>> groups(size ipus, size micro_batches) {
  const size rounds = std::max<size>(1, micro_batches / ipus);
  std::vector<std::pair<size, size>> found;
  size first = 0;
  for (size i = 0; i < rounds; ++i) {
    const size count = micro_batches / rounds + (i < micro_batches % rounds ? 1 : 0);
    found.emplace_back(first, count);
    first += count;
  }
  return found;
}

/// All forwards of an IPU with several chunks, group by group; `last` first the chunk that is last.
inline order chunked(pass kind, size ipu, size ipus, size chunks, size micro_batches, bool last) {
  order o;
  for (const auto& [first, count] : groups(ipus, micro_batches)) {
    for (size c = 0; c < chunks; ++c) {
      for (size m = first; m < first + count; ++m) o.push_back({kind, (last ? chunks - 1 - c : c) * ipus + ipu, m});
    }
  }
  return o;
}

inline order interleaved_1f1b(size ipu, size ipus, size chunks, size micro_batches) {
  const size group = groups(ipus, micro_batches).front().second;
  return alternate(chunked(pass::forward, ipu, ipus, chunks, micro_batches, false),
                   chunked(pass::backward, ipu, ipus, chunks, micro_batches, true),
                   (chunks - 1) * group + 2 * (ipus - 1 - ipu));
}

inline order looped_bfs(size ipu, size ipus, size chunks, size micro_batches) {
  order o;
  for (size c = 0; c < chunks; ++c) {
    for (size m = 0; m < micro_batches; ++m) o.push_back({pass::forward, c * ipus + ipu, m});
  }
  for (size c = chunks; c-- > 0;) {
    for (size m = micro_batches; m-- > 0;) o.push_back({pass::backward, c * ipus + ipu, m});
  }
  return o;
}

/// Forward and backward for inputs in turn, with a gradient for weights behind each backward but the first `ipu` ones.
inline order zb1p(size ipu, size ipus, size chunks, size micro_batches) {
  const size group = groups(ipus, micro_batches).front().second;
  const order f = chunked(pass::forward, ipu, ipus, chunks, micro_batches, false);
  const order i = chunked(pass::backward_inputs, ipu, ipus, chunks, micro_batches, true);
  const size warm = std::min(f.size(), (chunks - 1) * group + ipus - 1 - ipu);
  order o(f.begin(), f.begin() + static_cast<std::ptrdiff_t>(warm));
  size weights = 0;
  const auto weight = [&] {
    op w = i[weights++];
    w.kind = pass::backward_weights;
    o.push_back(w);
  };
  for (size k = 0; k < i.size(); ++k) {
    if (warm + k < f.size()) o.push_back(f[warm + k]);
    o.push_back(i[k]);
    if (k >= ipu) weight();
  }
  while (weights < i.size()) weight();
  return o;
}

/// The handcrafted order for the V, for at least 2P - 1 micro-batches, with those beyond the real number left out.
inline order zbv(size ipu, size ipus, size micro_batches) {
  const size count = std::max(2 * ipus - 1, micro_batches);
  order o;
  size next[2][4]{};
  const auto add = [&](pass kind, size chunk) {
    const size m = next[chunk][static_cast<size>(kind)]++;
    if (m < micro_batches) o.push_back({kind, chunk == 0 ? ipu : 2 * ipus - 1 - ipu, m});
  };
  const auto all = [&](size chunk) {
    add(pass::backward_inputs, chunk);
    add(pass::backward_weights, chunk);
  };
  const size f = static_cast<size>(pass::forward), w = static_cast<size>(pass::backward_weights);
  const size i = static_cast<size>(pass::backward_inputs);
  for (size k = 0; k < 2 * (ipus - ipu) - 1; ++k) add(pass::forward, 0);
  for (size k = 0; k < ipu; ++k) add(pass::forward, 1), add(pass::forward, 0);
  for (size k = 0; k < ipus - ipu; ++k) add(pass::forward, 1), all(1);
  while (next[1][f] < next[0][f] || next[0][f] < count) {
    if (next[0][f] < count) add(pass::forward, 0);
    all(0);
    add(pass::forward, 1);
    all(1);
  }
  for (size k = 0; k < ipu; ++k) add(pass::backward_inputs, 0), add(pass::backward_inputs, 1);
  for (size k = 0; k < ipus - ipu; ++k) all(0);
  while (next[1][w] < next[1][i]) add(pass::backward_weights, 1);
  while (next[0][w] < next[0][i]) add(pass::backward_weights, 0);
  return o;
}

/// The eight steps of DualPipe and DualPipeV with their queue of postponed gradients for weights.
struct dual {
  size near_stage, far_stage;  // of the flow that comes first and of the other
  size near_first, far_first;  // their first micro-batches
  size rank, depth, count, fill;

  order run() const {
    order o;
    std::deque<op> postponed;
    size f[2]{}, b[2]{};
    const auto forward = [&](size flow) {
      o.push_back(
          {pass::forward, flow == 0 ? near_stage : far_stage, (flow == 0 ? near_first : far_first) + f[flow]++});
    };
    const auto backward = [&](size flow, bool split) {
      const op made{split ? pass::backward_inputs : pass::backward, flow == 0 ? near_stage : far_stage,
                    (flow == 0 ? near_first : far_first) + b[flow]++};
      o.push_back(made);
      if (split) postponed.push_back({pass::backward_weights, made.stage, made.micro_batch});
    };
    const auto weights = [&] {
      o.push_back(postponed.front());
      postponed.pop_front();
    };
    for (size k = 0; k < 2 * (depth - rank - 1); ++k) forward(0);
    for (size k = 0; k < rank + 1; ++k) forward(0), forward(1);
    for (size k = 0; k < depth - rank - 1; ++k) backward(1, true), weights(), forward(1);
    for (size k = 0; k < count - fill + rank + 1; ++k) forward(0), backward(1, false), forward(1), backward(0, false);
    for (size k = 0; k < depth - rank - 1; ++k) backward(1, false), forward(1), backward(0, false);
    bool split = false;
    for (size k = 0; k < rank + 1; ++k) {
      if (k == (rank + 1) / 2 && rank % 2 == 1) split = true;
      backward(1, split);
      if (k == (rank + 1) / 2 && rank % 2 == 0) split = true;
      backward(0, split);
    }
    for (size k = 0; k < depth - rank - 1; ++k) weights(), backward(0, true);
    for (size k = 0; k < rank + 1; ++k) weights();
    return o;
  }
};

inline order dualpipe(size ipu, size ipus, size micro_batches) {
  const size half = micro_batches / 2;
  const bool second = 2 * ipu >= ipus;
  const size other = ipus - 1 - ipu;
  return dual{second ? other : ipu,
              second ? ipu : other,
              second ? half : 0,
              second ? 0 : half,
              std::min(ipu, other),
              ipus / 2,
              half,
              ipus}
      .run();
}

inline order dualpipev(size ipu, size ipus, size micro_batches) {
  return dual{ipu, 2 * ipus - 1 - ipu, 0, 0, ipu, ipus, micro_batches, 2 * ipus}.run();
}

}  // namespace reference
