// SPDX-License-Identifier: BSL-1.0
// A namespace of a user's whose functions take anything and have names that any program has, those of this library among them: what
// the library calls by itself must not find them by the types of the arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace greedy {

#define IPUFLOW_GREEDY_NAMES(NAME) \
  NAME(accept) NAME(add_up) NAME(all) NAME(any_of) NAME(apply) NAME(apply_op) NAME(apply_to_sample) NAME(apply_values) \
  NAME(apply_to_all) \
  NAME(as_value) NAME(as_values) NAME(async) NAME(async_rebatched) NAME(batch) NAME(block) NAME(blocks_in) \
  NAME(blocks_of) NAME(bound_to_others) NAME(bytes_in) NAME(call) NAME(call_branch) NAME(call_stage) NAME(call_then) \
  NAME(chain) NAME(checked) NAME(chunk) NAME(clear) NAME(close) NAME(closed_depths) NAME(concat) NAME(concurrent) \
  NAME(consume) NAME(copy) NAME(count) NAME(cut) NAME(deal) NAME(declared_input) NAME(drop) NAME(each_tensor) \
  NAME(elements_in) NAME(end_of) NAME(entered) NAME(equal) NAME(erase) NAME(exchange) NAME(execute) NAME(execute_plan) \
  NAME(fill) NAME(filter) NAME(find) NAME(flatten) NAME(fold) NAME(for_each) NAME(get) NAME(hand_on) NAME(held_range) \
  NAME(insert) NAME(invoke) NAME(join) NAME(joined_blocks) NAME(keep) NAME(known_of) NAME(length) NAME(load) NAME(make) \
  NAME(make_owner) NAME(make_shared) NAME(map) NAME(max) NAME(merge) NAME(message) NAME(min) NAME(move) NAME(name) \
  NAME(names) NAME(names_in) NAME(names_listed) NAME(names_of) NAME(next) NAME(numbered_block) NAME(on_threads) \
  NAME(one_by_one) NAME(ops) NAME(ops_in) NAME(origin_of) NAME(part) NAME(parts_at) NAME(parts_of) NAME(pipe) \
  NAME(pipeline) NAME(place) NAME(places_of) NAME(plan_order) NAME(plan_stream) NAME(pop) NAME(produce) NAME(push) \
  NAME(read) NAME(reader_of) NAME(reduce) NAME(regrouped) NAME(release) NAME(repeat) NAME(reserve) NAME(reverse) \
  NAME(run) NAME(run_branch) NAME(run_branches) NAME(run_line) NAME(sample_at) NAME(samples_of) NAME(save) NAME(send) \
  NAME(share) NAME(shared) NAME(shuffle) NAME(single_stage) NAME(size) NAME(size_of_all) NAME(skip) NAME(sort) \
  NAME(source_of) NAME(split) NAME(stage) NAME(start) NAME(step) NAME(stop) NAME(stream) NAME(swap) NAME(sync) NAME(take) \
  NAME(then) NAME(throw_if) NAME(trace) NAME(traced) NAME(transform) NAME(use) NAME(value_of) NAME(values) NAME(verify) \
  NAME(verify_fields) NAME(verify_kept) NAME(wait) NAME(whole) NAME(with) NAME(with_arguments) NAME(with_input) \
  NAME(without_flow) NAME(write) NAME(yield) NAME(zip)

struct nothing_of_use {
  nothing_of_use() = delete;
};
#define IPUFLOW_GREEDY(NAME) \
  template <class... T>      \
  nothing_of_use NAME(T&&...);
IPUFLOW_GREEDY_NAMES(IPUFLOW_GREEDY)
#undef IPUFLOW_GREEDY
#undef IPUFLOW_GREEDY_NAMES

struct thing {
  int number = 0;

  thing self() const { return *this; }
  friend bool operator==(const thing&, const thing&) = default;
};
struct next_thing {
  thing operator()(const thing& one) const { return {one.number + 1}; }
};
struct sum_of_things {
  thing operator()(const thing& one, const thing& other) const { return {one.number + other.number}; }
};
struct is_odd {
  bool operator()(const thing& one) const { return one.number % 2 == 1; }
};
/// A dataset.
struct things {
  std::size_t size() const { return 6; }
  thing operator[](std::size_t i) const { return {static_cast<int>(i)}; }
};
/// A range.
struct row_of_things {
  std::vector<thing> all = std::vector<thing>(6, thing{1});

  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
};
/// A source.
struct thing_source {
  int given = 0;

  std::optional<thing> operator()() { return given == 6 ? std::nullopt : std::optional{thing{given++}}; }
};
/// A sink.
struct thing_sink {
  int* sum;

  void operator()(const thing& one) const { *sum += one.number; }
};

}  // namespace greedy
