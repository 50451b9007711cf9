// SPDX-License-Identifier: BSL-1.0
// Proof of a program of phases, at a cost that depends neither on the micro-batches nor on the repeats of phases: a time
// is found for every operation such that times grow along the order of each IPU, and from an operation to those that read
// it. The times tried are linear, so that a run of micro-batches that one beat makes and another reads is one difference
// between two times; these are satisfied by going up and down the IPUs until no time grows. A program without such times
// may still be right. docs/schedules.md has the argument.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/line.hpp>
#include <ipuflow/schedule/forms/program.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

template <class Program>
class phase_proof {
 public:
  constexpr explicit phase_proof(const Program& t)
      : where_{t.where},
        phases_{t.phases},
        chunks_{t.where.chunks(0)},
        limit_{t.where.micro_batches / t.where.directions()},
        streams_{t.where.ipus * streams_of_ipu},
        from_(t.where.ipus + 1) {}

  /// True if such times exist, and every operation is there once.
  constexpr bool holds() {
    if (chunks_ > most_chunks || limit_ == 0) return false;
    for (std::size_t ipu = 0; ipu < where_.ipus; ++ipu) {
      from_[ipu] = {beats_.size(), 0};
      if (!read(ipu)) return false;
    }
    apart_ = number(beats_.size()) + 1;  // enough that all IPUs can react to each other between two repeats
    for (std::size_t ipu = 0; ipu < where_.ipus; ++ipu) {
      from_[ipu].difference = differences_.size();
      relate(ipu);
    }
    from_[where_.ipus] = {beats_.size(), differences_.size()};
    return solve();
  }

 private:
  static constexpr std::size_t most_chunks = 4;
  static constexpr std::size_t streams_of_ipu = 3 * most_chunks;
  enum stream_kind : std::size_t { forwards, backwards, weights };

  /// The operations of a beat in all repeats of its phase: one of each of these consecutive micro-batches.
  struct run {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t beat = 0;
    std::size_t done = 0;  ///< the beat that ends it: the one behind it, if the two run together
    std::size_t next = nowhere;
  };
  /// The runs of one pass of one chunk of an IPU, in order.
  struct stream {
    std::size_t head = nowhere;
    std::size_t tail = nowhere;
    std::size_t count = 0;
    std::size_t split = 0;  ///< backwards that leave gradients for weights to another beat
  };
  struct beat_time {
    step_number first = 0;
    step_number behind = 0;       ///< repeats by which the beat before it is ahead, if that is the end of another phase
    std::size_t last = nowhere;   ///< the last beat of the phase, if this is the first one of several repeats
  };
  /// `read` is later than `made`, by that many repeats.
  struct difference {
    std::size_t made = 0;
    std::size_t read = 0;
    step_number repeats = 0;
  };
  struct beginning {
    std::size_t beat = 0;
    std::size_t difference = 0;
  };

  constexpr stream& stream_of(std::size_t ipu, stream_kind kind, std::size_t chunk) {
    return streams_[ipu * streams_of_ipu + kind * most_chunks + chunk];
  }

  /// Takes up the program of an IPU; false if something is missing, or of a kind that is not proven here.
  constexpr bool read(std::size_t ipu) {
    by_age count{};
    std::size_t repeats = 0;
    for (const program_phase& phase : phases_(where_, ipu)) {
      if (phase.times == 0 || phase.beats.empty()) continue;
      for (std::size_t b = 0; b < phase.beats.size(); ++b) {
        if (mixes_left_out(ipu, phase, b)) return false;
        const bool in_pair = phase.beats[b].with_next && b + 1 < phase.beats.size();
        if (in_pair && most_of(ipu, phase, b) > least_of(ipu, phase, b + 1)) return false;
      }
      const std::size_t first = beats_.size();
      const by_age before = count;
      for (std::size_t b = 0; b < phase.beats.size(); ++b) {
        const beat& now = phase.beats[b];
        const bool ends = b + 1 == phase.beats.size();
        if (now.with_next && (ends || phase.beats[b + 1].with_next)) return false;
        beats_.push_back({0, b == 0 && first > from_[ipu].beat ? number(repeats) - 1 : 0, nowhere});
        if (now.chunk == oldest) {
          if (now.kind != pass::backward_weights || ++count.asked > count.made) return false;
        } else if (!add(ipu, now, phase.times)) {
          return false;
        }
        if (now.kind == pass::backward_inputs) ++count.made;
        if (now.kind == pass::backward_inputs && now.with_next) return false;
      }
      if (phase.times > 1) beats_[first].last = beats_.size() - 1;
      repeats = phase.times;
      // What held in the first repeat holds in all, unless each asks for more than it makes: then those made before the
      // last one have to do.
      const by_age each{count.made - before.made, count.asked - before.asked};
      if (phase.times > 1 && each.asked > each.made &&
          before.made + each.made * (phase.times - 1) < before.asked + each.asked * phase.times) {
        return false;
      }
      count = {before.made + each.made * phase.times, before.asked + each.asked * phase.times};
    }
    return complete(ipu, count);
  }

  /// Split backwards so far, and gradients for weights that were asked for by age.
  struct by_age {
    std::size_t made = 0;
    std::size_t asked = 0;
  };

  /// The repeats of a phase, which is to be taken up, in which one of its beats has something to do: at most and at least. The
  /// rest is left out, which of two that run together must not be the second alone.
  constexpr std::size_t most_of(std::size_t ipu, const program_phase& phase, std::size_t b) {
    return phase.beats[b].chunk < chunks_ ? repeats_of(ipu, phase, b) : phase.times;
  }
  constexpr std::size_t least_of(std::size_t ipu, const program_phase& phase, std::size_t b) {
    return phase.beats[b].chunk < chunks_ ? repeats_of(ipu, phase, b) : 0;
  }
  constexpr std::size_t repeats_of(std::size_t ipu, const program_phase& phase, std::size_t b) {
    const std::size_t next = stream_of(ipu, kind_of(phase.beats[b]), phase.beats[b].chunk).count + alike(phase, b, b);
    const std::size_t left = next < limit_ ? (limit_ - next - 1) / alike(phase, b, phase.beats.size()) + 1 : 0;
    return left < phase.times ? left : phase.times;
  }
  /// True if several beats of a phase have a stream in common of which some is left out: since they take turns, that is of
  /// other repeats than if each had a run of its own.
  constexpr bool mixes_left_out(std::size_t ipu, const program_phase& phase, std::size_t b) {
    const std::size_t each = alike(phase, b, phase.beats.size());
    if (each == 1 || phase.times == 1 || phase.beats[b].chunk >= chunks_) return false;
    const std::size_t before = stream_of(ipu, kind_of(phase.beats[b]), phase.beats[b].chunk).count;
    return before < limit_ && each * phase.times > limit_ - before;
  }
  /// The beats before one of a phase that are of the same stream as `b`.
  static constexpr std::size_t alike(const program_phase& phase, std::size_t b, std::size_t before) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < before; ++i) {
      if (phase.beats[i].chunk == phase.beats[b].chunk && kind_of(phase.beats[i]) == kind_of(phase.beats[b])) ++count;
    }
    return count;
  }
  static constexpr stream_kind kind_of(const beat& b) {
    return b.kind == pass::forward ? forwards : b.kind == pass::backward_weights ? weights : backwards;
  }

  constexpr bool add(std::size_t ipu, const beat& now, std::size_t times) {
    const bool forward = now.kind == pass::forward, weight = now.kind == pass::backward_weights;
    if (now.chunk >= chunks_ || (!forward && !weight && !is_backward(now.kind))) return false;
    stream& s = stream_of(ipu, kind_of(now), now.chunk);
    const std::size_t first = s.count;
    s.count += times;
    if (now.kind == pass::backward_inputs) s.split += times;
    if (first >= limit_) return true;  // those that the schedule does not have are left out
    const std::size_t place = runs_.size(), beat = beats_.size() - 1;
    runs_.push_back({first, s.count < limit_ ? s.count : limit_, beat, beat + (now.with_next ? 1 : 0)});
    (s.head == nowhere ? s.head : runs_[s.tail].next) = place;
    s.tail = place;
    return true;
  }

  /// Every pass of every chunk has all micro-batches: backwards are all whole or all split, unless weights come by age.
  constexpr bool complete(std::size_t ipu, const by_age& count) {
    if (count.asked > 0 && count.asked != count.made) return false;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
      const stream& back = stream_of(ipu, backwards, chunk);
      const stream& late = stream_of(ipu, weights, chunk);
      if (stream_of(ipu, forwards, chunk).count < limit_ || back.count < limit_) return false;
      if (count.asked > 0 || back.split == 0) {
        if (late.count > 0) return false;
      } else if (back.split != back.count || late.count < limit_) {
        return false;
      }
    }
    return true;
  }

  /// Notes what the operations of an IPU wait for.
  constexpr void relate(std::size_t ipu) {
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
      const std::size_t stage = where_.stage_of(ipu, chunk);
      const stream& forward = stream_of(ipu, forwards, chunk);
      const stream& back = stream_of(ipu, backwards, chunk);
      if (stage > 0) relate(*neighbour(stage - 1, chunk, forwards), forward);
      if (stage + 1 < where_.stages) relate(*neighbour(stage + 1, chunk, backwards), back);
      relate(forward, back);
      relate(back, stream_of(ipu, weights, chunk));
    }
  }

  /// The stream of a stage next to one that is on this chunk of its IPU.
  constexpr const stream* neighbour(std::size_t stage, std::size_t chunk, stream_kind kind) {
    const std::size_t direction = where_.direction_of(chunk);
    const std::size_t ipu = where_.ipu_of(stage, direction == 0 ? 0 : where_.micro_batches - 1);
    std::size_t there = 0;
    while (where_.stage_of(ipu, there) != stage || where_.direction_of(there) != direction) ++there;
    return &stream_of(ipu, kind, there);
  }

  /// A difference for each two runs with a micro-batch in common.
  constexpr void relate(const stream& made, const stream& read) {
    std::size_t m = made.head;
    for (std::size_t r = read.head; r != nowhere;) {
      const run& reader = runs_[r];
      const run& maker = runs_[m];
      if (maker.first < reader.end && reader.first < maker.end) {
        differences_.push_back({maker.done, reader.beat, number(reader.first) - number(maker.first)});
      }
      if (maker.end < reader.end) {
        m = maker.next;  // there is one: all micro-batches are made
      } else {
        r = reader.next;
      }
    }
  }

  /// Lets times grow as far as they must; false if that seems to have no end.
  constexpr bool solve() {
    constexpr std::size_t most_sweeps = 64;
    for (std::size_t sweep = 0; sweep < most_sweeps; ++sweep) {
      bool grown = false;
      for (std::size_t i = 0; i < where_.ipus; ++i) {
        const std::size_t ipu = sweep % 2 == 0 ? i : where_.ipus - 1 - i;
        if (advance(ipu)) grown = true;
      }
      if (!grown) return true;
      if (latest_ > step_number{1} << 60) return false;
    }
    return false;
  }

  /// Makes the beats of this IPU as late as they have to be; true if a time has grown.
  constexpr bool advance(std::size_t ipu) {
    bool grown = false;
    beat_time* const beats = beats_.data();
    const auto later = [&](std::size_t beat, step_number least) {
      if (beats[beat].first >= least) return;
      beats[beat].first = least;
      grown = true;
      if (least > latest_) latest_ = least;
    };
    const difference* const last = differences_.data() + from_[ipu + 1].difference;
    for (const difference* d = differences_.data() + from_[ipu].difference; d != last; ++d) {
      const step_number least = beats[d->made].first + d->repeats * apart_ + 1;
      if (beats[d->read].first < least) later(d->read, least);
    }
    for (std::size_t b = from_[ipu].beat; b < from_[ipu + 1].beat; ++b) {
      if (b > from_[ipu].beat) later(b, beats[b - 1].first + beats[b].behind * apart_ + 1);
      if (beats[b].last != nowhere) later(b, beats[beats[b].last].first - apart_ + 1);
    }
    return grown;
  }

  grid where_;
  phases_of phases_;
  std::size_t chunks_;
  std::size_t limit_;
  dynamic_array<stream> streams_;
  dynamic_array<beginning> from_;
  dynamic_array<run> runs_{};
  dynamic_array<beat_time> beats_{};
  dynamic_array<difference> differences_{};
  step_number apart_ = 0;
  step_number latest_ = 0;
};

/// True if that program is right; false if it is wrong, or not proven like this. (A template, so that files that verify no
/// program do not pay for it.)
template <class Program>
constexpr bool proven_by_phases(const Program& t) {
  return !t.refused && t.run_for == mode::training && phase_proof<Program>{t}.holds();
}

}  // namespace ipuflow::schedule::impl
