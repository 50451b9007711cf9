// SPDX-License-Identifier: BSL-1.0
// A schedule as straight code, a body that repeats, and straight code, for each IPU: the form of a table that was searched for or read,
// where it has such a body. Micro-batches go through each pass in order, so a body is the same for all of them, and it repeats
// as often as any number of micro-batches needs.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The program of an IPU: places in its list of passes.
struct repeating_program {
  dynamic_array<op> passes{};              ///< of the IPU; the micro-batch of each operation is the next one of its pass
  dynamic_array<std::size_t> ramp_up{};    ///< before the body
  dynamic_array<std::size_t> body{};       ///< each pass as often as the body has micro-batches
  dynamic_array<std::size_t> ramp_down{};  ///< behind it
};

namespace impl {

/// The operations of an IPU, in order; their steps are their positions.
class repeating_walk {
 public:
  constexpr repeating_walk() = default;
  constexpr repeating_walk(const repeating_program& row, std::size_t repeats) : row_{&row}, left_{repeats}, next_{row.passes.size()} {
    settle();
  }

  constexpr explicit operator bool() const { return part_ != nullptr && at_ < part_->size(); }
  constexpr const placed& operator*() const { return now_; }
  constexpr const placed* operator->() const { return &now_; }
  constexpr repeating_walk& operator++() {
    ++at_;
    ++step_;
    settle();
    return *this;
  }

 private:
  constexpr void settle() {
    if (part_ == nullptr) part_ = &row_->ramp_up;
    while (at_ == part_->size() && part_ != &row_->ramp_down) {
      at_ = 0;
      if (left_ > 0 && !row_->body.empty()) {
        --left_;
        part_ = &row_->body;
      } else {
        part_ = &row_->ramp_down;
      }
    }
    if (at_ == part_->size()) return;
    const std::size_t pass = (*part_)[at_];
    now_ = {{row_->passes[pass].kind, row_->passes[pass].stage, next_[pass]++}, step_, false};
  }

  const repeating_program* row_ = nullptr;
  const dynamic_array<std::size_t>* part_ = nullptr;
  std::size_t at_ = 0;
  std::size_t step_ = 0;
  std::size_t left_ = 0;
  dynamic_array<std::size_t> next_{};
  placed now_{op{}, nowhere, false};
};

}  // namespace impl

/// A timetable whose IPUs repeat a body equally often.
struct repeating {
  roster where{};
  dynamic_array<repeating_program> programs{};  ///< of each IPU
  std::size_t each = 0;     ///< micro-batches of a body; 0: there is none
  std::size_t repeats = 0;  ///< of the body
  mode run_for = mode::training;
  static constexpr pace goes = pace::freely;
  schedule_fault refused{};

  constexpr explicit operator bool() const { return each > 0; }
  constexpr impl::repeating_walk walk(std::size_t ipu) const { return {programs[ipu], repeats}; }
  [[nodiscard]] constexpr std::size_t count(std::size_t ipu) const {
    return programs[ipu].ramp_up.size() + repeats * programs[ipu].body.size() + programs[ipu].ramp_down.size();
  }

  /// The same schedule for another number of micro-batches: refused, with the next number that is possible, if that is not a whole
  /// number of bodies more or less.
  [[nodiscard]] constexpr repeating unrolled(std::size_t micro_batches) const {
    repeating made = *this;
    made.where.micro_batches = micro_batches;
    const std::size_t ramps = where.micro_batches - repeats * each;
    if (each == 0) {
      if (micro_batches != where.micro_batches) made.refused = {schedule_wrong::not_a_multiple, micro_batches, where.micro_batches};
    } else if (micro_batches > most_micro_batches) {
      made.refused = {schedule_wrong::too_many_micro_batches, micro_batches, most_micro_batches};
    } else if (micro_batches < ramps + each) {  // ramps alone would not be what was found
      made.refused = {schedule_wrong::too_few_micro_batches, micro_batches, ramps + each};
    } else if ((micro_batches - ramps) % each != 0) {
      made.refused = {schedule_wrong::not_a_multiple, micro_batches, ramps + ((micro_batches - ramps) / each + 1) * each};
    } else {
      made.repeats = (micro_batches - ramps) / each;
    }
    return made;
  }
};

namespace impl {

/// The longest stretch of a list that is what comes `body` places later.
struct repeated_range {
  std::size_t begin = 0;
  std::size_t end = 0;
};
constexpr repeated_range repeated_range_of(const dynamic_array<std::size_t>& of, std::size_t body) {
  repeated_range best;
  for (std::size_t begin = 0, i = 0; i + body <= of.size(); ++i) {
    if (i + body < of.size() && of[i] == of[i + body]) continue;
    if (i - begin > best.end - best.begin) best = {begin, i};
    begin = i + 1;
  }
  return best;
}

/// True if each of the passes is `each` times among the `passes * each` from `begin` on.
constexpr bool all_alike(const dynamic_array<std::size_t>& of, std::size_t begin, std::size_t passes, std::size_t each) {
  dynamic_array<std::size_t> seen(passes);
  for (std::size_t i = begin; i < begin + passes * each; ++i) ++seen[of[i]];
  for (const std::size_t n : seen) {
    if (n != each) return false;
  }
  return true;
}

/// The number of times that a body of `each` micro-batches repeats on the IPU where it does so least; 0 if some IPU has none.
constexpr std::size_t repeats_of(const dynamic_array<dynamic_array<std::size_t>>& lists, const dynamic_array<std::size_t>& passes, std::size_t each) {
  std::size_t least = nowhere;
  for (std::size_t ipu = 0; ipu < lists.size(); ++ipu) {
    const std::size_t body = passes[ipu] * each;
    if (body == 0) continue;
    const repeated_range found = repeated_range_of(lists[ipu], body);
    const std::size_t times = (found.end - found.begin) / body + 1;
    if (found.end == found.begin || !all_alike(lists[ipu], found.begin, passes[ipu], each)) return 0;
    if (times < least) least = times;
  }
  return least == nowhere ? 0 : least;
}

/// A body that repeats fewer times may be chance.
inline constexpr std::size_t fewest_repeats = 3;

/// The least number of micro-batches that a body of all IPUs has; 0 if there is none.
constexpr std::size_t body_of(const dynamic_array<dynamic_array<std::size_t>>& lists, const dynamic_array<std::size_t>& passes, std::size_t count) {
  for (std::size_t each = 1; each * fewest_repeats <= count; ++each) {
    if (repeats_of(lists, passes, each) >= fewest_repeats) return each;
  }
  return 0;
}

/// True if the bodies of all IPUs belong together. Those of different micro-batches wait for each other for ever when there are
/// more or fewer of them: seen with one, with one more, and with enough for what stands before the bodies of one IPU to meet no
/// more what stands behind those of another.
constexpr bool repeats_together(const repeating& form) {
  const std::size_t count = form.where.micro_batches;
  return !verify(form.unrolled(count - (form.repeats - 1) * form.each)) && !verify(form.unrolled(count + form.each)) &&
         !verify(form.unrolled(count + (count / form.each + 1) * form.each));
}

/// The longest repeated bodies of a table whose IPUs are looked at one by one.
constexpr repeating bodies_of(const table& t) {
  repeating made;
  made.where = t.where;
  made.run_for = t.run_for;
  made.refused = t.refused;
  made.programs = dynamic_array<repeating_program>(t.rows.size());
  dynamic_array<dynamic_array<std::size_t>> lists(t.rows.size());
  dynamic_array<std::size_t> passes(t.rows.size());
  bool in_order = !t.refused && !t.where.crossed;
  for (std::size_t ipu = 0; ipu < t.rows.size(); ++ipu) {
    auto& known = made.programs[ipu].passes;
    dynamic_array<std::size_t> next;
    for (const placed& o : t.rows[ipu]) {
      std::size_t pass = 0;
      while (pass < known.size() && (known[pass].kind != o.kind || known[pass].stage != o.stage)) ++pass;
      if (pass == known.size()) {
        known.push_back({o.kind, o.stage, 0});
        next.push_back(0);
      }
      in_order = in_order && o.micro_batch == next[pass]++ && !o.with_next;
      lists[ipu].push_back(pass);
    }
    passes[ipu] = known.size();
    for (const std::size_t n : next) in_order = in_order && n == t.where.micro_batches;
  }
  if (in_order) made.each = impl::body_of(lists, passes, t.where.micro_batches);
  if (made.each > 0) made.repeats = impl::repeats_of(lists, passes, made.each);
  for (std::size_t ipu = 0; ipu < lists.size(); ++ipu) {
    const std::size_t body = passes[ipu] * made.each;
    const std::size_t begin = made.each > 0 && body > 0 ? impl::repeated_range_of(lists[ipu], body).begin : lists[ipu].size();
    for (std::size_t i = 0; i < begin; ++i) made.programs[ipu].ramp_up.push_back(lists[ipu][i]);
    for (std::size_t i = begin; i < begin + body; ++i) made.programs[ipu].body.push_back(lists[ipu][i]);
    for (std::size_t i = begin + body * made.repeats; i < lists[ipu].size(); ++i) made.programs[ipu].ramp_down.push_back(lists[ipu][i]);
  }
  return made;
}

}  // namespace impl

/// The repeating form of a table; its `each` is 0 where no body is repeated three times on every IPU, where a pass does not take
/// micro-batches in order, or where bodies of the IPUs do not belong together.
[[nodiscard]] constexpr repeating repeating_form(const table& t) {
  repeating made = impl::bodies_of(t);
  if (made.each == 0 || impl::repeats_together(made)) return made;
  for (repeating_program& p : made.programs) {
    for (std::size_t i = 0; i < made.repeats; ++i) {
      for (const std::size_t pass : p.body) p.ramp_up.push_back(pass);
    }
    for (const std::size_t pass : p.ramp_down) p.ramp_up.push_back(pass);
    p.body = {};
    p.ramp_down = {};
  }
  made.each = made.repeats = 0;
  return made;
}

}  // namespace ipuflow::schedule
