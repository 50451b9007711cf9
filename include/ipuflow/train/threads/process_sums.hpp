// SPDX-License-Identifier: BSL-1.0
// Gradients added up over the copies that processes have, piece by piece. Each process adds up some pieces: the others send it, of
// those, the sums over the branches of the tree that they have whole, and it sends them the total at once. So nothing waits for all
// pieces, a piece is added up while it is in a cache, and the result does not depend on who has which copy.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/train/threads/gradient_sums.hpp>
#include <ipuflow/train/threads/other_processes.hpp>
#include <ipuflow/train/threads/sum_pieces.hpp>
#include <ipuflow/train/threads/tree_sum.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::train::impl {

template <class = void>
class basic_process_sums {
 public:
  /// `process_of(copy, seat)`; `values`: where the parameters of each seat begin, and behind them.
  template <class ProcessOf>
  basic_process_sums(other_processes& others, light_span<const std::size_t> values, std::size_t copies, const ProcessOf& process_of,
                     const light_vector<sum_share>& shares, std::size_t most = numbers_of_piece)
      : others_{others}, me_{others.process()}, copies_{copies}, pieces_{me_, others.processes(), values, copies, process_of, shares, most}, sums_(values.back()) {}

  /// To begin while backward passes run, where that is wanted: then for each seat when its gradients are all there, those of copies that this
  /// process has; and now and then, in one thread at a time, which does a piece of the work and waits for nothing.
  void begin() {
    const posix::lock held{mutex_};
    for (queue* q : {&given_, &added_, &taken_}) {
      q->first = q->end = 0;
      for (place& p : q->places) p.messages.clear();  // of a run that failed
    }
    results_.clear();
    failed_ = false;
    begun_ = true;
    algorithms::fill(ready_.begin(), ready_.end(), false);
    others_.waiting(true);
  }
  void ready(std::size_t seat) {
    const posix::lock held{mutex_};
    ready_[seat] = true;
  }
  template <class Work>
  void advance(const Work& work) {
    const task t = next({}, false);
    perform(work, t);
    const posix::lock held{mutex_};
    note(t);
  }

  /// Adds up: afterwards `sums()` has the shares of this process, and those that are for all. `each_thread(job)` calls `job(thread)` on
  /// each of some threads.
  template <class Work, class EachThread>
  void operator()(const Work& work, const EachThread& each_thread) {
    if (!begun_) begin();
    begun_ = false;
    algorithms::fill(ready_.begin(), ready_.end(), true);
    each_thread([&](std::size_t thread) {
      try {
        for (task t = next({}); t.what != act::end; t = next(t)) {
          perform(work, t);
          if (t.what == act::none && thread > 0) posix::yield();  // one that waits is enough
        }
      } catch (...) {  // the other threads have nothing to wait for
        const posix::lock held{mutex_};
        failed_ = true;
        throw;
      }
    });
  }
  /// In the order of the model.
  [[nodiscard]] light_span<float> sums() { return sums_; }

 private:
  /// Room for a piece on its way.
  struct place {
    enum class state : unsigned char { work, messages, done };
    state now = state::done;
    light_vector<std::size_t> messages{};  // that are under way
    light_vector<float> room{};
    const float* data = nullptr;  // of what is sent: there, or where the gradients are
  };
  /// Pieces of a kind in their order, of which some are on their way: as many as there are places.
  struct queue {
    const light_vector<sum_piece>& pieces;
    light_vector<place> places{light_vector<place>(places_of_queue)};
    std::size_t first = 0;  // of those on their way
    std::size_t end = 0;

    [[nodiscard]] bool has_room() const { return end < pieces.size() && end - first < places.size(); }
    [[nodiscard]] bool over() const { return first == pieces.size(); }
    place& at(std::size_t i) { return places[i % places.size()]; }
    void pass_done() {
      while (first < end && at(first).now == place::state::done) ++first;
    }
  };
  static constexpr std::size_t places_of_queue = 4;

  enum class act : unsigned char { none, give, add, end };
  struct task {
    act what = act::none;
    std::size_t at = 0;  // in its queue
  };

  template <class Work>
  void perform(const Work& work, const task& t) {
    if (t.what == act::give) prepare(work, t.at);
    if (t.what == act::add) add_up(work, t.at);
  }
  void note(const task& finished) {
    if (finished.what == act::give) send(finished.at);
    if (finished.what == act::add) send_results(finished.at);
  }
  [[nodiscard]] bool is_ready(const sum_piece& p) const {
    return algorithms::all_of(p.ranges.begin(), p.ranges.end(), [&](const sum_range& r) { return ready_[r.seat]; });
  }

  /// Takes note of what a thread has done, moves what can be moved, and gives the thread something to do.
  task next(const task& finished, bool waits = true) {
    const posix::lock held{mutex_};
    if (failed_) return {act::end};
    note(finished);
    const bool moved = carry() || finished.what != act::none;
    if (moved) others_.waiting(true);
    for (std::size_t i = added_.first; i < added_.end; ++i) {
      place& p = added_.at(i);
      if (p.now != place::state::messages || !p.messages.empty() || !is_ready(added_.pieces[i])) continue;
      p.now = place::state::work;
      return {act::add, i};
    }
    if (given_.has_room() && is_ready(given_.pieces[given_.end])) {
      given_.at(given_.end).now = place::state::work;
      return {act::give, given_.end++};
    }
    if (given_.over() && added_.over() && taken_.over() && results_.empty()) return {act::end};
    if (!moved && waits) others_.waiting(false);
    return {};
  }

  bool carry() {
    bool moved = false;
    while (added_.has_room()) {
      const sum_piece& p = added_.pieces[added_.end];
      place& to = added_.at(added_.end);
      to.room.resize(algorithms::max(to.room.size(), p.room()));  // before another thread can find the place
      to.now = place::state::messages;
      ++added_.end;
      for (const sum_message& m : p.messages)
        to.messages.push_back(others_.begin_receive(m.process, tag_of(p, false), std::as_writable_bytes(std::span{to.room}.subspan(m.first, m.count))));
    }
    while (taken_.has_room()) {
      const sum_piece& p = taken_.pieces[taken_.end];
      place& to = taken_.at(taken_.end++);
      to.now = place::state::messages;
      for (const sum_message& m : p.results)
        to.messages.push_back(others_.begin_receive(m.process, tag_of(p, true), std::as_writable_bytes(std::span{sums_}.subspan(m.first, m.count))));
    }
    for (queue* q : {&given_, &added_, &taken_}) {
      for (std::size_t i = q->first; i < q->end; ++i) {
        place& p = q->at(i);
        if (p.now != place::state::messages) continue;
        if (!all_done(p.messages, moved)) break;
        if (q != &added_) p.now = place::state::done;
      }
      q->pass_done();
    }
    (void)all_done(results_, moved);
    return moved;
  }
  /// True if none is left; the oldest are asked for first.
  bool all_done(light_vector<std::size_t>& messages, bool& moved) {
    std::size_t done = 0;
    while (done < messages.size() && others_.done(messages[done])) ++done;
    messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(done));
    moved = moved || done > 0;
    return messages.empty();
  }
  static std::size_t tag_of(const sum_piece& p, bool result) { return p.number % 16384 * 2 + (result ? 1 : 0); }

  void send(std::size_t i) {
    const sum_piece& p = given_.pieces[i];
    place& from = given_.at(i);
    from.messages.push_back(others_.begin_send(p.process, tag_of(p, false), std::as_bytes(std::span{from.data, p.room()})));
    from.now = place::state::messages;
  }
  void send_results(std::size_t i) {
    const sum_piece& p = added_.pieces[i];
    added_.at(i).now = place::state::done;
    added_.pass_done();
    for (std::size_t turn = 1; turn < others_.processes() && p.for_all; ++turn) {
      for (const sum_message& m : p.results)
        results_.push_back(others_.begin_send((me_ + turn) % others_.processes(), tag_of(p, true), std::as_bytes(std::span{sums_}.subspan(m.first, m.count))));
    }
  }

  /// A piece for another process: from where it is, if that is one copy.
  template <class Work>
  void prepare(const Work& work, std::size_t i) {
    const sum_piece& p = given_.pieces[i];
    place& to = given_.at(i);
    const auto mine = [&](const sum_range& r, const auto& visit) {
      for (const sum_branch& b : pieces_.branches[r.seat]) {
        if (b.process == me_) visit(b);
      }
    };
    if (p.ranges.size() == 1) {
      to.data = nullptr;
      mine(p.ranges[0], [&](const sum_branch& b) {
        if (p.room() == p.count && b.end - b.first == 1) to.data = work.at_hand(p.ranges[0].seat, b.first, p.ranges[0].of_seat);
      });
      if (to.data != nullptr) return;
    }
    to.room.resize(algorithms::max(to.room.size(), p.room()));
    to.data = to.room.data();
    light_span<float> left{to.room};
    for (const sum_range& r : p.ranges) {
      mine(r, [&](const sum_branch& b) {
        for_each_chunk(r.count, [&](std::size_t at, std::size_t count) {
          write(left.subspan(at, count), [&](light_span<float> chunk) { return work.add_up(r.seat, b.first, b.end, r.of_seat + at, chunk); });
        });
        left = left.subspan(r.count);
      });
    }
  }
  template <class Work>
  void add_up(const Work& work, std::size_t i) {
    const sum_piece& p = added_.pieces[i];
    const light_vector<float>& came = added_.at(i).room;
    const std::size_t* offsets = p.offsets.data();
    for (const sum_range& r : p.ranges) {
      const light_vector<sum_branch>& all = pieces_.branches[r.seat];
      for_each_chunk(r.count, [&](std::size_t at, std::size_t count) {
        std::size_t next = 0;
        write(light_span<float>{sums_}.subspan(r.first + at, count), [&](light_span<float> chunk) {
          return tree_sum(0, copies_, chunk, [&](std::size_t first, std::size_t end) { return all[next].first == first && all[next].end == end; },
                          [&](std::size_t first, std::size_t end, light_span<float> room) {
                            const std::size_t b = next++;
                            return all[b].process == me_ ? work.add_up(r.seat, first, end, r.of_seat + at, room) : came.data() + offsets[b] + at;
                          });
        });
      });
      offsets += all.size();
    }
  }
  /// Calls `make(to)`, which may also say that the numbers lie elsewhere.
  template <class Make>
  static void write(light_span<float> to, const Make& make) {
    const float* const made = make(to);
    if (made != to.data()) algorithms::copy_n(made, to.size(), to.data());
  }

  other_processes& others_;
  std::size_t me_;
  std::size_t copies_;
  sum_pieces pieces_;
  queue given_{pieces_.given};
  queue added_{pieces_.added};
  queue taken_{pieces_.taken};
  light_vector<std::size_t> results_{};  // messages that are under way
  light_vector<float> sums_;
  light_vector<bool> ready_ = light_vector<bool>(pieces_.branches.size());  // of each seat
  posix::mutex mutex_{};
  bool begun_ = false;
  bool failed_ = false;  // a thread has
};
using process_sums = basic_process_sums<>;

/// Rounds sums to what accumulators can hold.
template <class = void>
void round_sums(const light_vector<accumulator_run>& accumulators, light_span<float> sums) {
  for (const accumulator_run& r : accumulators) {
    if (r.type != accumulator_type::f16) continue;
    for (float& s : sums.subspan(r.first, r.count)) s = static_cast<float>(half{s});
  }
}

}  // namespace ipuflow::train::impl
