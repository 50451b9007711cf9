// SPDX-License-Identifier: BSL-1.0
// Pipelines of every form, timetables for them, and what a stream has to give: p(x) for each x, in order.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/interleaved.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace streams {

using namespace ipuflow;

/// Counts how many of it there are. Like a unique_ptr it can only be moved; what was moved from is not counted.
class token {
 public:
  static inline std::atomic<long> alive{0};

  explicit token(long v) : value_{v} { ++alive; }
  token(token&& other) noexcept : value_{std::exchange(other.value_, gone)} {}
  token& operator=(token&& other) noexcept {
    if (this != &other) {
      if (value_ != gone) --alive;
      value_ = std::exchange(other.value_, gone);
    }
    return *this;
  }
  ~token() {
    if (value_ != gone) --alive;
  }
  long value() const { return value_; }

 private:
  static constexpr long gone = -1'000'000'007;
  long value_;
};

/// What a block does at a call: nothing, or throw.
struct trap {
  static inline std::atomic<long> block{-1};
  static inline std::atomic<long> value{-1};
  static void step(long at_block, long at_value) {
    if (at_block == block && at_value == value) throw std::out_of_range{"trap " + std::to_string(at_block)};
  }
};

/// Block number `Number`, for values and for tokens; `origin` is what entered the pipeline, in the lowest digits.
template <long Number>
struct change {
  long operator()(long x) const {
    trap::step(Number, x % 1000);
    return x + 1000 * (Number + 1);
  }
  token operator()(token x) const {
    trap::step(Number, x.value() % 1000);
    return token{x.value() + 1000 * (Number + 1)};
  }
};
/// A branch: looks at what all branches are given.
template <long Number>
struct look {
  token operator()(const token& x) const {
    trap::step(Number, x.value() % 1000);
    return token{x.value() + 1000 * (Number + 1)};
  }
};
template <long Number>
struct merge {
  token operator()(token a, token b) const {
    trap::step(Number, a.value() % 1000);
    return token{a.value() + 1000 * (b.value() / 1000)};
  }
  token operator()(token a, token b, token c) const { return (*this)(std::move(a), (*this)(std::move(b), std::move(c))); }
};

inline constexpr auto line = pipeline(input<token>, stage(block<"a">(change<0>{})).ipu<0>(), stage(block<"b">(change<1>{})).ipu<1>(),
                                      stage(block<"c">(change<2>{})).ipu<2>(), stage(block<"d">(change<3>{})).ipu<3>());
inline constexpr auto folded = place<0, 1, 0, 1>(line);
inline constexpr auto vee = place<0, 1, 1, 0>(line);
inline constexpr auto crowded = place<0, 0, 0, 0>(line);
inline constexpr auto sparse = place<5, 2, 5, 0>(line);

template <std::size_t A, std::size_t B>
constexpr auto two_branches = concurrent(stage(block<"l">(look<1>{})).template ipu<A>(), stage(block<"r">(look<2>{})).template ipu<B>());
inline constexpr auto first = stage(block<"a">(change<0>{})).ipu<0>();

inline constexpr auto fork_middle = pipeline(input<token>, first, two_branches<1, 2>, stage(block<"m">(merge<3>{})).ipu<3>());
inline constexpr auto fork_shared = pipeline(input<token>, first, two_branches<1, 1>, stage(block<"m">(merge<3>{})).ipu<2>());
inline constexpr auto fork_home = pipeline(input<token>, first, two_branches<0, 1>, stage(block<"m">(merge<3>{})).ipu<0>());
inline constexpr auto fork_first = pipeline(input<token>,
    concurrent(stage(block<"l">(look<0>{})).ipu<0>(), stage(block<"r">(look<1>{})).ipu<1>()), stage(block<"m">(merge<2>{})).ipu<2>());
inline constexpr auto fork_last = pipeline(input<token>, first, two_branches<1, 2>);
inline constexpr auto fork_last_shared = pipeline(input<token>, first, two_branches<1, 1>);
inline constexpr auto fork_three = pipeline(input<token>, first,
    concurrent(stage(block<"l">(look<1>{})).ipu<1>(), stage(block<"r">(look<2>{})).ipu<2>(), stage(block<"s">(look<3>{})).ipu<3>()),
    stage(block<"m">(merge<4>{})).ipu<4>());

/// Two concurrent stages one behind the other, so that the second one's branches share what the first one's made.
template <long Number>
struct look_at_two {
  token operator()(const token& a, const token& b) const {
    trap::step(Number, a.value() % 1000);
    return token{a.value() + 1000 * (b.value() / 1000)};
  }
};
inline constexpr auto fork_fork = pipeline(input<token>, first, two_branches<1, 2>,
    concurrent(stage(block<"x">(look_at_two<3>{})).ipu<2>(), stage(block<"y">(look_at_two<4>{})).ipu<1>()),
    stage(block<"m">(merge<5>{})).ipu<0>());

/// What an output is: the values of its tokens.
inline std::vector<long> values(const token& a) { return {a.value()}; }
inline std::vector<long> values(const token& a, const token& b) { return {a.value(), b.value()}; }

template <class P>
std::vector<long> expected(const P& p, long x) {
  const auto out = p(token{x});
  if constexpr (requires { out.value(); }) {
    return values(out);
  } else {
    return std::apply([](const auto&... each) { return values(each...); }, out);
  }
}

/// The devices of a pipeline, each IPU of a stage once.
template <class P>
constexpr auto seats_of(const P& p, std::size_t micro_batches) {
  schedule::device_map<P::block_count> where;
  where.micro_batches = micro_batches;
  for (std::size_t s = 0; s < P::stage_count; ++s) {
    const auto on = p.ipus_of(s);
    for (std::size_t i = 0; i < on.size(); ++i) {
      bool known = false;
      for (std::size_t j = 0; j < i; ++j) known = known || on[j] == on[i];
      if (!known) where.add(s, on[i]);
    }
  }
  return where;
}

/// Some order that can be run, drawn at random: some IPUs do many micro-batches of a stage before they turn to another.
template <class P>
schedule::table any_order(const P& p, std::size_t micro_batches, unsigned seed) {
  std::mt19937 random{seed};
  const auto where = seats_of(p, micro_batches);
  schedule::table t{where, mode::inference};
  std::vector<std::size_t> done(where.seats());
  std::size_t favourite = 0;
  for (std::size_t left = where.seats() * micro_batches; left > 0;) {
    const std::size_t seat = random() % 4 == 0 ? favourite = random() % where.seats() : favourite;
    const std::size_t stage = where.taken[seat].stage;
    bool ready = done[seat] < micro_batches;
    for (std::size_t from = stage == 0 ? 0 : where.first_seat(stage - 1); stage > 0 && from < where.first_seat(stage); ++from) {
      ready = ready && done[from] > done[seat];
    }
    if (!ready) {
      favourite = random() % where.seats();
      continue;
    }
    auto& row = t.rows[where.taken[seat].ipu];
    row.push_back({{schedule::pass::forward, stage, done[seat]++}, row.size(), false});
    --left;
  }
  return t;
}

/// Calls `law(timetable)` with timetables of many kinds for 24 micro-batches.
template <class P, class Law>
void timetables(const P& p, Law law) {
  constexpr std::size_t count = 24;
  const auto only_fine = [&](const auto& t) {
    if (!t.refused && !run::verify(p, t) && !schedule::verify(t)) law(t);
  };
  only_fine(schedule::grouped(inference(p), micro_batches<count>));
  only_fine(schedule::interleaved(inference(p), micro_batches<count>));
  only_fine(schedule::sequential(inference(p), micro_batches<count>));
  only_fine(schedule::sharded(seats_of(p, 0), micro_batches<count>, mode::inference));
  only_fine(schedule::inference(p, micro_batches<count>));
  only_fine(schedule::gpipe(p, micro_batches<count>));
  only_fine(schedule::one_f_one_b(p, micro_batches<count>));
  only_fine(schedule::grouped(p, micro_batches<count>));  // of a training timetable the forwards are run
  only_fine(schedule::grouped(inference(p), micro_batches<count>, {.io_tiles = true}));
  for (unsigned seed = 1; seed <= 4; ++seed) law(any_order(p, count, seed));
}

/// Calls `law(name, pipeline)` with pipelines of all forms.
template <class Law>
void pipelines(Law law) {
  law("line", line);
  law("folded", folded);
  law("vee", vee);
  law("crowded", crowded);
  law("sparse", sparse);
  law("fork_middle", fork_middle);
  law("fork_shared", fork_shared);
  law("fork_home", fork_home);
  law("fork_first", fork_first);
  law("fork_last", fork_last);
  law("fork_last_shared", fork_last_shared);
  law("fork_three", fork_three);
  law("fork_fork", fork_fork);
}

/// A source of the numbers from 0 on, so many.
inline auto numbers(long count) {
  return [next = 0L, count]() mutable { return next < count ? std::optional<token>{token{next++}} : std::nullopt; };
}

/// What came out of a run.
template <class P, class T>
std::vector<std::vector<long>> outputs(const P& p, const T& t, long count, const run::thread_options& options,
                                       run::stream_outcome* came = nullptr) {
  std::vector<std::vector<long>> out;
  const auto outcome = run::on_threads(p, t, numbers(count), [&](auto&&... x) { out.push_back(values(x...)); }, options);
  if (came != nullptr) *came = outcome;
  return out;
}

template <class P>
std::vector<std::vector<long>> all_expected(const P& p, long count) {
  std::vector<std::vector<long>> out;
  for (long x = 0; x < count; ++x) out.push_back(expected(p, x));
  return out;
}

}  // namespace streams
